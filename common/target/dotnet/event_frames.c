/* SPDX-License-Identifier: MIT */
/*
 * Finds where objects and blocks of a .nettrace stream begin, for our own events to be put between.
 */
#include "common/target/dotnet/event_frames.h"

#include <string.h>

#include "common/base/cursor.h"

enum {
	PREAMBLE = 32,
	TYPE = 3 + 3 * 4, /* of an object's type, before its name */
	NAME = 32,
	TRACE = 48,
	TAG_NULL = 1
};

void pv_event_frames_begin(struct pv_event_frames *f)
{
	*f = (struct pv_event_frames){ .skip = PREAMBLE };
}

/* Takes what the head at hand says, once it is whole; false: it needs more bytes. */
static bool take_head(struct pv_event_frames *f)
{
	static const uint8_t begin[] = { 5, 5, 1 };
	static const char trace[] = "Trace";
	if (memcmp(f->head, begin, f->n < sizeof begin ? f->n : sizeof begin) != 0) {
		f->closed = true; /* that of the end, too */
		return true;
	}
	if (f->n < TYPE)
		return false;
	struct pv_cursor c = { .at = f->head + TYPE - 4, .end = f->head + f->n };
	uint32_t len = pv_get_u32(&c);
	if (len == 0 || len > NAME) {
		f->closed = true;
		return true;
	}
	bool sized = len != sizeof trace - 1 || f->n < TYPE + len ||
		     memcmp(f->head + TYPE, trace, len) != 0;
	if (f->n < TYPE + len + 1 + (sized ? 4 : 0))
		return false;
	c.at += len + 1;
	f->skip = (sized ? pv_get_u32(&c) + (4 - f->at % 4) % 4 : TRACE) + 1;
	f->begun |= !sized;
	f->n = 0;
	return true;
}

bool pv_event_frames_pass(struct pv_event_frames *f, const uint8_t *bytes, size_t n,
	size_t *ret_before, uint64_t *ret_offset)
{
	bool found = false;
	for (size_t i = 0; !f->closed;) {
		if (f->begun && f->skip == 0 && f->n == 0 && !found) {
			found = true;
			*ret_before = i;
			*ret_offset = f->at;
		}
		if (i == n)
			break;
		size_t some = f->skip < n - i ? (size_t)f->skip : n - i;
		f->skip -= some;
		f->at += some;
		i += some;
		if (some || i == n)
			continue;
		f->head[f->n++] = bytes[i++];
		f->at++;
		take_head(f);
	}
	return found;
}
