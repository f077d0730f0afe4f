/* SPDX-License-Identifier: MIT */
/*
 * Applies batches to the model. The loop over a batch's arrays is the hottest code of the program:
 * the usual enter and leave touch the thread's stack, one or two tree nodes, and nothing else.
 */
#include <string.h>
#include <time.h>

#include "common/format/batch_event.h"
#include "common/model/apply_event.h"
#include "common/model/objects/allocs_parts.h"
#include "common/model/time/buckets_parts.h"
#include "common/model/objects/classes_fold.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/ground/inside.h"
#include "common/model/ground/model_parts.h"
#include "common/model/names/early_definitions.h"
#include "common/model/calls/own_time.h"
#include "common/model/objects/address_log_parts.h"
#include "common/model/time/window_parts.h"

enum { CHUNK = 4096 };

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* --- the loop */

/* Counts since the last change of cell. */
struct tally {
	uint64_t enters, leaves, exc_leaves, allocs, other_events;
	uint64_t objects, bytes; /* represented by the allocations */
	uint64_t outside;        /* not counted: outside the restriction */
	int64_t time;            /* any within the cell */
};

/* Adds the thread's figures of this cell to the time buckets. False: out of memory. */
static bool tell_buckets(struct pv_context *x, const struct tally *t)
{
	struct pv_thread *th = x->thread;
	struct pv_thread_calls *s = &th->stack;
	const struct pv_bucket_entry calls = { PV_BUCKET_THREAD, th->index, t->enters,
		s->last_ns - s->bucketed_ns };
	const struct pv_bucket_entry bytes = { PV_BUCKET_THREAD_BYTES, th->index, t->objects,
		(int64_t)t->bytes };
	bool ok = (!calls.count && !calls.amount) || pv_buckets_add(x->m, t->time, &calls);
	s->bucketed_ns = s->last_ns;
	return (!bytes.count || pv_buckets_add(x->m, t->time, &bytes)) && ok;
}

static bool put_away(struct pv_context *x, struct tally *t)
{
	struct pv_model *m = x->m;
	uint64_t hot = t->enters + t->leaves + t->exc_leaves + t->allocs;
	if (hot) {
		pv_timeline_add(&m->timeline, PV_TRACK_EVENTS, t->time, hot);
		pv_timeline_add(&m->timeline, PV_TRACK_CALLS, t->time, t->enters);
		pv_timeline_add(&m->timeline, PV_TRACK_ALLOC_BYTES, t->time, t->bytes);
	}
	m->kinds[PV_KIND_METHOD_ENTER] += t->enters;
	m->kinds[PV_KIND_METHOD_LEAVE] += t->leaves;
	m->kinds[PV_KIND_METHOD_EXC_LEAVE] += t->exc_leaves;
	m->kinds[PV_KIND_ALLOC] += t->allocs;
	m->calls.calls += t->enters;
	x->thread->calls += t->enters;
	x->thread->events += hot + t->other_events;
	m->events += hot + t->other_events;
	bool ok = tell_buckets(x, t);
	*t = (struct tally){ .time = t->time };
	return ok;
}

/* Changes to a time in another cell of the window or the timeline. */
static bool change_cell(struct pv_context *x, struct tally *t, int64_t time)
{
	struct pv_model_private *p = x->m->private;
	int64_t from, to, window_from, window_to;
	bool ok = put_away(x, t);
	t->time = time;
	ok &= pv_window_enter(x->m, x->thread, time, &window_from, &window_to);
	pv_timeline_cell(&x->m->timeline, time, &from, &to);
	from = from < window_from ? window_from : from;
	to = to > window_to ? window_to : to;
	p->slice_from = from;
	p->slice_width = (uint64_t)to - (uint64_t)from;
	return ok;
}

struct call {
	uint64_t key;
	int64_t time;
};

/* Copies for the loop, kept in registers between calls that may change the originals. */
struct hot {
	struct pv_tree_node *node;
	struct pv_frame *frame;
	size_t depth, room;
	int64_t last; /* self time is paid up to here */
	uint64_t deep;
	int64_t oldest; /* least event time of the events at hand, and ... */
	int64_t newest; /* ... greatest of the thread */
};

static ALWAYS_INLINE void save(const struct hot *h, struct pv_thread *th)
{
	th->stack.stack.n = h->depth;
	th->stack.last_ns = h->last;
	th->stack.too_deep = h->deep;
	th->last_ns = h->newest;
}

static ALWAYS_INLINE void load_hot(
	struct hot *h, const struct pv_model *m, const struct pv_thread *th)
{
	h->node = m->calls.node.v;
	h->frame = th->stack.stack.v;
	h->depth = th->stack.stack.n;
	h->room = th->stack.stack.room;
	h->last = th->stack.last_ns;
	h->deep = th->stack.too_deep;
}

