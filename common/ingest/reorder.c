/* SPDX-License-Identifier: MIT */
/* The reorder window: kept batches in order, ends of threads, runs expanded event by event. */
#include "common/ingest/reorder.h"

#include <errno.h>
#include <string.h>

#include "common/base/invariant.h"
#include "common/calls/mlpd_summary.h"
#include "common/format/mlpd/batch_fit.h"
#include "common/model/calls/segment.h"
#include "common/model/names/early_definitions.h"

void pv_reorder_finish(struct pv_reorder *h)
{
	for (size_t i = h->first; i < h->kept.n; i++)
		pv_batch_finish(&h->kept.v[i].batch);
	for (size_t i = 0; i < h->spare.n; i++)
		pv_batch_finish(&h->spare.v[i]);
	pv_array_finish(&h->kept);
	pv_array_finish(&h->spare);
	pv_array_finish(&h->ends);
	pv_map_finish(&h->ends_of);
	*h = (struct pv_reorder){ 0 };
}

bool pv_reorder_wanted(const struct pv_reorder *h, const struct pv_model *m)
{
	return h->kept.n > h->first || m->names.unloads || m->names.epochs || m->threads.ended;
}

/* The thread's first end; NULL: none reported. */
static struct pv_reorder_end *first_end(const struct pv_reorder *h, uint64_t thread)
{
	uint32_t at = h->ends.n ? pv_map_get(&h->ends_of, thread) : PV_MAP_NONE;
	return at == PV_MAP_NONE ? NULL : &h->ends.v[at];
}

/* Notes a thread's end. Out of memory, the end comes out of order. */
static void note_end(struct pv_reorder *h, uint64_t thread, int64_t time)
{
	struct pv_reorder_end *first;
	uint32_t at = (uint32_t)h->ends.n;
	if (!pv_reserve(&h->ends, 1))
		return;
	first = first_end(h, thread);
	if (!first && !pv_map_set(&h->ends_of, thread, at))
		return;
	h->ends.v[h->ends.n++] = (struct pv_reorder_end){ thread, time, 0, at + 1 };
	if (!first)
		return;
	h->ends.v[first->last - 1].next = at + 1;
	first->last = at + 1;
}

/* Notes ends of other threads in the batch. Returns whether it has a sync point. */
static bool look_through(struct pv_reorder *h, const struct pv_batch *b)
{
	bool sync = false;
	for (size_t i = 0; i < b->other_events.n; i++) {
		const struct pv_event *e = &b->other_events.v[i];
		sync |= e->kind == PV_KIND_SYNC_POINT;
		if (e->kind == PV_KIND_THREAD_END && e->meta.key != b->thread &&
			h->ends.n < PV_REORDER_ENDS)
			note_end(h, e->meta.key, (int64_t)e->time);
	}
	return sync;
}

/* Makes room for a batch: the array is used from `first` on, and moved once half is unused. */
static bool make_place(struct pv_reorder *h)
{
	if (h->first > 0 && h->first >= h->kept.n / 2) {
		for (size_t i = h->first; i < h->kept.n; i++)
			h->kept.v[i - h->first] = h->kept.v[i];
		h->kept.n -= h->first;
		h->first = 0;
	}
	return pv_reserve(&h->kept, 1);
}

bool pv_reorder_put(struct pv_reorder *h, struct pv_model *m, struct pv_batch *b)
{
	if (!make_place(h) || !pv_model_define(m, b))
		return false;
	struct pv_reorder_kept *k = &h->kept.v[h->kept.n];
	if (!pv_batch_keep(b, &k->batch))
		return false;
	h->kept.n++;
	k->bytes = pv_batch_used(&k->batch);
	h->bytes += k->bytes;
	if (pv_batch_bytes(b) == 0 && h->spare.n) {
		*b = h->spare.v[--h->spare.n];
		h->spare_bytes -= pv_batch_bytes(b);
	}
	if (look_through(h, &k->batch))
		h->due = h->kept.n - h->first;
	return true;
}

/* The oldest batch and the kept batches of its run. */
static size_t first_run(struct pv_reorder *h, struct pv_batch *ret[PV_REORDER_RUN])
{
	size_t n = 0, kept = h->kept.n - h->first;
	uint32_t run = h->kept.v[h->first].batch.summary.run;
	do
		ret[n] = &h->kept.v[h->first + n].batch;
	while (++n < kept && n < PV_REORDER_RUN && run != 0 &&
		h->kept.v[h->first + n].batch.summary.run == run);
	return n;
}

bool pv_reorder_is_full(const struct pv_reorder *h)
{
	return h->bytes > PV_REORDER_BYTES;
}

size_t pv_reorder_due(struct pv_reorder *h, const struct pv_model *m, bool all,
	struct pv_batch *ret[PV_REORDER_RUN])
{
	size_t kept = h->kept.n - h->first;
	bool no_sync = m->target.rules < 13; /* also in logs of 2007 */
	if (kept == 0)
		return 0;
	size_t n = first_run(h, ret);
	if (all)
		return n;
	bool complete = n >= ret[0]->summary.run_n;
	bool full = pv_reorder_is_full(h) || (no_sync && kept > PV_REORDER_BUFFERS);
	return complete && (h->due >= n || full) ? n : 0;
}

bool pv_reorder_has_end(const struct pv_reorder *h, const struct pv_batch *b)
{
	return first_end(h, b->thread) != NULL;
}

void pv_reorder_apply_ends(const struct pv_reorder *h, struct pv_model *m, const struct pv_batch *b)
{
	const struct pv_reorder_end *e = first_end(h, b->thread);
	for (; e; e = e->next ? &h->ends.v[e->next - 1] : NULL)
		pv_model_end_early(m, b->thread, e->time);
}

/* Whether each batch still has its payload: then expanding can only fail for memory. */
__attribute__((unused)) static bool can_expand(struct pv_batch *const *b, size_t n)
{
	size_t there = 0;
	while (there < n && (!b[there]->summary.wanted || b[there]->bytes.n >= b[there]->bytes_len))
		there++;
	return there == n;
}

bool pv_reorder_expand(struct pv_model *m, struct pv_batch *const *b, size_t n)
{
	PV_INVARIANT(can_expand(b, n));
	errno = 0;
	bool ok = pv_calls_skip_summary(m, b, n);
	for (size_t i = 0; i < n && ok; i++)
		ok = mlpd_decode_plain(b[i]);
	PV_INVARIANT(ok || errno == ENOMEM);
	return ok;
}

void pv_reorder_done(struct pv_reorder *h)
{
	struct pv_reorder_kept *k = &h->kept.v[h->first++];
	struct pv_batch *b = &k->batch;
	size_t size = pv_batch_bytes(b); /* maybe decoded once more */
	h->bytes -= k->bytes;
	h->due -= h->due > 0;
	bool worth = size >= PV_REORDER_SPARE; /* a small batch would only have to grow */
	if (worth && h->bytes + h->spare_bytes + size <= PV_REORDER_BYTES &&
		pv_reserve(&h->spare, 1)) {
		pv_batch_reset(b);
		h->spare.v[h->spare.n++] = *b;
		h->spare_bytes += pv_batch_bytes(b);
	} else {
		pv_batch_finish(b);
	}
	if (h->first < h->kept.n)
		return;
	h->first = h->kept.n = 0;
	if (h->ends.n)
		pv_map_clear(&h->ends_of);
	h->ends.n = 0;
}
