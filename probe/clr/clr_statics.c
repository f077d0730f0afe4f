/* SPDX-License-Identifier: MIT */
/* Finds static fields with references, and reads their objects for heap shots. */
#include "probe/clr/clr_statics.h"

#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "probe/clr/clr_layout.h"
#include "probe/clr/clr_resolve.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/managed_names.h"

enum {
	FIELDS = 64,     /* asked for at once */
	TEXT = 256,      /* UTF-16 units of a name */
	SLOTS = 1 << 15, /* kept; further slots stay nameless */
	FIELD = 0x06,    /* a signature of a field begins so */
	STATIC = 0x10,   /* attributes */
	LITERAL = 0x40,
	AT_ADDRESS = 0x100, /* the value lies in the file */
	SOURCE_STATIC = 3,  /* of a root area */
	SOURCE_THREAD = 4,
	OF_THREAD = 2,       /* bit of a static's kind */
	OWN = 1 << 10,       /* thread-static fields kept */
	QUESTIONS = 1 << 18, /* for a shot: all threads stand meanwhile */
};

/* Areas for objects without a fixed address: a page of numbers for each field. */
#define THREAD_AREA(i)   ((UINT64_C(1) << 50) + ((uint64_t)(i) << 20))
#define THREAD_AREA_SIZE (UINT64_C(1) << 20)

/* A field of the class with this key. */
struct field {
	uint32_t key, token;
};

struct slot {
	uint32_t key; /* the class's */
	uint64_t address;
};

static PV_ARRAY(struct slot) slots;
static PV_ARRAY(struct field) own;     /* of each thread: areas by place */
static PV_ARRAY(struct field) waiting; /* their class was not set up when they were asked for */
static uint64_t asked;                 /* greatest key of the classes examined */

/* Whether a reference; references inside of a structure are in a box that stays nameless. */
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

/* The name of a static field that holds a reference; false: not such a field. */
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

static void define_static(const struct pvp_clr_type *type, const char *field, struct pv_event *area)
{
	char name[PVP_CLR_NAME + 3 * TEXT];
	size_t n = pvp_clr_class_name(type->id, name);
	snprintf(name + n, sizeof name - n, ".%s", field);
	area->root_area.name = (struct pv_text){ name, strlen(name) };
	pvp_names_define(area);
}

static void keep_slot(
	const struct pvp_clr_type *type, struct field f, uint64_t slot, const char *name)
{
	struct pv_event area = { .kind = PV_KIND_HEAP_ROOT_REGISTER,
		.root_area = {
			slot, sizeof slot, SOURCE_STATIC, pvp_clr_class(type->id), { "", 0 } } };
	if (slots.n < SLOTS && pv_reserve(&slots, 1)) {
		slots.v[slots.n++] = (struct slot){ f.key, slot };
		define_static(type, name, &area);
	}
}

/* No key: the key of such an area is a thread, and these are for all threads. */
static void keep_own(const struct pvp_clr_type *type, struct field f, const char *name)
{
	struct pv_event area = { .kind = PV_KIND_HEAP_ROOT_REGISTER,
		.root_area = {
			THREAD_AREA(own.n), THREAD_AREA_SIZE, SOURCE_THREAD, 0, { "", 0 } } };
	if (own.n < OWN && pv_reserve(&own, 1)) {
		own.v[own.n++] = f;
		define_static(type, name, &area);
	}
}

/* The inverse of pvp_clr_key(). */
static uint64_t domain_id(void)
{
	return pvp_clr_domain() << 3;
}

/* False: the class is not set up yet. */
static bool ask_static(struct pvp_clr_metadata *m, const struct pvp_clr_type *type, struct field f)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t slot = 0, domain = domain_id();
	uint32_t kind = 0;
	char name[3 * TEXT];
	if (!static_name(m, f.token, name, sizeof name))
		return true;
	if (info->is->static_kind(info, type->id, f.token, &kind) >= 0 && kind & OF_THREAD) {
		keep_own(type, f, name);
		return true;
	}
	pvp_hr got = info->is->static_address(info, type->id, f.token, domain, &slot);
	if (got >= 0 && slot)
		pvp_clr_layout_compare(type->id, f.token, slot);
	else if (got == PVP_HR_INCOMPLETE)
		slot = pvp_clr_layout_slot(type->id, f.token);
	if (slot)
		keep_slot(type, f, slot, name);
	return slot || got != PVP_HR_INCOMPLETE;
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
			if (!ask_static(m, &type, f))
				wait_for(f);
		}
	}
	if (list)
		m->is->close_enum(m, list);
	m->is->unknown.release(m);
}

/* Whether the field needs no further question. */
static bool ask_again(struct field f)
{
	struct pvp_clr_type type;
	struct pvp_clr_metadata *m =
		pvp_clr_class_at(f.key, &type) ? pvp_clr_metadata(type.module) : NULL;
	bool done = !m || ask_static(m, &type, f);
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
	while (asked < newest) {
		pvp_clr_unloads_hold();
		ask_class((uint32_t)++asked);
		pvp_clr_unloads_release();
	}
	ask_waiting(); /* fields of generic classes rely on results for other classes */
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

/* 0: none, or the thread has never touched the field. */
static uint64_t object_of(const struct pvp_clr_type *type, uint32_t token, uint64_t thread)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t at = 0, object = 0;
	if (info->is->thread_static_address(info, type->id, token, domain_id(), thread, &at) >= 0 &&
		at)
		memcpy(&object, (const void *)(uintptr_t)at, sizeof object);
	return object;
}

void pvp_clr_thread_statics(const uint64_t *threads, size_t n, pvp_clr_static_met *put, void *ctx)
{
	const size_t most = THREAD_AREA_SIZE / sizeof(uint64_t);
	struct pvp_clr_type type;
	size_t asked_for = 0;
	for (size_t i = 0; i < own.n; i++) {
		if (!pvp_clr_class_at(own.v[i].key, &type))
			continue;
		for (size_t t = 0; t < n && t < most && asked_for++ < QUESTIONS; t++) {
			uint64_t object = object_of(&type, own.v[i].token, threads[t]);
			if (object)
				put(ctx, THREAD_AREA(i) + t * sizeof object, object);
		}
	}
}

void pvp_clr_statics_forget(void)
{
	pv_array_finish(&slots);
	pv_array_finish(&own);
	pv_array_finish(&waiting);
	pvp_clr_layout_forget();
	asked = 0;
}
