#include "probe/clr/clr_statics.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

enum {
	FIELDS = 64,     /* asked for at once */
	TEXT = 256,      /* UTF-16 units of a name */
	SLOTS = 1 << 15, /* kept; further ones stay nameless */
	FIELD = 0x06,    /* a signature of a field begins so */
	STATIC = 0x10,   /* attributes */
	LITERAL = 0x40,
	AT_ADDRESS = 0x100, /* its value lies in the file */
	SOURCE_STATIC = 3,  /* of a root area */
};

/* A field of the class with this key. */
struct field {
	uint32_t key, token;
};

struct slot {
	uint32_t key; /* its class */
	uint64_t address;
};

static PV_ARRAY(struct slot) slots;
static PV_ARRAY(struct field) waiting; /* their class was not set up when they were asked for */
static uint64_t asked;                 /* the greatest key of a class that was looked at */

/* The signature of a reference; a structure's own references are in a box that stays nameless. */
static bool is_reference(const uint8_t *sig, uint32_t n)
{
	struct pvp_sig s = { sig, sig + n };
	if (pvp_sig_number(&s) != FIELD)
		return false;
	uint32_t kind = pvp_sig_number(&s);
	while (kind == PVP_SIG_REQUIRED || kind == PVP_SIG_OPTIONAL) {
		pvp_sig_number(&s);
		kind = pvp_sig_number(&s);
	}
	switch (kind) {
	case PVP_SIG_STRING:
	case PVP_SIG_CLASS:
	case PVP_SIG_TYPE_VAR:
	case PVP_SIG_ARRAY:
	case PVP_SIG_OBJECT:
	case PVP_SIG_VECTOR:
		return true;
	case PVP_SIG_GENERIC:
		return pvp_sig_number(&s) == PVP_SIG_CLASS;
	default:
		return false;
	}
}

/* A static field that holds a reference: its name; false: it is none. */
static bool static_name(struct pvp_clr_metadata *m, uint32_t token, char *name, size_t room)
{
	pvp_char wide[TEXT];
	const uint8_t *sig = NULL;
	const void *value;
	uint32_t n = 0, of = 0, flags = 0, sig_n = 0, ignored = 0;
	if (m->is->field(m, token, &of, wide, TEXT, &n, &flags, &sig, &sig_n, &ignored, &value,
		    &ignored) < 0)
		return false;
	if ((flags & (STATIC | LITERAL | AT_ADDRESS)) != STATIC || !is_reference(sig, sig_n))
		return false;
	pvp_clr_utf8(wide, n < TEXT ? n : TEXT, name, room);
	return true;
}

static void define(const struct pvp_clr_type *type, uint64_t slot, const char *field)
{
	char name[PVP_CLR_NAME + 3 * TEXT];
	size_t n = pvp_clr_class_name(type->id, name);
	snprintf(name + n, sizeof name - n, ".%s", field);
	struct pv_event ev = { .kind = PV_KIND_HEAP_ROOT_REGISTER,
		.root_area = { slot, sizeof slot, SOURCE_STATIC, pvp_clr_class(type->id),
			{ name, strlen(name) } } };
	pvp_names_define(&ev);
}

/* False: its class is not set up yet. */
static bool ask(struct pvp_clr_metadata *m, const struct pvp_clr_type *type, struct field f)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t slot = 0, domain = pvp_clr_domain() << 3; /* as pvp_clr_key() made it */
	char name[3 * TEXT];
	if (!static_name(m, f.token, name, sizeof name))
		return true;
	pvp_hr got = info->is->static_address(info, type->id, f.token, domain, &slot);
	if (got < 0 || !slot)
		return got != PVP_HR_INCOMPLETE; /* else it is one of each thread */
	if (slots.n < SLOTS && pv_reserve(&slots, 1)) {
		slots.v[slots.n++] = (struct slot){ f.key, slot };
		define(type, slot, name);
	}
	return true;
}

static void wait_for(struct field f)
{
	if (waiting.n < SLOTS && pv_reserve(&waiting, 1))
		waiting.v[waiting.n++] = f;
}

static void ask_class(uint32_t key)
{
	struct pvp_clr_type type;
	uint32_t token[FIELDS], n = 0;
	void *list = NULL;
	struct pvp_clr_metadata *m =
		pvp_clr_class_at(key, &type) ? pvp_clr_metadata(type.module) : NULL;
	if (!m)
		return;
	while (m->is->enum_fields(m, &list, type.token, token, FIELDS, &n) >= 0 && n) {
		for (uint32_t i = 0; i < n && i < FIELDS; i++) {
			struct field f = { key, token[i] };
			if (!ask(m, &type, f))
				wait_for(f);
		}
	}
	if (list)
		m->is->close_enum(m, list);
	m->is->unknown.release(m);
}

/* Whether it need not be asked for again. */
static bool ask_again(struct field f)
{
	struct pvp_clr_type type;
	struct pvp_clr_metadata *m =
		pvp_clr_class_at(f.key, &type) ? pvp_clr_metadata(type.module) : NULL;
	bool done = !m || ask(m, &type, f);
	if (m)
		m->is->unknown.release(m);
	return done;
}

static void ask_waiting(void)
{
	size_t to = 0;
	for (size_t i = 0; i < waiting.n; i++) {
		struct field f = waiting.v[i];
		pvp_clr_unloads_hold();
		if (!ask_again(f))
			waiting.v[to++] = f;
		pvp_clr_unloads_release();
	}
	waiting.n = to;
}

void pvp_clr_statics_find(void)
{
	uint64_t newest = pvp_clr_classes_newest();
	ask_waiting();
	while (asked < newest) {
		pvp_clr_unloads_hold();
		ask_class((uint32_t)++asked);
		pvp_clr_unloads_release();
	}
}

size_t pvp_clr_statics_count(void)
{
	return slots.n;
}

uint64_t pvp_clr_static_object(size_t i, uint64_t *ret_slot)
{
	struct pvp_clr_type type;
	uint64_t object = 0;
	*ret_slot = slots.v[i].address;
	if (pvp_clr_class_at(slots.v[i].key, &type))
		memcpy(&object, (const void *)(uintptr_t)*ret_slot, sizeof object);
	return object;
}

void pvp_clr_statics_forget(void)
{
	pv_array_finish(&slots);
	pv_array_finish(&waiting);
	asked = 0;
}
