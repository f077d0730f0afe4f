/* SPDX-License-Identifier: MIT */
/*
 * Decodes a buffer with its calls summed up: allocations and other events close or leave segments.
 */
#include "common/calls/mlpd_summary.h"

#include <string.h>

#include "common/format/mlpd/mlpd_call.h"
#include "common/format/mlpd/mlpd_plain.h"
#include "common/format/mlpd/mlpd_wide.h"
#include "common/format/run_end.h"

/* The caller has made room for the entry. */
static bool push_alloc(struct mlpd_summary_builder *d, uint64_t time, const struct pv_alloc *a)
{
	struct pv_batch *b = d->batch;
	if (!mlpd_summary_alloc(d, (int64_t)time) || !mlpd_summary_number(d) ||
		!pv_reserve(&b->allocs, 1))
		return false;
	b->allocs.v[b->allocs.n] = *a;
	mlpd_push(b, time, PV_KIND_ALLOC, b->allocs.n++);
	return true;
}

enum apart {
	APART,   /* neither changes the open calls of a thread nor needs them */
	ASKS,    /* needs the open calls */
	CHANGES, /* may change the open calls */
};

static enum apart how_apart(enum pv_kind kind)
{
	switch (kind) {
	case PV_KIND_METHOD_JIT:
	case PV_KIND_CLASS_LOAD:
	case PV_KIND_VTABLE_LOAD:
	case PV_KIND_GC_MOVE:
	case PV_KIND_SAMPLE_HIT:
	case PV_KIND_EXT_WAITED:
	case PV_KIND_SAMPLE_SYMBOL:
		return APART;
	case PV_KIND_METHOD_ENTER:
	case PV_KIND_METHOD_LEAVE:
	case PV_KIND_METHOD_EXC_LEAVE:
	case PV_KIND_THREAD_START:
	case PV_KIND_THREAD_END:
	case PV_KIND_COUNTERS_SAMPLE: /* losses */
		return CHANGES;
	default:
		return ASKS;
	}
}

/*
 * True if a key may mean something else from here on: open calls keep their keys' former meaning,
 * so no segment may go over such an event.
 */
static bool redefines(struct mlpd_summary_builder *d, const struct pv_event *e)
{
	bool other = pv_is_unload(e) && !(d->described && d->described->over);
	if (pv_is_description(e))
		other = !d->described || pv_described_changes(d->described, e);
	d->redefined |= other;
	return other;
}

/* Closes or leaves the segment before the event goes to the batch's arrays. */
static bool make_way(struct mlpd_summary_builder *d, const struct pv_event *e)
{
	if (!mlpd_summary_pass(d, (int64_t)e->time))
		return false;
	if (redefines(d, e))
		return mlpd_summary_leave(d);
	switch (how_apart(e->kind)) {
	case APART:
		return true;
	case ASKS:
		return mlpd_summary_close(d);
	case CHANGES:
		break;
	}
	return mlpd_summary_leave(d);
}

static bool push_event(struct mlpd_summary_builder *d, const struct pv_event *e)
{
	struct pv_batch *b = d->batch;
	const struct pv_alloc alloc = { e->alloc.type, e->alloc.object, e->alloc.size,
		e->alloc.stack };
	if (e->kind == PV_KIND_ALLOC)
		return push_alloc(d, e->time, &alloc);
	bool on_its_own = !d->within && !d->ends && pv_kind_is_plain(e->kind);
	if ((!on_its_own && !make_way(d, e)) || !mlpd_summary_number(d))
		return false;
	/* The thread and methods of the calls after it are known when the event is applied. */
	if (e->kind == PV_KIND_THREAD_START || e->kind == PV_KIND_THREAD_END || d->redefined) {
		d->on = false;
		d->over = true;
	}
	return mlpd_push_next(b, e);
}

/* Decodes allocations without backtraces, up to any other event. */
static bool decode_allocs(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask)
{
	struct pv_alloc a;
	while (c->at != c->end && *c->at == MLPD_ALLOC && mlpd_take_alloc(c, bases, mask, &a))
		if (!pv_batch_reserve(d->batch, 1) || !push_alloc(d, bases->time, &a))
			return false;
	return true;
}

