/* SPDX-License-Identifier: MIT */
/*
 * The table of buffers: filled batch by batch, rows joined when full, reasons why it is unusable.
 */
#include "common/ingest/ground/buffers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pv_buffers *pv_buffers_create(void)
{
	struct pv_buffers *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->per_row = 1;
	b->limit = PV_BUFFERS_BYTES;
	return b;
}

void pv_buffers_finish(struct pv_buffers *b)
{
	for (size_t i = 0; i < b->thread.n; i++)
		pv_array_finish(&b->thread.v[i].node);
	pv_array_finish(&b->thread);
	pv_map_finish(&b->thread_at);
	pv_array_finish(&b->row);
	pv_array_finish(&b->change);
	pv_array_finish(&b->frame);
	pv_array_finish(&b->damage);
	pv_address_log_finish(&b->address_log);
}

void pv_buffers_destroy(struct pv_buffers *b)
{
	if (!b)
		return;
	pv_buffers_finish(b);
	free(b);
}

void pv_buffers_invalidate(struct pv_buffers *b, const char *why)
{
	if (b->unusable[0])
		return;
	pv_buffers_finish(b);
	snprintf(b->unusable, sizeof b->unusable, "%s", why);
}

#define COPY(to, from, array)                                                                      \
	(pv_reserve(&(to)->array, (from)->array.n + 1) &&                                          \
		((from)->array.n == 0 || memcpy((to)->array.v, (from)->array.v,                    \
						 (from)->array.n * sizeof *(from)->array.v)) &&    \
		((to)->array.n = (from)->array.n, true))

bool pv_buffers_copy(const struct pv_buffers *b, struct pv_buffers *ret)
{
	*ret = (struct pv_buffers){ .end = b->end,
		.per_row = b->per_row,
		.in_row = b->in_row,
		.format = b->format,
		.limit = b->limit };
	memcpy(ret->unusable, b->unusable, sizeof ret->unusable);
	if (COPY(ret, b, row) && COPY(ret, b, change) && COPY(ret, b, frame) &&
		COPY(ret, b, damage))
		return true;
	pv_buffers_finish(ret);
	return false;
}

/* --- contents of a batch */

enum { OTHERS = 1 << 30 }; /* has another thread's begin or end */

/*
 * Whether an event matters only at its own time: any other event makes its buffer part of every
 * range.
 */
static bool is_momentary(const struct pv_model *m, enum pv_kind kind)
{
	bool own_time = m->target.rules < 13 && !m->target.logging2007;
	switch (kind) {
	case PV_KIND_SAMPLE_HIT:
		return !own_time; /* else the time differs from that of the place in the buffer */
	case PV_KIND_EXT_WAITED:
	case PV_KIND_EXCEPTION_THROW:
	case PV_KIND_EXCEPTION_CLAUSE:
	case PV_KIND_GC_MOVE:
	case PV_KIND_JIT_HELPER:
	case PV_KIND_SYNC_POINT:
		return true;
	default:
		return false;
	}
}

static uint32_t flags_of(const struct pv_model *m, const struct pv_batch *batch)
{
	uint32_t flags = 0;
	for (size_t i = 0; batch->plain_events.n && i < batch->n && !flags; i++)
		if (pv_kind_is_plain(batch->kind[i]) && !is_momentary(m, batch->kind[i]))
			flags |= PV_BUFFER_STATE;
	for (size_t i = 0; i < batch->other_events.n; i++) {
		enum pv_kind kind = batch->other_events.v[i].kind;
		if (!is_momentary(m, kind))
			flags |= PV_BUFFER_STATE;
		bool of_thread = kind == PV_KIND_THREAD_START || kind == PV_KIND_THREAD_END;
		if (of_thread)
			flags |= PV_BUFFER_ALL;
		if (of_thread && batch->other_events.v[i].meta.key != batch->thread)
			flags |= OTHERS;
	}
	return flags;
}

static void note_times(struct pv_buffer_change *c, const struct pv_batch *batch)
{
	int64_t least = INT64_MAX, greatest = INT64_MIN;
	for (size_t i = 0; i < batch->n; i++) {
		int64_t t = (int64_t)batch->time[i];
		least = t < least ? t : least;
		if (batch->kind[i] == PV_BATCH_SEGMENT)
			t = batch->summary.segment.v[batch->key[i]].to_ns;
		greatest = t > greatest ? t : greatest;
	}
	c->min_ns = least;
	c->max_ns = greatest;
}

