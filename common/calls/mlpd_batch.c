#include "common/calls/mlpd_summary.h"

#include <string.h>

#include "common/format/mlpd/mlpd_call.h"
#include "common/format/mlpd/mlpd_plain.h"
#include "common/format/run_end.h"

/* There is room for its entry. */
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
	APART,   /* neither changes what a thread has open nor asks for it */
	ASKS,    /* asks for it */
	CHANGES, /* may change it */
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
 * A key may mean something else from here on: calls that are open keep what theirs meant, so nothing
 * is summed up over it.
 */
static bool redefines(struct mlpd_summary_builder *d, const struct pv_event *e)
{
	bool other = pv_is_unload(e) && !(d->described && d->described->over);
	if (pv_is_description(e))
		other = !d->described || pv_described_changes(d->described, e);
	d->redefined |= other;
	return other;
}

/* Before the event goes to the batch's arrays. */
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
	if (!make_way(d, e) || !mlpd_summary_number(d))
		return false;
	/* The thread and methods of the calls that follow are known when the event is applied. */
	if (e->kind == PV_KIND_THREAD_START || e->kind == PV_KIND_THREAD_END || d->redefined) {
		d->on = false;
		d->over = true;
	}
	mlpd_push_next(b, e);
	return true;
}

/* Allocations without backtraces, up to anything else. */
static bool decode_allocs(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask)
{
	struct pv_alloc a;
	while (c->at != c->end && *c->at == MLPD_ALLOC && mlpd_take_alloc(c, bases, mask, &a))
		if (!pv_batch_reserve(d->batch, 1) || !push_alloc(d, bases->time, &a))
			return false;
	return true;
}

/* Decodes frequent events; stops before one that needs the decoder of its row. */
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
			/* A call event is at least three bytes: room for all of them at once. */
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

static bool decode_all(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, const struct mlpd_format *f, bool partial)
{
	struct pv_batch *b = d->batch;
	uint64_t mask = f->pointer_size == 4 ? UINT32_MAX : UINT64_MAX;
	while (c->at != c->end) {
		if (mlpd_is_hot[*c->at] && !decode_hot(d, c, bases, mask))
			return false;
		if (c->at == c->end)
			break;
		const uint8_t *start = c->at;
		struct pv_event *e = mlpd_next_other(b, pv_cursor_left(c));
		enum mlpd_status s = e ? mlpd_decode(c, bases, f, b, e) : MLPD_NOMEM;
		if (s == MLPD_NOMEM)
			return false;
		if (s == MLPD_SHORT && partial)
			break;
		if (s != MLPD_OK) {
			mlpd_note_damage(b, c, s);
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
	struct pv_cursor c = { .at = b->bytes.v, .end = b->bytes.v + b->bytes.n };
	b->summary.partial = partial;
	memcpy(b->summary.base, bases, sizeof b->summary.base);
	memcpy(b->summary.format, f, sizeof b->summary.format);
	if (!decode_all(d, &c, bases, f, partial))
		return false;
	*ret_used = (size_t)(c.at - b->bytes.v);
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