static ALWAYS_INLINE void touch(struct pv_context *x, const struct hot *h, uint32_t node)
{
	if (!h->node[node].cell)
		pv_window_touch_node(x->m, node);
}

/*
 * An enter whose node is not the child entered last, or whose frame has no room. The top frame is
 * paid. False when out of memory.
 */
static bool enter_slowly(struct pv_context *x, uint64_t key)
{
	struct pv_model *m = x->m;
	struct pv_thread_calls *s = &x->thread->stack;
	uint32_t parent = s->stack.n ? s->stack.v[s->stack.n - 1].node : 0;
	if (s->too_deep || s->stack.n >= PV_STACK_DEPTH) {
		s->too_deep++;
		return true;
	}
	m->private->use_ns = x->time;
	uint32_t child = pv_calls_child(m, parent, key, 0);
	if (child == PV_MAP_NONE || !pv_reserve(&s->stack, 1))
		return false;
	if (child == 0) {
		s->too_deep++;
		return true;
	}
	pv_window_touch(m, child);
	m->calls.node.v[child].calls += x->counts;
	s->stack.v[s->stack.n++] = (struct pv_frame){ child, x->time };
	return true;
}

static ALWAYS_INLINE bool enter_usual(
	struct pv_context *x, struct hot *h, struct call c, const bool limited)
{
	uint32_t parent = h->depth ? h->frame[h->depth - 1].node : 0;
	struct pv_tree_node *n = &h->node[parent];
	if (h->depth) {
		touch(x, h, parent);
		n->self_ns +=
			limited ? pv_clipped(x->m, x->thread, h->last, c.time) : c.time - h->last;
	} else {
		x->thread->stack.bucketed_ns += c.time - h->last;
	}
	h->last = c.time;
	uint32_t child = n->recent;
	if (child == 0 || h->node[child].key != c.key || h->depth == h->room || h->deep ||
		h->depth >= PV_STACK_DEPTH) {
		save(h, x->thread);
		x->time = c.time;
		bool ok = enter_slowly(x, c.key);
		load_hot(h, x->m, x->thread);
		return ok;
	}
	touch(x, h, child);
	h->node[child].calls += limited ? x->counts : 1;
	h->frame[h->depth++] = (struct pv_frame){ child, c.time };
	return true;
}

/* Key of the overflow method, if this key was counted there; else the key itself. */
static uint64_t key_left(struct pv_context *x, uint64_t key)
{
	const struct pv_names *n = &x->m->names;
	x->m->private->use_ns = x->time;
	if (!n->other_method || pv_model_method(x->m, key) != n->other_method)
		return key;
	return n->method.v[n->other_method].key;
}

static ALWAYS_INLINE void leave_usual(struct pv_context *x, struct hot *h, struct call c,
	const bool limited, const bool exceptional)
{
	uint32_t top = h->depth ? h->frame[h->depth - 1].node : 0;
	struct pv_tree_node *n = &h->node[top];
	if (top == 0 || n->key != c.key || h->deep) {
		save(h, x->thread);
		x->time = c.time;
		pv_calls_leave(x, key_left(x, c.key), exceptional);
		load_hot(h, x->m, x->thread);
		return;
	}
	int64_t entered = h->frame[--h->depth].enter_ns;
	int64_t ns = limited ? pv_clipped(x->m, x->thread, entered, c.time) : c.time - entered;
	touch(x, h, top);
	n->self_ns += limited ? pv_clipped(x->m, x->thread, h->last, c.time) : c.time - h->last;
	n->total_ns += ns;
	if (ns > n->max_ns)
		n->max_ns = ns;
	if (exceptional)
		n->exc_leaves += limited ? x->counts : 1;
	h->last = c.time;
}

/* Applies allocations in a row, from event *at on; *at becomes the last of them. */
static bool allocate(struct pv_context *x, struct tally *t, struct hot *h, size_t *at, size_t end)
{
	struct pv_alloc_run r;
	save(h, x->thread);
	bool ok = pv_allocs_run(x, at, end, &r);
	--*at;
	t->allocs += r.n;
	t->objects += r.objects;
	t->bytes += r.bytes;
	if (r.newest > h->newest)
		h->newest = r.newest;
	if (r.oldest < h->oldest)
		h->oldest = r.oldest;
	return ok;
}

