/* SPDX-License-Identifier: MIT */
/*
 * Describes an object given by address: the class, and an exception's message, written directly
 * before the event. Only while the object cannot move: the runtime calls in its cooperative mode,
 * and nothing here leaves this mode before the object was read.
 */
#include <string.h>

#include "probe/clr/clr_resolve.h"
#include "probe/clr/clr_runtime.h"
#include "probe/unwind/own_memory.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

enum {
	MESSAGE = 200,  /* UTF-16 units of a message, most */
	ANCESTORS = 64, /* looked at for the class of all exceptions */
	UNKNOWN = 0,
	NOWHERE = 1, /* no field has these offsets */
};

struct said {
	struct pv_event event[4];
	unsigned n;
};

static void say_class(struct said *s, uint64_t object, uint64_t class)
{
	if (class)
		s->event[s->n++] = (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
			.class_of = { object, class } };
}

/* Writes the event with the stack, after the events about the object. */
static void tell_said(
	struct said *s, const struct pv_event *ev, uint64_t object, const uint64_t *keys, size_t n)
{
	const struct pv_batch pools = { .pool = { (uint64_t *)(uintptr_t)keys, n, n } };
	s->event[s->n++] = *ev;
	pvp_events(s->event, s->n, &pools, object);
}

static bool wanted(void)
{
	return pvp_clr_groups() & PVP_MANAGED_CLASS_OF;
}

/* --- messages */

static _Atomic uint32_t message_at, length_at, text_at;

/* The base class of all exceptions; 0: not found. */
static uint64_t exception_class(uint64_t type)
{
	static const char all[] = "System.Exception";
	struct pvp_clr_info *info = pvp_clr.info;
	char name[PVP_CLR_NAME];
	uint64_t module, parent;
	uint32_t token, n;
	for (int i = 0; type && i < ANCESTORS; i++, type = parent) {
		pvp_clr_class_name(type, name);
		if (strcmp(name, all) == 0)
			return type;
		parent = 0;
		if (info->is->class_info(info, type, &module, &token, &parent, 0, &n, NULL) < 0)
			return 0;
	}
	return 0;
}

/* Finds the offset of every exception's message; once. */
static void find_message(uint64_t type)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t of = exception_class(type);
	uint32_t length = 0, text = 0, at = of ? pvp_clr_field_offset(of, "_message") : 0;
	if (!at || info->is->string_layout(info, &length, &text) < 0)
		at = NOWHERE;
	atomic_store_explicit(&length_at, length, memory_order_relaxed);
	atomic_store_explicit(&text_at, text, memory_order_relaxed);
	atomic_store_explicit(&message_at, at, memory_order_release);
}

static uint64_t object_word_at(uint64_t address)
{
	uint64_t word;
	memcpy(&word, (const void *)(uintptr_t)address, sizeof word);
	return word;
}

/* The message in the exception's field; a message computed by the class is unknown. */
static void say_message(struct said *s, uint64_t object, uint32_t at, char text[3 * MESSAGE + 8])
{
	uint64_t message = object_word_at(object + at);
	int32_t length;
	if (!message)
		return;
	memcpy(&length, (const void *)(uintptr_t)(message + atomic_load(&length_at)),
		sizeof length);
	uint32_t n = length < 0 ? 0 : length < MESSAGE ? (uint32_t)length : MESSAGE;
	const pvp_char *from = (const void *)(uintptr_t)(message + atomic_load(&text_at));
	size_t len = pvp_clr_utf8(from, n, text, 3 * MESSAGE + 8);
	s->event[s->n++] = (struct pv_event){ .kind = PV_KIND_EXT_MESSAGE,
		.string = { object, length < 0 ? 0 : (uint64_t)length, { text, len } } };
}

void pvp_clr_said_thrown(struct pv_event *ev, uint64_t object)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct said s = { .n = 0 };
	char text[3 * MESSAGE + 8];
	uint64_t keys[PVP_MANAGED_FRAMES], type = 0;
	if (wanted() && info->is->class_of_object(info, object, &type) < 0)
		type = 0;
	if (type && pvp_clr_groups() & PVP_MANAGED_MESSAGES &&
		atomic_load_explicit(&message_at, memory_order_acquire) == UNKNOWN)
		find_message(type);
	uint32_t at = atomic_load_explicit(&message_at, memory_order_acquire);
	s.n = type ? 1 : 0; /* reserves a place; the key comes after the object was read */
	if (type && at > NOWHERE && pvp_clr_groups() & PVP_MANAGED_MESSAGES)
		say_message(&s, object, at, text);
	s.event[0] = (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
		.class_of = { object, type ? pvp_clr_class(type) : 0 } };
	if (type && !s.event[0].class_of.type)
		s.n = 0; /* out of memory */
	size_t n = pvp_clr_stack(keys);
	ev->thrown.stack = (struct pv_span){ 0, (uint32_t)n };
	tell_said(&s, ev, object, keys, n);
}

void pvp_clr_said_forget(void)
{
	atomic_store(&message_at, UNKNOWN);
}

/* --- other objects */

/*
 * The class of an object that may be gone: some managed code of the runtime reports locks itself,
 * by an address taken earlier. An object begins with its class; the word read is trusted if it is a
 * known class.
 */
static uint64_t class_met(uint64_t object)
{
	uint64_t type = 0;
	if (object % sizeof type || !pvp_memory_read(&type, (uintptr_t)object, sizeof type))
		return 0;
	return pvp_clr_class_if_met(type);
}

static uint64_t object_class(uint64_t object)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t type = 0;
	if (info->is->class_of_object(info, object, &type) < 0)
		return 0;
	return pvp_clr_class(type);
}

void pvp_clr_said_contended(struct pv_event *ev, const struct pvp_clr_contended *c)
{
	struct said s = { .n = 0 };
	uint64_t keys[PVP_MANAGED_FRAMES];
	bool managed;
	size_t n = pvp_clr_stack_noted(keys, &managed);
	uint64_t class = wanted() && c->is_object ? class_met(c->object) : 0;
	if (wanted() && c->is_object && !class && !managed)
		class = object_class(c->object);
	say_class(&s, c->object, class);
	if (wanted() && c->holder)
		s.event[s.n++] = (struct pv_event){ .kind = PV_KIND_EXT_HOLDER,
			.holder = { c->object, c->holder } };
	if (wanted() && c->lock)
		s.event[s.n++] = (struct pv_event){ .kind = PV_KIND_EXT_LOCK,
			.lock = { c->object, c->lock } };
	ev->monitor.stack = (struct pv_span){ 0, (uint32_t)n };
	tell_said(&s, ev, c->object, keys, n);
}

void pvp_clr_said_handle(struct pv_event *ev, uint64_t object)
{
	struct said s = { .n = 0 };
	uint64_t keys[PVP_MANAGED_FRAMES];
	if (wanted() && object)
		say_class(&s, object, object_class(object));
	size_t n = pvp_clr_stack(keys);
	ev->handle.stack = (struct pv_span){ 0, (uint32_t)n };
	tell_said(&s, ev, object, keys, n);
}

/* In a collection: the runtime is asked for no name now. */
void pvp_clr_said_finalized(struct pv_event *ev, uint64_t object)
{
	struct pvp_clr_info *info = pvp_clr.info;
	struct said s = { .n = 0 };
	uint64_t type = 0;
	if (wanted() && info->is->class_of_object(info, object, &type) >= 0)
		say_class(&s, object, pvp_clr_class_reserve(type));
	tell_said(&s, ev, object, NULL, 0);
}
