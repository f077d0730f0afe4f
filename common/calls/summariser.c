/* SPDX-License-Identifier: MIT */
/* Decodes runs of buffers with a builder for each thread, and decides where runs end. */
#include "common/calls/summariser.h"

#include <stdlib.h>

#include "common/format/mlpd/mlpd.h"
#include "common/format/run_end.h"
#include "common/calls/mlpd_summary.h"

/* A node with its place takes 104 bytes: 20 MB for a thread, 55 MB for all. */
static const struct pv_summariser_limits usual = { .paths = 3 << 16, .all_paths = 1 << 19 };

struct call_stream {
	bool used; /* by the present run */
	uint64_t thread;
	uint64_t run; /* last run with this stream; 0: none */
	struct mlpd_summary_builder builder;
	struct mlpd_tree tree;
};

struct pv_summariser {
	uint64_t number;
	size_t kept;      /* nodes of all trees, from one run to the next */
	uint64_t dropped; /* streams, for summary.dropped of the next run */
	bool redefined;   /* a method, in the batch at hand */
	struct pv_described described;
	struct call_stream stream[PV_MAX_STREAMS];
};

struct pv_summariser *pv_summariser_create(const struct pv_summariser_limits *limits)
{
	struct pv_summariser *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->number = 1;
	if (!limits)
		limits = &usual;
	r->kept = limits->all_paths;
	for (uint32_t i = 0; i < PV_MAX_STREAMS; i++) {
		r->stream[i].builder.stream = i;
		r->stream[i].builder.most = limits->paths;
		r->stream[i].builder.described = &r->described;
	}
	return r;
}

void pv_summariser_destroy(struct pv_summariser *r)
{
	for (size_t i = 0; r && i < PV_MAX_STREAMS; i++)
		mlpd_tree_finish(&r->stream[i].tree);
	if (r)
		pv_described_finish(&r->described);
	free(r);
}

/* Forgets the stream's open calls, and with `paths` its tree. */
static void forget_stream(struct call_stream *s, bool paths)
{
	s->builder.known = false;
	if (!paths)
		return;
	s->builder.trees++;
	mlpd_tree_forget(&s->tree);
}

void pv_summariser_forget(struct pv_summariser *r, bool paths)
{
	for (size_t i = 0; i < PV_MAX_STREAMS; i++)
		forget_stream(&r->stream[i], paths);
}

void pv_summariser_unsure(struct pv_summariser *r)
{
	r->described.unsure = true;
}

/* The thread's stream, or the least recently used. NULL: all are in use. */
static struct call_stream *find_stream(struct pv_summariser *r, uint64_t thread)
{
	struct call_stream *oldest = NULL;
	for (size_t i = 0; i < PV_MAX_STREAMS; i++) {
		struct call_stream *s = &r->stream[i];
		if (s->run && s->thread == thread)
			return s;
		if (!s->used && (!oldest || s->run < oldest->run))
			oldest = s;
	}
	if (!oldest)
		return NULL;
	forget_stream(oldest, false);
	oldest->builder.ends = false;
	return oldest;
}

static struct mlpd_summary_builder *stream_of(struct pv_summariser *r, struct pv_batch *b)
{
	struct call_stream *s = find_stream(r, b->thread);
	if (!s)
		return NULL;
	if (s->used)
		return mlpd_summary_next(&s->builder, &s->tree, b) ? &s->builder : NULL;
	s->used = true;
	s->thread = b->thread;
	s->run = r->number;
	mlpd_summary_run(&s->builder, &s->tree, b);
	return &s->builder;
}

static bool add_task(struct pv_summariser *r, struct pv_decode_task *t)
{
	struct mlpd_summary_builder *d = stream_of(r, &t->batch);
	if (!d)
		return false;
	d->redefined = false;
	bool ok = mlpd_summary_decode(d, &t->bases, &t->format, false, &t->used);
	r->redefined |= d->redefined;
	return ok;
}

/* Drops the least recently used trees while all together are too large. */
static void trim_trees(struct pv_summariser *r)
{
	for (;;) {
		size_t kept = 0;
		struct call_stream *oldest = NULL;
		for (size_t i = 0; i < PV_MAX_STREAMS; i++) {
			struct call_stream *s = &r->stream[i];
			kept += s->tree.room;
			if (s->tree.room && (!oldest || s->run < oldest->run))
				oldest = s;
		}
		if (kept <= r->kept || !oldest)
			return;
		r->dropped |= UINT64_C(1) << oldest->builder.stream;
		forget_stream(oldest, true);
		mlpd_tree_finish(&oldest->tree);
	}
}

