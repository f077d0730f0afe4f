/* SPDX-License-Identifier: MIT */
/*
 * Samples of threads. The runtime says whether a thread was in managed code; outside, the thread
 * ran in native code, or waited. If the stream has readings of CPU time (thread_times.h), the time
 * not run between two readings goes to the thread's samples there that can have waited. Without
 * readings, names decide between the two.
 */
#include "common/format/nettrace/nettrace_parts.h"

enum {
	MANAGED = 2,                       /* kind of a sample */
	WEIGHT_NS = PV_NETTRACE_SAMPLE_NS, /* time that a sample of weight 1 stands for */
	LONGEST_GAP = 100 * WEIGHT_NS,
	LOOK_NS = 50 * WEIGHT_NS,
	MOST_LEAVES = 1 << 16,
	RECENT = 1000 /* samples of a method, by which the next ones are judged */
};
#define MOST_STOOD 0.9

/* --- states of threads */

/* Threads are read shortly after one another, in rounds some tenths of a second apart. */
static void look_at_stood(struct nettrace *d, uint64_t now)
{
	struct nt_stood *s = &d->stood;
	if (s->last_time && now < s->last_time + LOOK_NS)
		return;
	double part =
		s->last_time ? (double)(s->ns - s->last_ns) / (double)(now - s->last_time) : 0;
	s->share = part < MOST_STOOD ? part : MOST_STOOD;
	s->last_ns = s->ns;
	s->last_time = now;
}

static int64_t at_most(uint64_t n, int64_t most)
{
	return n < (uint64_t)most ? (int64_t)n : most;
}

/*
 * A thread suspended by the sampler would have run, so its CPU time is extended by that share. The
 * sampler's part of this interval is not in the stream yet: the previous share is used.
 */
void nt_thread_time(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c)
{
	uint64_t thread = pv_get_u64(c), ran = pv_get_u64(c), queued = pv_get_u64(c);
	struct nt_thread *t = pv_cursor_ok(c) ? nt_thread_of(d, thread) : NULL;
	if (!t)
		return;
	struct nt_times *times = &t->times;
	struct nt_times was = *times;
	times->time = b->time;
	times->ran = ran;
	times->queued = queued;
	if (!was.time || b->time <= was.time || ran < was.ran || queued < was.queued)
		return;
	look_at_stood(d, b->time);
	int64_t all = (int64_t)(b->time - was.time);
	int64_t on = at_most(ran - was.ran, all), off = at_most(queued - was.queued, all - on);
	int64_t more = (int64_t)((double)on / (1 - d->stood.share));
	times->interval[times->next++ % NT_INTERVALS] =
		(struct nt_interval){ was.time, b->time, all - on - off, off, all - more - off };
}

/* Takes the sample's time from the waiting time of its interval; false: the thread ran. */
static bool take_wait(struct nt_thread *t, int64_t ns, uint64_t *ret_state)
{
	for (struct nt_interval *x = t->times.interval; x < t->times.interval + NT_INTERVALS; x++) {
		if (t->sample.time < x->from || t->sample.time >= x->to)
			continue;
		int64_t left = t->sample.may == NT_WAITS ? x->waits : x->waits_least;
		bool waits = t->sample.may != NT_RUNS && left >= ns / 2;
		if (!waits && x->queued < ns / 2)
			return false;
		x->queued -= waits ? 0 : ns;
		x->waits -= waits ? ns : 0;
		x->waits_least -= waits ? ns : 0;
		*ret_state = waits ? PV_WAIT_UNKNOWN : PV_WAIT_QUEUED;
		return true;
	}
	*ret_state = PV_WAIT_UNSURE;
	return t->sample.may != NT_RUNS;
}

/*
 * A thread that returns from native code during a suspension by the sampler is held there as if
 * waiting: this does not count as waiting for a method that mostly runs itself.
 */