/* Applies calls summed up, counted by cell. `h` is saved before and loaded after. */
static bool segment(struct pv_context *x, struct tally *t, size_t i, int64_t *newest)
{
	const struct pv_call_summary *d = &x->batch->summary;
	const struct pv_segment *s = &d->segment.v[x->batch->key[i]];
	const struct pv_model_private *p = x->m->private;
	bool ok = pv_segment_begin(x, s);
	for (uint32_t k = 0; k < s->counts; k++) {
		const struct pv_summary_count *c = &d->count.v[s->count + k];
		if ((uint64_t)c->time_ns - (uint64_t)p->slice_from >= p->slice_width)
			ok &= change_cell(x, t, c->time_ns);
		t->enters += c->enters;
		t->leaves += c->leaves;
		t->exc_leaves += c->exc_leaves;
	}
	if (s->to_ns > *newest)
		*newest = s->to_ns;
	return ok && pv_segment_apply(x, s);
}

/* The thread's epoch may be over: then the loop must start anew after event i. */
static bool rare_event(struct pv_context *x, struct tally *tally, size_t i, bool *ret_stop)
{
	const struct pv_event *e = pv_batch_event(x->batch, i);
	struct pv_model *m = x->m;
	x->time = (int64_t)e->time;
	if (m->target.rules < 13 && !m->target.logging2007)
		x->time = pv_own_time(e, m->target.rules, m->zero_ns);
	x->place = x->batch->offset + pv_batch_number(x->batch, i);
	if (m->last_ns != PV_NEVER && x->time > m->last_ns)
		m->last_ns = x->time;
	bool sample = e->kind == PV_KIND_SAMPLE_HIT || e->kind == PV_KIND_EXT_WAITED;
	x->counts = sample ? pv_samples_count(x, e) : pv_counts_at(m, x->thread, x->time);
	if (x->counts) {
		m->kinds[e->kind]++;
		tally->other_events++;
		pv_timeline_add(&m->timeline, PV_TRACK_EVENTS, x->time, 1);
	}
	*ret_stop = e->kind == PV_KIND_THREAD_END;
	return pv_apply_event(x, e);
}

/* Applies plain events in a row, as allocate(); without a row only the first event. */
static bool apply_plain(
	struct pv_context *x, struct tally *t, struct hot *h, size_t *at, size_t end)
{
	struct pv_plain_run r;
	bool stop, ok = pv_plain_run(x, at, end, &r);
	if (r.n == 0)
		return ok && rare_event(x, t, *at, &stop);
	--*at;
	t->other_events += r.n;
	if (r.newest > h->newest)
		h->newest = r.newest;
	if (r.oldest < h->oldest)
		h->oldest = r.oldest;
	return ok;
}

static inline void note_times(struct pv_context *x, int64_t oldest, int64_t newest)
{
	struct pv_model *m = x->m;
	struct pv_thread *th = x->thread;
	th->last_ns = newest;
	if (th->first_ns == PV_NEVER || oldest < th->first_ns)
		th->first_ns = oldest;
	if (m->first_ns == PV_NEVER || oldest < m->first_ns)
		m->first_ns = oldest;
	if (m->last_ns == PV_NEVER || newest > m->last_ns)
		m->last_ns = newest;
}

/* Applies events *at .. end - 1, less when an epoch begins or ends there. False: out of memory. */
static ALWAYS_INLINE bool run_events(
	struct pv_context *x, size_t *at, size_t end, const bool limited)
{
	const uint64_t *time = x->batch->time, *key = x->batch->key;
	const uint8_t *kinds = x->batch->kind;
	struct pv_model *m = x->m;
	struct pv_model_private *p = m->private;
	struct pv_thread *th = x->thread;
	struct tally tally = { 0 };
	struct hot h = { .newest = th->last_ns == PV_NEVER ? INT64_MIN : th->last_ns,
		.oldest = INT64_MAX };
	size_t i = *at;
	bool ok = true, stop = false;
	load_hot(&h, m, th);
	p->slice_width = 0; /* the first event finds its cell, and pays for the time between */
	for (; ok && !stop && i < end; i++) {
		int64_t t = (int64_t)time[i];
		unsigned kind = kinds[i];
		bool hot = kind <= PV_KIND_METHOD_EXC_LEAVE;
		if (hot && (uint64_t)t - (uint64_t)p->slice_from >= p->slice_width) {
			save(&h, th);
			ok = change_cell(x, &tally, t);
			load_hot(&h, m, th);
		}
		if (limited && hot) {
			x->counts = pv_counts_at(m, th, t);
			if (!th->selected && kind != PV_KIND_ALLOC)
				kind = PV_KIND_COUNT;
		}
		switch (kind) {
		case PV_KIND_METHOD_ENTER:
			tally.enters += limited ? x->counts : 1;
			ok &= enter_usual(x, &h, (struct call){ key[i], t }, limited);
			break;
		case PV_KIND_METHOD_LEAVE:
			tally.leaves += limited ? x->counts : 1;
			leave_usual(x, &h, (struct call){ key[i], t }, limited, false);
			break;
		case PV_KIND_METHOD_EXC_LEAVE:
			tally.exc_leaves += limited ? x->counts : 1;
			leave_usual(x, &h, (struct call){ key[i], t }, limited, true);
			break;
		case PV_KIND_ALLOC:
			ok &= allocate(x, &tally, &h, &i, limited ? i + 1 : end);
			break;
		case PV_KIND_COUNT:
			break;
		case PV_BATCH_SEGMENT:
			save(&h, th);
			ok &= segment(x, &tally, i, &h.newest);
			load_hot(&h, m, th);
			break;
		case PV_KIND_THREAD_START:
			if (i > *at) { /* perhaps of this thread: counts for its new epoch */
				end = i--;
				continue;
			}
			/* fall through */
		default:
			save(&h, th);
			if (!limited && pv_kind_is_plain(kind))
				ok &= apply_plain(x, &tally, &h, &i, end);
			else
				ok &= rare_event(x, &tally, i, &stop);
			load_hot(&h, m, th);
			x->counts = true;
		}
		if (t > h.newest)
			h.newest = t;
		if (t < h.oldest)
			h.oldest = t;
	}
	save(&h, th);
	ok &= put_away(x, &tally);
	if (i > *at)
		note_times(x, h.oldest, h.newest);
	*at = i;
	return ok;
}

