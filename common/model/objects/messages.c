/* SPDX-License-Identifier: MIT */
/* Keeps the newest message of each class of exceptions, cut to a fixed size. */
#include "common/model/objects/messages.h"

#include <string.h>

/* Length of the text in UTF-16 units, as logs count. */
static uint64_t units_of(struct pv_text t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t.len; i++) {
		unsigned char c = (unsigned char)t.at[i];
		n += (c & 0xc0) != 0x80;
		n += c >= 0xf0;
	}
	return n;
}

/* At most `room` bytes, not ending inside a character. */
static size_t fitting(struct pv_text t, size_t room)
{
	if (t.len <= room)
		return t.len;
	size_t n = room;
	while (n > 0 && room - n < 4 && ((unsigned char)t.at[n] & 0xc0) == 0x80)
		n--;
	return n;
}

bool pv_messages_add(struct pv_messages *m, uint32_t class_use, int64_t time_ns,
	struct pv_text text, uint64_t length)
{
	uint32_t at = pv_map_get(&m->of, class_use);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)m->one.n;
		if (m->one.n >= PV_MESSAGES_MOST)
			return true;
		if (!pv_reserve(&m->one, 1) || !pv_map_set(&m->of, class_use, at))
			return false;
		m->one.v[m->one.n++] = (struct pv_message){ .time_ns = time_ns };
	}
	struct pv_message *x = &m->one.v[at];
	if (time_ns < x->time_ns)
		return true;
	size_t n = fitting(text, PV_MESSAGE_BYTES - 1);
	memset(x, 0, sizeof *x);
	x->time_ns = time_ns;
	x->class_use = class_use;
	x->cut = n < text.len || units_of(text) < length;
	memcpy(x->text, text.at, n);
	return true;
}

void pv_messages_finish(struct pv_messages *m)
{
	pv_array_finish(&m->one);
	pv_map_finish(&m->of);
}