static bool end_run(struct pv_summariser *r)
{
	bool ok = true;
	for (size_t i = 0; i < PV_MAX_STREAMS; i++) {
		struct call_stream *s = &r->stream[i];
		ok = (!s->used || mlpd_summary_close(&s->builder)) && ok;
		s->used = false;
	}
	trim_trees(r);
	r->number++;
	return ok;
}

/* --- the end of a run */

/* True if the run ends with the batch, whose events are already there. */
static bool is_last(struct pv_summariser *r, const struct pv_batch *b)
{
	bool last = r->redefined || b->damaged;
	for (size_t i = 0; i < b->other_events.n; i++) {
		last |= pv_ends_run(&b->other_events.v[i]);
		/*
		 * Definitions are read ahead then (reorder.h), and the times of a run are checked.
		 */
		r->described.over |= pv_is_unload(&b->other_events.v[i]);
	}
	r->described.unsure |= b->damaged; /* the rest may have had buffers */
	return last;
}

/* Among several ends, the present thread's is known only when they are applied. */
static void note_end(struct mlpd_summary_builder *d, int64_t time)
{
	d->ends_ns = d->ends && d->ends_ns < time ? d->ends_ns : time;
	d->ended_ns = d->ends && d->ended_ns > time ? d->ended_ns : time;
	d->ends = true;
}

/* After the last batch of a run: notes the threads that begin and end there. */
static void note_lives(struct pv_summariser *r, const struct pv_batch *b)
{
	for (size_t i = 0; i < b->other_events.n; i++) {
		const struct pv_event *e = &b->other_events.v[i];
		if (e->kind != PV_KIND_THREAD_START && e->kind != PV_KIND_THREAD_END)
			continue;
		struct call_stream *s = find_stream(r, e->meta.key);
		forget_stream(s, false);
		s->thread = e->meta.key;
		s->run = r->number;
		if (e->kind == PV_KIND_THREAD_END)
			note_end(&s->builder, (int64_t)e->time);
	}
}

/* --- runs */

/* Decodes each buffer event by event, and forgets the open calls. */
static bool take_apart(struct pv_summariser *r, struct pv_decode_task *t, size_t n)
{
	bool ok = true;
	for (size_t i = 0; i < PV_MAX_STREAMS; i++) {
		if (r->stream[i].used)
			mlpd_summary_drop(&r->stream[i].builder);
		r->stream[i].used = false;
	}
	for (size_t i = 0; i < n; i++)
		ok = mlpd_decode_plain(&t[i].batch) && ok;
	pv_summariser_forget(r, false);
	r->number++;
	return ok;
}

size_t pv_summarise_run(struct pv_summariser *r, struct pv_decode_task *t, size_t n)
{
	size_t i = 0;
	bool ok = true, last = false;
	uint64_t dropped = r->dropped;
	r->dropped = 0;
	while (ok && !last && i < n) {
		ok = !t[i].nomem && add_task(r, &t[i]);
		last = ok && is_last(r, &t[i].batch);
		i++;
	}
	bool damaged = t[i - 1].batch.damaged;
	ok = ok && (damaged ? take_apart(r, t, i) : end_run(r));
	t[0].batch.summary.dropped = dropped;
	for (size_t k = 0; k < i; k++) {
		t[k].batch.summary.run_n = damaged || i == 1 ? 0 : (uint32_t)i;
		t[k].nomem = !ok;
	}
	if (ok && last)
		note_lives(r, &t[i - 1].batch);
	if (r->redefined)
		pv_summariser_forget(r, false);
	r->redefined = false;
	return i;
}

/* Notes descriptions that no builder has seen. */
static void note_descriptions(struct pv_summariser *r, const struct pv_batch *b)
{
	for (size_t i = 0; i < b->other_events.n; i++) {
		const struct pv_event *e = &b->other_events.v[i];
		if (pv_is_description(e))
			pv_described_changes(&r->described, e);
	}
}

void pv_summarise_single(struct pv_summariser *r, struct pv_decode_task *t)
{
	struct pv_batch *b = &t->batch;
	if (!t->decoded)
		t->nomem = t->nomem ||
			   !mlpd_summarise_batch(b, &t->bases, &t->format, t->partial, &t->used);
	if (b->damaged)
		t->nomem = t->nomem || !mlpd_decode_plain(b);
	note_descriptions(r, b);
	pv_summariser_forget(r, false);
	if (is_last(r, b))
		note_lives(r, b);
}
