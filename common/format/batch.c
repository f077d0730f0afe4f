/* SPDX-License-Identifier: MIT */
/* Batches of decoded events: memory, adding and copying events, the states of the payload. */
#include "common/format/batch_event.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256 };

#define MOVE(to, from) (memcpy(to, from, sizeof *(from)), memset(from, 0, sizeof *(from)))

void pv_batch_forget_pack(struct pv_batch *b)
{
	b->n = b->room = 0;
	b->time = b->key = NULL;
	b->kind = NULL;
	b->pack = NULL;
#define FORGET(array) memset(&b->array, 0, sizeof b->array);
	PV_BATCH_PACKED(FORGET)
#undef FORGET
}

static void drop_pack(struct pv_batch *b)
{
	if (!b->pack)
		return;
	free(b->pack);
	pv_batch_forget_pack(b);
}

void pv_batch_again(struct pv_batch *b)
{
	drop_pack(b);
	b->n = b->allocs.n = b->other_events.n = b->plain_events.n = b->pool.n = b->descs.n =
		b->values.n = 0;
	b->frames.n = 0;
	b->continues = b->definitions_applied = b->bytes_lost_before = b->damaged = false;
	b->damage_offset = b->damage_bytes = b->alloc_period = 0;
	pv_call_summary_reset(&b->summary);
}

void pv_batch_reset(struct pv_batch *b)
{
	pv_batch_again(b);
	pv_batch_give_back(b);
}

void pv_batch_finish(struct pv_batch *b)
{
	pv_batch_give_back(b);
	drop_pack(b);
	free(b->time);
	free(b->kind);
	free(b->key);
	pv_array_finish(&b->allocs);
	pv_array_finish(&b->other_events);
	pv_array_finish(&b->plain_events);
	pv_array_finish(&b->pool);
	pv_array_finish(&b->frames);
	pv_array_finish(&b->descs);
	pv_array_finish(&b->values);
	pv_array_finish(&b->bytes);
	pv_call_summary_finish(&b->summary);
	*b = (struct pv_batch){ 0 };
}

void pv_batch_stack(const struct pv_batch *b, struct pv_span stack, uint64_t *ret)
{
	const struct pv_batch_frame *v = b->frames.v;
	uint32_t at = stack.at + 1;
	for (uint32_t i = stack.n; i-- > 0; at = v[at - 1].caller)
		ret[i] = v[at - 1].method;
}

bool pv_batch_reserve(struct pv_batch *b, size_t extra)
{
	if (b->room - b->n >= extra)
		return true;
	size_t room = b->room ? b->room * 2 : FIRST_ROOM;
	while (room - b->n < extra)
		room *= 2;
	uint64_t *time = realloc(b->time, room * sizeof *time);
	if (time)
		b->time = time;
	uint8_t *kind = realloc(b->kind, room * sizeof *kind);
	if (kind)
		b->kind = kind;
	uint64_t *key = realloc(b->key, room * sizeof *key);
	if (key)
		b->key = key;
	if (!time || !kind || !key)
		return false;
	b->room = room;
	return true;
}

void pv_batch_copy_event(const struct pv_batch *b, size_t i, struct pv_event *ret)
{
	const struct pv_event *e = pv_batch_event(b, i);
	if (!pv_kind_is_plain(b->kind[i])) {
		*ret = *e;
		return;
	}
	*ret = (struct pv_event){ 0 };
	memcpy(ret, e, PV_PLAIN_BYTES);
}

struct pv_event *pv_batch_add(struct pv_batch *b, uint8_t kind, uint64_t time_ns)
{
	bool plain = pv_kind_is_plain(kind);
	if (!pv_batch_reserve(b, 1) ||
		!(plain ? pv_reserve(&b->plain_events, 1) : pv_reserve(&b->other_events, 1)))
		return NULL;
	size_t at = plain ? b->plain_events.n++ : b->other_events.n++;
	struct pv_event *e = plain ? (void *)&b->plain_events.v[at] : &b->other_events.v[at];
	memset(e, 0, plain ? PV_PLAIN_BYTES : sizeof *e);
	e->time = time_ns;
	e->kind = kind;
	b->time[b->n] = time_ns;
	b->kind[b->n] = kind;
	b->key[b->n++] = at;
	return e;
}

bool pv_batch_put_event(struct pv_batch *b, const struct pv_event *e, uint64_t time_ns)
{
	struct pv_event *to = pv_batch_add(b, e->kind, time_ns);
	if (to)
		memcpy(to, e, pv_kind_is_plain(e->kind) ? PV_PLAIN_BYTES : sizeof *e);
	return to;
}

void pv_batch_give_back(struct pv_batch *b)
{
	if (b->block) {
		pv_block_drop(b->block);
		b->block = NULL;
		MOVE(&b->bytes, &b->owned_payload);
	}
	b->bytes.n = 0;
}

void pv_batch_borrow(struct pv_batch *b, struct pv_block *block, uint8_t *at, size_t n)
{
	pv_batch_give_back(b);
	MOVE(&b->owned_payload, &b->bytes);
	b->block = pv_block_hold(block);
	b->bytes.v = at;
	b->bytes.n = n;
	b->bytes.room = n;
}