static enum nt_may may_wait(struct nettrace *d, uint64_t key, bool managed)
{
	uint32_t at = pv_map_get(&d->leaf_of, key);
	if (at == PV_MAP_NONE && d->leaf.n < MOST_LEAVES) {
		at = (uint32_t)d->leaf.n;
		if (!pv_reserve(&d->leaf, 1) || !pv_map_set(&d->leaf_of, key, at)) {
			d->nomem = true;
			return NT_RUNS;
		}
		d->leaf.v[d->leaf.n++] = (struct nt_leaf){ 0 };
	}
	if (at == PV_MAP_NONE)
		return managed ? NT_RUNS : NT_MAY_WAIT;
	struct nt_leaf *leaf = &d->leaf.v[at];
	if (leaf->managed + leaf->native >= RECENT) {
		leaf->managed /= 2;
		leaf->native /= 2;
	}
	++*(managed ? &leaf->managed : &leaf->native);
	if (managed || leaf->managed > 3 * leaf->native)
		return NT_RUNS;
	return leaf->managed > leaf->native / 8 ? NT_MAY_WAIT : NT_WAITS;
}

/* --- samples */

static void put_hit(
	struct pv_event *e, const struct nt_thread *t, uint64_t weight, bool waits, uint64_t state)
{
	e->hit.thread = t->id;
	if (!waits) {
		e->hit.weight = weight;
		return;
	}
	e->hit.state = state;
	e->hit.times = weight;
}

/* Gives out the waiting sample with a weight in milliseconds. */
static void add_hit(struct pv_stream *s, struct nt_thread *t, uint64_t weight)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	size_t n = t->sample.frame.n;
	uint64_t now = d->now, state = 0;
	bool waits = take_wait(t, (int64_t)weight * WEIGHT_NS, &state);
	d->now = t->sample.time;
	struct pv_event *e =
		nt_add(s, waits ? PV_KIND_EXT_WAITED : PV_KIND_SAMPLE_HIT, t->sample.offset);
	d->now = now;
	if (!e || !pv_reserve(&to->pool, n)) {
		d->nomem = true;
		return;
	}
	put_hit(e, t, weight, waits, state);
	e->hit.frames = (struct pv_span){ (uint32_t)to->pool.n, (uint32_t)n };
	if (n)
		memcpy(to->pool.v + to->pool.n, t->sample.frame.v, n * sizeof *to->pool.v);
	to->pool.n += n;
}

/*
 * The sampler comes as often as it succeeds in suspending all threads, so a sample's weight is the
 * time up to the next one. A thread unseen for long had no managed frames meanwhile.
 */
static uint64_t weight_of(struct nt_sample *held, uint64_t until)
{
	uint64_t gap = until > held->time ? until - held->time : 0;
	held->carry += gap <= LONGEST_GAP ? gap : WEIGHT_NS;
	uint64_t weight = held->carry / WEIGHT_NS;
	held->carry %= WEIGHT_NS;
	return weight;
}

void nt_sample(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_thread *t = nt_thread_of(d, b->thread);
	if (!t)
		return;
	struct nt_sample *held = &t->sample;
	if (held->waits && b->time < held->time)
		return; /* out of order: its time was given to the previous sample */
	uint64_t weight = held->waits ? weight_of(held, b->time) : 0;
	if (weight)
		add_hit(s, t, weight);
	struct pv_span frames = nt_stack(s, b, false);
	held->frame.n = 0;
	if (!pv_reserve(&held->frame, frames.n)) {
		d->nomem = true;
		return;
	}
	if (frames.n)
		memcpy(held->frame.v, s->batch.pool.v + frames.at,
			frames.n * sizeof *held->frame.v);
	s->batch.pool.n = frames.n ? frames.at : s->batch.pool.n;
	held->frame.n = frames.n;
	held->time = b->time;
	held->offset = b->offset;
	held->may = (uint8_t)may_wait(d, frames.n ? held->frame.v[0] : 0, pv_get_u32(c) == MANAGED);
	if (nt_of(s)->il.step.n)
		nt_il_places(s, b, held->frame.v, held->frame.n);
	held->waits = true;
}

bool nt_flush_sample(struct pv_stream *s, uint64_t *ret_thread)
{
	struct nettrace *d = nt_of(s);
	for (; d->flushed < d->thread.n; d->flushed++) {
		struct nt_thread *t = &d->thread.v[d->flushed];
		if (!t->sample.waits)
			continue;
		t->sample.waits = false;
		*ret_thread = t->id;
		add_hit(s, t, 1);
		return true;
	}
	d->flushed = 0;
	return false;
}