static bool run_all(struct pv_context *x, size_t *at, size_t end)
{
	return run_events(x, at, end, false);
}

static bool run_limited(struct pv_context *x, size_t *at, size_t end)
{
	return run_events(x, at, end, true);
}

/* --- batches */

static int64_t clock_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Once the epoch has ended, events after its end are of the next epoch. */
static size_t epoch_end(const struct pv_batch *b, const struct pv_thread *th, size_t at, size_t end)
{
	if (th->end_ns == PV_NEVER)
		return end;
	while (at < end && (int64_t)b->time[at] <= th->end_ns)
		at++;
	return at;
}

/* A start of the buffer's own thread counts for the epoch opened by the start. */
static bool start_epoch(struct pv_model *m, const struct pv_batch *b, size_t at)
{
	if (b->kind[at] != PV_KIND_THREAD_START)
		return true;
	const struct pv_event *e = pv_batch_event(b, at);
	return e->meta.key != b->thread || pv_threads_apply(m, e);
}

static void begin_batch(struct pv_model *m, const struct pv_batch *b)
{
	pv_segments_next_batch(&m->private->segments, b);
	pv_model_forget_frames(m);
	pv_model_time_base(m, (int64_t)b->time_base);
	pv_gc_exit_until(m, (int64_t)b->time_base);
	m->buffers += !b->continues;
	m->bytes += b->bytes_len;
	if (b->bytes_lost_before)
		pv_threads_gap(m);
	if (b->alloc_period)
		m->allocs.period = b->alloc_period;
}

static void end_batch(struct pv_model *m, const struct pv_batch *b)
{
	if (!b->damaged)
		return;
	pv_model_note_damage(m, b->damage_offset, b->damage_bytes, b->damage_reason);
	uint32_t at = pv_map_get(&m->threads.newest, b->thread);
	if (at != PV_MAP_NONE)
		pv_model_gap(m, m->threads.thread.v[at]);
}

bool pv_model_apply(struct pv_model *m, const struct pv_batch *b, size_t *at, uint64_t budget_ns)
{
	int64_t start = budget_ns ? clock_ns() : 0;
	bool limited = m->private->timed || m->only.threaded, ok = true;
	m->private->yield.may = budget_ns > 0;
	m->private->yield.ingest = pthread_self();
	m->private->yield.done = 0;
	if (*at == 0)
		begin_batch(m, b);
	if (*at == 0 && pv_classes_are_many(&m->names))
		ok = pv_classes_make_room(m);
	while (ok && *at < b->n) {
		ok = start_epoch(m, b, *at);
		struct pv_context x = { .m = m,
			.batch = b,
			.counts = true,
			.thread = pv_threads_own(m, b->thread, (int64_t)b->time[*at]) };
		ok = ok && x.thread;
		if (!ok)
			break;
		if (x.thread->id != b->thread && *at == 0)
			pv_model_gap(m, x.thread); /* one for many: stacks do not mix */
		size_t end = b->n - *at < CHUNK ? b->n : *at + CHUNK;
		end = epoch_end(b, x.thread, *at, end);
		ok = (limited ? run_limited : run_all)(&x, at, end);
		if (budget_ns && clock_ns() - start >= (int64_t)budget_ns)
			break;
	}
	if (*at == b->n)
		end_batch(m, b);
	m->private->yield.may = false;
	__atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
	return ok;
}
