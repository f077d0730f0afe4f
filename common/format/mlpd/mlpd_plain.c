/* SPDX-License-Identifier: MIT */
/* Decodes a payload event by event, with loops of its own for calls and allocations. */
#include "common/format/mlpd/mlpd_plain.h"

#include <stdio.h>

#include "common/format/mlpd/mlpd_call.h"
#include "common/format/mlpd/mlpd_wide.h"

bool mlpd_push_next(struct pv_batch *b, const struct pv_event *e)
{
	uint64_t key = e->call.method;
	if (pv_kind_is_plain(e->kind)) {
		if (!pv_reserve(&b->plain_events, 1))
			return false;
		key = b->plain_events.n++;
		memcpy(&b->plain_events.v[key], e, PV_PLAIN_BYTES);
	} else if (e->kind > PV_KIND_METHOD_EXC_LEAVE) {
		key = b->other_events.n++;
	}
	mlpd_push(b, e->time, e->kind, key);
	return true;
}

static bool push_alloc(struct pv_batch *b, uint64_t time, const struct pv_alloc *a)
{
	if (!pv_batch_reserve(b, 1) || !pv_reserve(&b->allocs, 1))
		return false;
	b->allocs.v[b->allocs.n] = *a;
	mlpd_push(b, time, PV_KIND_ALLOC, b->allocs.n++);
	return true;
}

static bool push_event(struct pv_batch *b, const struct pv_event *e)
{
	const struct pv_alloc alloc = { e->alloc.type, e->alloc.object, e->alloc.size,
		e->alloc.stack };
	if (e->kind == PV_KIND_ALLOC)
		return push_alloc(b, e->time, &alloc);
	if (!pv_batch_reserve(b, 1))
		return false;
	return mlpd_push_next(b, e);
}

const bool mlpd_is_hot[256] = {
	[MLPD_ENTER] = true, [MLPD_LEAVE] = true, [MLPD_EXC_LEAVE] = true, [MLPD_ALLOC] = true
};

/* Kinds of the three call bytes, plus one; 0: not a call. */
static const uint8_t call_kind[256] = {
	[MLPD_ENTER] = PV_KIND_METHOD_ENTER + 1,
	[MLPD_LEAVE] = PV_KIND_METHOD_LEAVE + 1,
	[MLPD_EXC_LEAVE] = PV_KIND_METHOD_EXC_LEAVE + 1,
};

/*
 * Enter and leave events in a row; stops before any other event, or a cut one. The hot loop for
 * logs full of calls: everything lives in locals, since stores through uint8_t may alias any
 * structure.
 */
void mlpd_plain_calls(
	struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask)
{
	const uint8_t *p = c->at, *end = c->end;
	uint64_t now = bases->time, method = bases->method;
	uint64_t *restrict time = b->time + b->n, *restrict key = b->key + b->n;
	uint8_t *restrict kind = b->kind + b->n;
	size_t n = 0, room = b->room - b->n;
	while (p != end && n < room) {
		uint8_t k = call_kind[*p];
		if (k == 0)
			break;
		struct mlpd_call e = mlpd_get_call(p, end);
		if (!e.end)
			break;
		p = e.end;
		time[n] = now += e.time;
		method += e.method;
		key[n] = method & mask;
		kind[n] = (uint8_t)(k - 1);
		n++;
	}
	b->n += n;
	c->at = p;
	bases->time = now;
	bases->method = method;
}

void mlpd_note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why)
{
	size_t done = b->bytes.n - pv_cursor_left(c);
	b->damaged = true;
	b->damage_offset = b->offset + MLPD_BUFFER_HEADER + done;
	b->damage_bytes = pv_cursor_left(c);
	snprintf(b->damage_reason, sizeof b->damage_reason,
		why == MLPD_SHORT ? "event 0x%02x runs past the end of its buffer"
				  : "event 0x%02x cannot be decoded",
		c->at[0]);
}

/* Decodes the frequent events; stops before an event that needs its row. */
static bool decode_hot(
	struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask)
{
	const uint8_t *from;
	struct pv_alloc a;
	do {
		from = c->at;
		/* A call event is at least three bytes: room for all of them at once. */
		if (!pv_batch_reserve(b, pv_cursor_left(c) / 3 + 1))
			return false;
		mlpd_plain_calls(b, c, bases, mask);
		while (c->at != c->end && *c->at == MLPD_ALLOC &&
			mlpd_take_alloc(c, bases, mask, &a))
			if (!push_alloc(b, bases->time, &a))
				return false;
	} while (c->at != from && c->at != c->end);
	return true;
}

bool mlpd_decode_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used)
{
	struct pv_cursor all = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	struct mlpd_stack_seen seen[MLPD_STACKS] = { 0 };
	struct mlpd_decoder d;
	mlpd_decoder_begin(&d, &all, bases, f, b);
	d.seen = seen;
	while (d.c.at != d.c.end) {
		if (mlpd_is_hot[*d.c.at] && !decode_hot(b, &d.c, &d.b, d.mask))
			return false;
		if (d.c.at == d.c.end)
			break;
		if (mlpd_may_be_plain(&d) && mlpd_wide_run(&d) > 0)
			continue;
		const uint8_t *start = d.c.at;
		struct pv_event *e = mlpd_next_other(b, pv_cursor_left(&d.c));
		enum mlpd_status s = e ? mlpd_decode_next(&d, e) : MLPD_NOMEM;
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && partial)
			break;
		if (s != MLPD_OK) {
			mlpd_note_damage(b, &d.c, s);
			break;
		}
		e->offset = (uint32_t)(start - b->bytes.v);
		if (!push_event(b, e))
			return false;
	}
	*bases = d.b;
	*ret_used = (size_t)(d.c.at - b->bytes.v);
	return true;
}
