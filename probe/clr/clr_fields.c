/* SPDX-License-Identifier: MIT */
/*
 * Names of fields. A class reports its own fields, nested fields of structures as "entry.key", and
 * its parent class. Static fields have no place in an object and are left out. An array reports the
 * places of elements.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/clr/clr_resolve.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

enum {
	FIELDS = 512, /* of a class, without ancestors */
	TEXT = 256,   /* UTF-16 units of a name */
	PATH = 512,
	INSIDE = 3, /* structures within structures */
	STATIC = 0x10,
	OF_RUNTIME = 0x400, /* the value of an enumeration */
};

/* Place of the fields being reported: in the object of `owner`. */
struct inside {
	uint64_t owner;
	uint32_t offset;
	unsigned depth;
	const char *path;
};

static void each_field(const struct pvp_clr_type *type, const struct inside *in);

static void one_field(struct pvp_clr_metadata *m, const struct pvp_clr_type *of,
	const struct pvp_clr_field *f, const struct inside *in)
{
	pvp_char wide[TEXT];
	char name[3 * TEXT], path[PATH], text[PVP_CLR_NAME];
	const uint8_t *sig = NULL;
	const void *value;
	uint32_t n = 0, token = 0, flags = 0, sig_n = 0, ignored = 0;
	if (m->is->field(m, f->token, &token, wide, TEXT, &n, &flags, &sig, &sig_n, &ignored,
		    &value, &ignored) < 0 ||
		flags & STATIC || (flags & OF_RUNTIME && in->depth))
		return;
	pvp_clr_utf8(wide, n < TEXT ? n : TEXT, name, sizeof name);
	snprintf(path, sizeof path, "%.200s%.300s", in->path, name);
	size_t type_n = pvp_clr_field_type(of, sig, sig_n, text);
	struct pv_event ev = { .kind = PV_KIND_EXT_FIELD,
		.field = { .owner = in->owner,
			.offset = in->offset + f->offset,
			.type = { text, type_n },
			.name = { path, strlen(path) } } };
	pvp_names_define(&ev);
	struct pvp_clr_type inner;
	if (in->depth >= INSIDE || strlen(path) + 2 > sizeof path ||
		!pvp_clr_structure(of, (struct pvp_sig){ sig, sig + sig_n }, &inner))
		return;
	strcat(path, ".");
	each_field(&inner,
		&(struct inside){ in->owner, (uint32_t)ev.field.offset, in->depth + 1, path });
}

static void each_field(const struct pvp_clr_type *type, const struct inside *in)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_field *field = malloc(FIELDS * sizeof *field);
	uint32_t n = 0, size;
	if (!field || info->is->class_layout(info, type->id, field, FIELDS, &n, &size) < 0 ||
		n > FIELDS)
		n = 0;
	struct pvp_clr_metadata *m = n ? pvp_clr_metadata(type->module) : NULL;
	for (uint32_t i = 0; m && i < n; i++)
		one_field(m, type, &field[i], in);
	if (m)
		m->is->unknown.release(m);
	free(field);
}

/* Distance of two elements; 0: elements without references, or unknown. */
static uint32_t element_size(uint32_t kind, uint64_t element)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_field *field = malloc(FIELDS * sizeof *field);
	uint32_t n = 0, size = 0;
	switch (kind) {
	case PVP_SIG_STRING:
	case PVP_SIG_CLASS:
	case PVP_SIG_ARRAY:
	case PVP_SIG_OBJECT:
	case PVP_SIG_VECTOR:
		size = sizeof(uint64_t);
		break;
	case PVP_SIG_VALUE:
		if (!field || info->is->class_layout(info, element, field, FIELDS, &n, &size) < 0)
			size = 0;
		break;
	default:
		break;
	}
	free(field);
	return (size + 7) & ~(uint32_t)7;
}

/* Fields of structures in an array are reported as fields of the array, in the first element. */
static void tell_elements(uint64_t key, uint32_t kind, uint64_t element)
{
	enum { FIRST = 16 }; /* after method table and length */
	uint32_t size = element_size(kind, element);
	struct pv_event ev = { .kind = PV_KIND_EXT_ELEMENTS, .elements = { key, FIRST, size } };
	if (!size)
		return;
	pvp_names_define(&ev);
	struct pvp_clr_type of;
	if (kind == PVP_SIG_VALUE && pvp_clr_type_of(element, &of))
		each_field(&of, &(struct inside){ key, FIRST, 1, "" });
}

uint32_t pvp_clr_field_offset(uint64_t type, const char *name)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_field *field = malloc(FIELDS * sizeof *field);
	uint32_t n = 0, of, token, size, types, ignored, flags, len, found = 0;
	uint64_t module = 0, parent;
	struct pvp_clr_metadata *m = NULL;
	if (field &&
		info->is->class_info(info, type, &module, &token, &parent, 0, &types, NULL) >= 0 &&
		info->is->class_layout(info, type, field, FIELDS, &n, &size) >= 0 && n <= FIELDS)
		m = pvp_clr_metadata(module);
	for (uint32_t i = 0; m && i < n && !found; i++) {
		pvp_char wide[TEXT];
		char text[3 * TEXT];
		const uint8_t *sig;
		const void *value;
		if (m->is->field(m, field[i].token, &of, wide, TEXT, &len, &flags, &sig, &ignored,
			    &ignored, &value, &ignored) < 0)
			continue;
		pvp_clr_utf8(wide, len < TEXT ? len : TEXT, text, sizeof text);
		if (!(flags & STATIC) && strcmp(text, name) == 0)
			found = field[i].offset;
	}
	if (m)
		m->is->unknown.release(m);
	free(field);
	return found;
}

void pvp_clr_fields(uint64_t type, uint64_t key)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_type of;
	uint64_t parent = 0, module, base = 0;
	uint32_t token, types, rank = 0, kind = 0, head = 0;
	if (!(pvp_clr_groups() & PVP_MANAGED_FIELDS))
		return;
	if (info->is->array_class(info, type, &kind, &base, &rank) == 0) {
		if (rank == 1)
			tell_elements(key, kind, base);
		return;
	}
	if (info->is->box_layout(info, type, &head) < 0)
		head = 0; /* no structure: offsets count from the object's start */
	if (!pvp_clr_type_of(type, &of))
		return;
	each_field(&of, &(struct inside){ key, head, 0, "" });
	if (info->is->class_info(info, type, &module, &token, &parent, 0, &types, NULL) < 0)
		return;
	struct pv_event ev = { .kind = PV_KIND_EXT_PARENT,
		.class_parent = { key, parent ? pvp_clr_class_reserve(parent) : 0 } };
	if (ev.class_parent.parent)
		pvp_names_define(&ev);
}
