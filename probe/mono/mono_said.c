/* SPDX-License-Identifier: MIT */
/*
 * Describes an object given by address, directly before the event about the object, if asked for.
 */
#include <mono/metadata/class.h>
#include <mono/metadata/exception.h>
#include <mono/metadata/object.h>
#include <stdatomic.h>

#include "probe/core/emit.h"
#include "probe/mono/host_mono.h"
#include "probe/mono/mono_holder.h"

enum {
	MESSAGE = 200, /* UTF-16 units of a message, most */
	TEXT = 3 * MESSAGE + 8,
};

struct said {
	struct pv_event event[4];
	unsigned n;
};

static uint64_t address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

static void say_class(struct said *s, MonoObject *object)
{
	uint64_t type = 0;
	if (object && pvp_mono.options.groups & PVP_MANAGED_CLASS_OF)
		type = pvp_mono_type_loaded(mono_object_get_vtable(object));
	if (type)
		s->event[s->n++] = (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
			.class_of = { address(object), type } };
}

static void tell_said(struct said *s, const struct pv_event *ev, const struct pv_batch *pools,
	const MonoObject *object)
{
	s->event[s->n++] = *ev;
	pvp_events(s->event, s->n, pools, address(object));
}

void pvp_mono_said(const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object)
{
	struct said s = { .n = 0 };
	say_class(&s, object);
	tell_said(&s, ev, pools, object);
}

void pvp_mono_said_contended(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object)
{
	struct said s = { .n = 0 };
	bool wanted = pvp_mono.options.groups & PVP_MANAGED_CLASS_OF;
	uint64_t holder = wanted ? pvp_mono_holder(object) : 0;
	uint64_t lock = wanted ? pvp_mono_lock(object) : 0;
	say_class(&s, object);
	if (holder)
		s.event[s.n++] = (struct pv_event){ .kind = PV_KIND_EXT_HOLDER,
			.holder = { address(object), holder } };
	if (lock)
		s.event[s.n++] = (struct pv_event){ .kind = PV_KIND_EXT_LOCK,
			.lock = { address(object), lock } };
	tell_said(&s, ev, pools, object);
}

/* --- messages */

static _Atomic(MonoClassField *) message_field;

static size_t put_unit(char *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
	static const uint8_t head[] = { 0, 0, 0xc0, 0xe0 };
	for (size_t i = n; i-- > 1; c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(head[n] | c);
	return n;
}

/* A single half of a surrogate pair is no character; the cut may leave one. */
static size_t to_utf8(const mono_unichar2 *from, uint32_t n, char to[TEXT])
{
	size_t len = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t c = from[i];
		if (c >= 0xd800 && c < 0xdc00 && i + 1 < n && (from[i + 1] & 0xfc00) == 0xdc00) {
			c = 0x10000 + ((c & 0x3ff) << 10) + (from[++i] & 0x3ffu);
			to[len++] = (char)(0xf0 | c >> 18);
			to[len++] = (char)(0x80 | (c >> 12 & 0x3f));
			to[len++] = (char)(0x80 | (c >> 6 & 0x3f));
			to[len++] = (char)(0x80 | (c & 0x3f));
			continue;
		}
		len += put_unit(to + len, (c & 0xf800) == 0xd800 ? 0xfffd : c ? c : ' ');
	}
	to[len] = 0;
	return len;
}

/* The field has had two names. */
static MonoClassField *field(void)
{
	MonoClassField *f = atomic_load_explicit(&message_field, memory_order_relaxed);
	if (f)
		return f;
	f = mono_class_get_field_from_name(mono_get_exception_class(), "_message");
	if (!f)
		f = mono_class_get_field_from_name(mono_get_exception_class(), "message");
	atomic_store_explicit(&message_field, f, memory_order_relaxed);
	return f;
}

static void say_message(struct said *s, MonoObject *object, char text[TEXT])
{
	MonoClassField *f = s->n && pvp_mono.options.groups & PVP_MANAGED_MESSAGES ? field() : NULL;
	MonoString *message = NULL;
	if (f)
		mono_field_get_value(object, f, &message);
	if (!message)
		return;
	int length = mono_string_length(message);
	uint32_t n = length < 0 ? 0 : length < MESSAGE ? (uint32_t)length : MESSAGE;
	size_t len = to_utf8(mono_string_chars(message), n, text);
	s->event[s->n++] = (struct pv_event){ .kind = PV_KIND_EXT_MESSAGE,
		.string = { address(object), length < 0 ? 0 : (uint64_t)length, { text, len } } };
}

void pvp_mono_said_thrown(
	const struct pv_event *ev, const struct pv_batch *pools, MonoObject *object)
{
	struct said s = { .n = 0 };
	char text[TEXT];
	say_class(&s, object);
	say_message(&s, object, text);
	tell_said(&s, ev, pools, object);
}