/* Decodes frequent events; stops before an event that needs the decoder of its row. */
static bool decode_hot(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask)
{
	struct pv_batch *b = d->batch;
	const uint8_t *from;
	do {
		from = c->at;
		if (d->on && !mlpd_summary_calls(d, c, bases, mask))
			return false;
		if (!d->on) {
			/*
			 * A call event is at least three bytes: reserves for all of them at once.
			 */
			if (!mlpd_summary_leave(d) ||
				!pv_batch_reserve(b, pv_cursor_left(c) / 3 + 1))
				return false;
			mlpd_plain_calls(b, c, bases, mask);
		}
		if (!decode_allocs(d, c, bases, mask))
			return false;
	} while (c->at != from && c->at != c->end);
	return true;
}

static bool decode_all(struct mlpd_summary_builder *d, struct mlpd_decoder *p, bool partial)
{
	struct pv_batch *b = d->batch;
	while (p->c.at != p->c.end) {
		if (mlpd_is_hot[*p->c.at] && !decode_hot(d, &p->c, &p->b, p->mask))
			return false;
		if (p->c.at == p->c.end)
			break;
		bool plain_next = !d->within && !d->ends && mlpd_may_be_plain(p);
		size_t plain = plain_next ? mlpd_wide_run(p) : 0;
		if (plain && !mlpd_summary_numbers(d, plain))
			return false;
		if (plain)
			continue;
		const uint8_t *start = p->c.at;
		struct pv_event *e = mlpd_next_other(b, pv_cursor_left(&p->c));
		enum mlpd_status s = e ? mlpd_decode_next(p, e) : MLPD_NOMEM;
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && partial)
			break;
		if (s != MLPD_OK) {
			mlpd_note_damage(b, &p->c, s);
			return mlpd_summary_leave(d);
		}
		e->offset = (uint32_t)(start - b->bytes.v);
		if (!pv_batch_reserve(b, 1) || !push_event(d, e))
			return false;
	}
	return true;
}

bool mlpd_summary_decode(struct mlpd_summary_builder *d, struct mlpd_bases *bases,
	const struct mlpd_format *f, bool partial, size_t *ret_used)
{
	struct pv_batch *b = d->batch;
	struct pv_cursor all = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	struct mlpd_stack_seen seen[MLPD_STACKS] = { 0 };
	struct mlpd_decoder p;
	b->summary.partial = partial;
	memcpy(b->summary.base, bases, sizeof b->summary.base);
	memcpy(b->summary.format, f, sizeof b->summary.format);
	mlpd_decoder_begin(&p, &all, bases, f, b);
	p.seen = seen;
	p.counts_refs = b->summary.wanted; /* the model needs no more */
	if (!decode_all(d, &p, partial))
		return false;
	*bases = p.b;
	*ret_used = (size_t)(p.c.at - b->bytes.v);
	return true;
}

bool mlpd_summarise_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used)
{
	struct mlpd_tree tree = { 0 };
	struct mlpd_summary_builder d = { .stream = PV_STREAM_SINGLE_BUFFER };
	mlpd_summary_begin(&d, &tree, b);
	bool ok = mlpd_summary_decode(&d, bases, f, partial, ret_used) && mlpd_summary_close(&d);
	mlpd_tree_finish(&tree);
	return ok;
}

_Static_assert(
	sizeof(((struct pv_call_summary *)0)->base) == sizeof(struct mlpd_bases), "kept as it is");
_Static_assert(
	sizeof(((struct pv_call_summary *)0)->format) == sizeof(struct mlpd_format), "likewise");

bool mlpd_decode_plain(struct pv_batch *b)
{
	const struct pv_batch before = *b;
	struct mlpd_bases bases;
	struct mlpd_format format;
	size_t used;
	if (!b->summary.wanted)
		return true;
	memcpy(&bases, b->summary.base, sizeof bases);
	memcpy(&format, b->summary.format, sizeof format);
	pv_batch_again(b);
	b->continues = before.continues;
	b->definitions_applied = before.definitions_applied;
	b->bytes_lost_before = before.bytes_lost_before;
	bool ok = mlpd_decode_batch(b, &bases, &format, before.summary.partial, &used);
	/* The caller may know more about damage by now. */
	b->damaged = before.damaged;
	b->damage_offset = before.damage_offset;
	b->damage_bytes = before.damage_bytes;
	memcpy(b->damage_reason, before.damage_reason, sizeof b->damage_reason);
	return ok;
}
