#include "common/format/mlpd.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_ROOM = 4096, LEAVE = 0x13, ENTER = 0x23, EXC_LEAVE = 0x33 };

void pv_batch_reset(struct pv_batch *b)
{
	b->n = b->allocs.n = b->rare.n = b->pool.n = b->descs.n = b->values.n = b->bytes.n = 0;
	b->continues = b->gap_before = b->damaged = false;
	b->damage_offset = b->damage_bytes = 0;
}

void pv_batch_finish(struct pv_batch *b)
{
	free(b->time);
	free(b->kind);
	free(b->key);
	pv_array_finish(&b->allocs);
	pv_array_finish(&b->rare);
	pv_array_finish(&b->pool);
	pv_array_finish(&b->descs);
	pv_array_finish(&b->values);
	pv_array_finish(&b->bytes);
	*b = (struct pv_batch){ 0 };
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

static void push(struct pv_batch *b, uint64_t time, uint8_t kind, uint64_t key)
{
	b->time[b->n] = time;
	b->kind[b->n] = kind;
	b->key[b->n] = key;
	b->n++;
}

static bool push_rare(struct pv_batch *b, const struct pv_event *e)
{
	if (e->kind == PV_KIND_ALLOC) {
		if (!pv_reserve(&b->allocs, 1))
			return false;
		b->allocs.v[b->allocs.n] = (struct pv_alloc){ e->alloc.type, e->alloc.object,
			e->alloc.size, e->alloc.stack };
		push(b, e->time, e->kind, b->allocs.n++);
		return true;
	}
	if (!pv_reserve(&b->rare, 1))
		return false;
	b->rare.v[b->rare.n] = *e;
	push(b, e->time, e->kind, b->rare.n++);
	return true;
}

/* The kinds of the three call bytes, one more than the kind so that 0 means "none of them". */
static const uint8_t call_kind[256] = {
	[ENTER] = PV_KIND_METHOD_ENTER + 1,
	[LEAVE] = PV_KIND_METHOD_LEAVE + 1,
	[EXC_LEAVE] = PV_KIND_METHOD_EXC_LEAVE + 1,
};

/*
 * Enter and leave events in a row; stops before anything else, or an event that is cut. This is
 * where a call-heavy log is read: everything lives in locals, since stores through uint8_t may
 * alias any structure.
 */
static void decode_calls(struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases,
	uint64_t mask)
{
	struct pv_cursor at = *c;
	const uint8_t *done = c->at;
	uint64_t now = bases->time, method = bases->method;
	uint64_t *restrict time = b->time + b->n, *restrict key = b->key + b->n;
	uint8_t *restrict kind = b->kind + b->n;
	size_t n = 0, room = b->room - b->n;
	while (at.at != at.end && n < room) {
		uint8_t k = call_kind[*at.at];
		if (k == 0)
			break;
		at.at++;
		uint64_t t = now + pv_get_uleb(&at), m = method + (uint64_t)pv_get_sleb(&at);
		if (!pv_cursor_ok(&at))
			break;
		time[n] = now = t;
		method = m;
		key[n] = m & mask;
		kind[n] = (uint8_t)(k - 1);
		n++;
		done = at.at;
	}
	b->n += n;
	c->at = done;
	bases->time = now;
	bases->method = method;
}

static void note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why)
{
	size_t done = b->bytes.n - pv_cursor_left(c);
	b->damaged = true;
	b->damage_offset = b->offset + MLPD_BUFFER_HEADER + done;
	b->damage_bytes = pv_cursor_left(c);
	snprintf(b->damage_reason, sizeof b->damage_reason,
		why == MLPD_SHORT ? "event 0x%02x runs past the end of its buffer"
				  : "event 0x%02x cannot be decoded", c->at[0]);
}

bool mlpd_decode_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used)
{
	struct pv_cursor c = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	uint64_t mask = f->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
	while (c.at != c.end) {
		/* A call event is at least three bytes: room for all of them at once. */
		if (!pv_batch_reserve(b, pv_cursor_left(&c) / 3 + 1))
			return false;
		decode_calls(b, &c, bases, mask);
		if (c.at == c.end)
			break;
		struct pv_event e;
		const uint8_t *start = c.at;
		enum mlpd_status s = mlpd_decode(&c, bases, f, b, &e);
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && partial)
			break;
		if (s != MLPD_OK) {
			note_damage(b, &c, s);
			break;
		}
		e.offset = (uint32_t)(start - b->bytes.v);
		if (!push_rare(b, &e))
			return false;
	}
	*ret_used = (size_t)(c.at - b->bytes.v);
	return true;
}
