/* SPDX-License-Identifier: MIT */
/* Payloads of batches: borrowed from a block of the framer, or owned by the batch. */
#include <string.h>

#include "common/format/mlpd/mlpd.h"

#define MOVE(to, from) (memcpy(to, from, sizeof *(from)), memset(from, 0, sizeof *(from)))

_Static_assert(
	sizeof(((struct pv_batch *)0)->bytes) == sizeof(((struct pv_batch *)0)->owned_payload),
	"one takes the other's place");

/* Moves a text that points into the `n` bytes at `from` to the same place in the copy at `to`. */
static void move_text(struct pv_text *t, const uint8_t *from, size_t n, uint8_t *to)
{
	uintptr_t at = (uintptr_t)t->at - (uintptr_t)from;
	if (at < n)
		t->at = (const char *)to + at;
}

static void move_texts(struct pv_batch *b, const uint8_t *from, uint8_t *to)
{
	size_t n = b->bytes.n;
	for (size_t i = 0; i < b->other_events.n; i++) {
		struct pv_event *e = &b->other_events.v[i];
		for (const struct mlpd_field *f = mlpd_rows[e->row].field; f->type; f++)
			if (f->type == MLPD_CSTR || f->type == MLPD_HELPER_NAME)
				move_text((void *)((char *)e + f->member), from, n, to);
	}
	for (size_t i = 0; i < b->descs.n; i++) {
		move_text(&b->descs.v[i].section_name, from, n, to);
		move_text(&b->descs.v[i].name, from, n, to);
	}
	for (size_t i = 0; i < b->values.n; i++)
		move_text(&b->values.v[i].text, from, n, to);
}

bool pv_batch_own(struct pv_batch *b)
{
	size_t n = b->bytes.n;
	if (!b->block)
		return true;
	b->owned_payload.n = 0;
	if (!pv_reserve(&b->owned_payload, n + 1))
		return false;
	memcpy(b->owned_payload.v, b->bytes.v, n);
	move_texts(b, b->bytes.v, b->owned_payload.v);
	pv_batch_give_back(b);
	b->bytes.n = n;
	return true;
}