/* --- stacks */

static struct pv_buffer_thread *thread_of(struct pv_buffers *b, uint64_t id)
{
	uint32_t at = pv_map_get(&b->thread_at, id);
	if (at != PV_MAP_NONE)
		return &b->thread.v[at];
	at = (uint32_t)b->thread.n;
	if (!pv_reserve(&b->thread, 1) || !pv_map_set(&b->thread_at, id, at))
		return NULL;
	b->thread.v[b->thread.n++] = (struct pv_buffer_thread){ 0 };
	return &b->thread.v[at];
}

/* Number of equal outermost frames: equal nodes stand for equal paths. */
static size_t common(const struct pv_buffer_thread *t, const struct pv_thread_calls *s)
{
	size_t low = 0, high = t->node.n < s->stack.n ? t->node.n : s->stack.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (t->node.v[mid] == s->stack.v[mid].node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Adds the stack's frames above the unchanged ones to the change. False: out of memory. */
static bool note_stack(struct pv_buffers *b, const struct pv_model *m,
	const struct pv_thread_calls *s, struct pv_buffer_change *c)
{
	struct pv_buffer_thread *t = thread_of(b, c->thread);
	if (!t)
		return false;
	bool whole = ++t->since_whole >= PV_BUFFERS_WHOLE;
	size_t keep = whole ? 0 : common(t, s), more = s->stack.n - keep;
	t->node.n = keep;
	if (!pv_reserve(&t->node, more) || !pv_reserve(&b->frame, more))
		return false;
	t->since_whole = whole ? 0 : t->since_whole;
	c->keep = (uint32_t)keep;
	c->frames = (uint32_t)more;
	c->frame = b->frame.n;
	c->last_ns = s->last_ns;
	c->too_deep = s->too_deep;
	for (size_t i = keep; i < s->stack.n; i++) {
		uint32_t node = s->stack.v[i].node;
		t->node.v[t->node.n++] = node;
		b->frame.v[b->frame.n++] = m->calls.node.v[node].method;
	}
	return true;
}

/* Folding renumbered the nodes: no frame is known to be unchanged. */
static void forget_nodes(struct pv_buffers *b)
{
	for (size_t i = 0; i < b->thread.n; i++)
		b->thread.v[i].node.n = 0;
}

/* --- rows */

/* Joins two changes of one thread; the second, in `from`, came later. False: out of memory. */
static bool join_changes(struct pv_buffers *to, struct pv_buffer_change *a,
	const struct pv_buffer_change *b, const struct pv_buffers *from)
{
	size_t kept = b->keep > a->keep ? b->keep - a->keep : 0;
	if (kept > a->frames)
		kept = a->frames;
	if (!pv_reserve(&to->frame, kept + b->frames))
		return false;
	uint64_t at = to->frame.n;
	for (size_t i = 0; i < kept; i++)
		to->frame.v[to->frame.n++] = to->frame.v[a->frame + i];
	for (size_t i = 0; i < b->frames; i++)
		to->frame.v[to->frame.n++] = from->frame.v[b->frame + i];
	a->min_ns = b->min_ns < a->min_ns ? b->min_ns : a->min_ns;
	a->max_ns = b->max_ns > a->max_ns ? b->max_ns : a->max_ns;
	a->last_ns = b->last_ns;
	a->too_deep = b->too_deep;
	a->keep = b->keep < a->keep ? b->keep : a->keep;
	a->frames = (uint32_t)(kept + b->frames);
	a->frame = at;
	return true;
}

/* Adds a change whose frames are in `from` to the last row. False: out of memory. */
static bool add_change(
	struct pv_buffers *to, const struct pv_buffer_change *c, const struct pv_buffers *from)
{
	for (size_t i = to->row.v[to->row.n - 1].change; i < to->change.n; i++)
		if (to->change.v[i].thread == c->thread)
			return join_changes(to, &to->change.v[i], c, from);
	if (!pv_reserve(&to->change, 1) || !pv_reserve(&to->frame, c->frames))
		return false;
	struct pv_buffer_change own = *c;
	own.frame = to->frame.n;
	for (size_t i = 0; i < c->frames; i++)
		to->frame.v[to->frame.n++] = from->frame.v[c->frame + i];
	to->change.v[to->change.n++] = own;
	return true;
}

static bool add_buffer_row(struct pv_buffers *to, const struct pv_buffer_row *r)
{
	if (!pv_reserve(&to->row, 1))
		return false;
	struct pv_buffer_row own = *r;
	if (!(r->flags & PV_BUFFER_DAMAGE))
		own.change = (uint32_t)to->change.n;
	to->row.v[to->row.n++] = own;
	return true;
}

static size_t changes_end(const struct pv_buffers *b, size_t row)
{
	for (row++; row < b->row.n; row++)
		if (!(b->row.v[row].flags & PV_BUFFER_DAMAGE))
			return b->row.v[row].change;
	return b->change.n;
}

/* Moves row `i` into the last row of `to`, or appends it. */
static bool move_row(struct pv_buffers *to, const struct pv_buffers *from, size_t i, bool into)
{
	const struct pv_buffer_row *r = &from->row.v[i];
	if (!into && !add_buffer_row(to, r))
		return false;
	if (r->flags & PV_BUFFER_DAMAGE)
		return true;
	struct pv_buffer_row *last = &to->row.v[to->row.n - 1];
	last->flags |= r->flags;
	last->bytes = r->offset + r->bytes - last->offset;
	for (size_t c = r->change; c < changes_end(from, i); c++)
		if (!add_change(to, &from->change.v[c], from))
			return false;
	return true;
}

static void take_arrays(struct pv_buffers *b, struct pv_buffers *from)
{
	pv_array_finish(&b->row);
	pv_array_finish(&b->change);
	pv_array_finish(&b->frame);
	memcpy(&b->row, &from->row, sizeof b->row);
	memcpy(&b->change, &from->change, sizeof b->change);
	memcpy(&b->frame, &from->frame, sizeof b->frame);
}

/* Joins neighbouring rows in pairs. False: out of memory. */
static bool halve(struct pv_buffers *b)
{
	struct pv_buffers fresh = { 0 };
	bool open = false, ok = true;
	for (size_t i = 0; ok && i < b->row.n; i++) {
		bool damage = b->row.v[i].flags & PV_BUFFER_DAMAGE;
		bool into = open && !damage;
		ok = move_row(&fresh, b, i, into);
		open = !into && !damage;
	}
	if (!ok) {
		pv_buffers_finish(&fresh);
		return false;
	}
	take_arrays(b, &fresh);
	b->per_row *= 2;
	b->in_row = b->per_row; /* the next buffer begins a row */
	return true;
}

static size_t bytes_of(const struct pv_buffers *b)
{
	return b->row.n * sizeof *b->row.v + b->change.n * sizeof *b->change.v +
	       b->frame.n * sizeof *b->frame.v;
}

/* --- filling */

/*
 * Buffers decoded together share a row: their effect on a thread is known only after the last of
 * them.
 */
static bool is_in_run(struct pv_buffers *b, const struct pv_batch *batch)
{
	const struct pv_call_summary *d = &batch->summary;
	uint32_t run = d->run_n > 1 ? d->run : 0;
	bool same = run && run == b->run && b->row.n;
	b->run = run;
	return same && !(b->row.v[b->row.n - 1].flags & PV_BUFFER_DAMAGE);
}

static bool note_batch(struct pv_buffers *b, const struct pv_model *m, const struct pv_batch *batch)
{
	const struct pv_thread *th;
	uint32_t at = pv_map_get(&m->threads.newest, batch->thread);
	struct pv_buffer_change c = { .thread = batch->thread };
	struct pv_buffer_row r = { .offset = batch->offset,
		.bytes = MLPD_BUFFER_HEADER + batch->bytes_len,
		.flags = flags_of(m, batch) };
	bool more = batch->continues;
	if (at == PV_MAP_NONE)
		return true; /* a buffer without an event, of no thread */
	th = m->threads.thread.v[at];
	uint64_t epochs = m->threads.thread.n + m->threads.folded;
	if (epochs != b->epochs)
		r.flags |= PV_BUFFER_STATE | PV_BUFFER_ALL;
	b->epochs = epochs;
	if (m->calls.folds != b->folds)
		forget_nodes(b);
	b->folds = m->calls.folds;
	note_times(&c, batch);
	size_t frames = b->frame.n;
	bool own_row = !more && !is_in_run(b, batch) &&
		       (b->in_row >= b->per_row || b->row.n == 0 ||
			       b->row.v[b->row.n - 1].flags & PV_BUFFER_DAMAGE);
	if (own_row && !add_buffer_row(b, &r))
		return false;
	if (!note_stack(b, m, &th->stack, &c))
		return false;
	struct pv_buffer_row *last = &b->row.v[b->row.n - 1];
	last->flags |= r.flags;
	b->end = batch->continues ? b->end + batch->bytes_len : r.offset + r.bytes;
	last->bytes = b->end - last->offset;
	b->in_row = own_row ? 1 : b->in_row + !more;
	if (own_row) { /* its frames are already in place */
		if (!pv_reserve(&b->change, 1))
			return false;
		c.frame = frames;
		b->change.v[b->change.n++] = c;
		return true;
	}
	return add_change(b, &c, b);
}

static const char *objection(
	const struct pv_buffers *b, const struct pv_model *m, const struct pv_batch *batch)
{
	bool others = flags_of(m, batch) & OTHERS;
	bool asked = b->address_log.classes.n + b->address_log.moves.n != b->logged;
	if (batch->damaged)
		return "a buffer is damaged";
	if (b->address_log.full)
		return "more contended objects or throws than are kept";
	if (batch->continues && (b->row.n == 0 || b->row.v[b->row.n - 1].flags & PV_BUFFER_DAMAGE))
		return "a buffer begins in its middle";
	if (asked && batch->continues)
		return "objects are asked for in a very large buffer";
	if (m->names.epochs)
		return "keys were used again";
	if (batch->bytes_lost_before &&
		!(b->row.n && b->row.v[b->row.n - 1].flags & PV_BUFFER_DAMAGE))
		return "bytes are missing before a buffer";
	if (b->row.n == 0 && m->buffers > 1)
		return "the table does not begin with the log";
	if (others) /* such ends reach the model before their buffer does */
		return "threads tell of each other's ends";
	if (m->threads.other)
		return "more threads than are kept";
	return NULL;
}

void pv_buffers_note(struct pv_buffers *b, const struct mlpd_format *format,
	const struct pv_model *m, const struct pv_batch *batch)
{
	if (b->unusable[0])
		return;
	const char *why = objection(b, m, batch);
	if (b->row.n && memcmp(&b->format, format, sizeof *format) != 0)
		why = "the layout of events changes";
	b->format = *format;
	if (why) {
		pv_buffers_invalidate(b, why);
		return;
	}
	b->logged = b->address_log.classes.n + b->address_log.moves.n;
	bool ok = note_batch(b, m, batch);
	while (ok && bytes_of(b) > b->limit && b->row.n > 2)
		ok = halve(b);
	if (!ok)
		pv_buffers_invalidate(b, "out of memory");
}

void pv_buffers_damage(struct pv_buffers *b, uint64_t offset, uint64_t bytes, const char *reason)
{
	if (b->unusable[0])
		return;
	const struct pv_buffer_row r = { .offset = offset,
		.bytes = bytes,
		.flags = PV_BUFFER_DAMAGE,
		.change = (uint32_t)b->damage.n };
	if (offset < b->end) {
		pv_buffers_invalidate(b, "a buffer states a wrong length");
		return;
	}
	if (b->damage.n >= PV_DAMAGE_LIST || !pv_reserve(&b->damage, 1) || !add_buffer_row(b, &r)) {
		pv_buffers_invalidate(b, "too many damaged places");
		return;
	}
	struct pv_buffer_damage *d = &b->damage.v[b->damage.n++];
	*d = (struct pv_buffer_damage){ .offset = offset, .bytes = bytes };
	snprintf(d->reason, sizeof d->reason, "%s", reason);
	forget_nodes(b); /* every stack ends here */
}
