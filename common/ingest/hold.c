#include "common/ingest/hold.h"

#include "common/model/told.h"

void pv_hold_finish(struct pv_hold *h)
{
	for (size_t i = h->first; i < h->batch.n; i++)
		pv_batch_finish(&h->batch.v[i]);
	for (size_t i = 0; i < h->spare.n; i++)
		pv_batch_finish(&h->spare.v[i]);
	pv_array_finish(&h->batch);
	pv_array_finish(&h->spare);
	pv_array_finish(&h->ends);
	*h = (struct pv_hold){ 0 };
}

bool pv_hold_wanted(const struct pv_hold *h, const struct pv_model *m)
{
	return h->batch.n > h->first || m->names.unloads || m->names.epochs || m->threads.ended;
}

/* What it occupies, not what it holds: memory is what is bounded. */
static size_t size_of(const struct pv_batch *b)
{
	return b->room * (sizeof *b->time + sizeof *b->kind + sizeof *b->key) +
	       b->allocs.room * sizeof *b->allocs.v + b->rare.room * sizeof *b->rare.v +
	       b->pool.room * sizeof *b->pool.v + b->descs.room * sizeof *b->descs.v +
	       b->values.room * sizeof *b->values.v + b->bytes.room + pv_digest_bytes(&b->digest);
}

/* What others say of a thread's end, and whether there is a sync point. */
static bool look_through(struct pv_hold *h, const struct pv_batch *b)
{
	bool sync = false;
	for (size_t i = 0; i < b->rare.n; i++) {
		const struct pv_event *e = &b->rare.v[i];
		sync |= e->kind == PV_KIND_SYNC_POINT;
		if (e->kind == PV_KIND_THREAD_END && e->meta.key != b->thread &&
			h->ends.n < PV_HOLD_ENDS && pv_reserve(&h->ends, 1))
			h->ends.v[h->ends.n++] =
				(struct pv_hold_end){ e->meta.key, (int64_t)e->time };
	}
	return sync;
}

/* The array is used from `first` on; the room before it comes back when there is enough of it. */
static bool make_place(struct pv_hold *h)
{
	if (h->first > 0 && h->first >= h->batch.n / 2) {
		for (size_t i = h->first; i < h->batch.n; i++)
			h->batch.v[i - h->first] = h->batch.v[i];
		h->batch.n -= h->first;
		h->first = 0;
	}
	return pv_reserve(&h->batch, 1);
}

bool pv_hold_put(struct pv_hold *h, struct pv_model *m, struct pv_batch *b)
{
	if (!make_place(h) || !pv_model_tell(m, b))
		return false;
	h->bytes += size_of(b);
	h->batch.v[h->batch.n++] = *b;
	*b = (struct pv_batch){ 0 };
	if (h->spare.n) {
		*b = h->spare.v[--h->spare.n];
		h->spare_bytes -= size_of(b);
	}
	if (look_through(h, &h->batch.v[h->batch.n - 1]))
		h->due = h->batch.n - h->first;
	return true;
}

struct pv_batch *pv_hold_due(struct pv_hold *h, const struct pv_model *m, bool all)
{
	size_t n = h->batch.n - h->first;
	bool no_sync = m->target.rules < 13; /* also in logs of 2007 */
	if (n == 0)
		return NULL;
	if (all || h->due || h->bytes > PV_HOLD_BYTES || (no_sync && n > PV_HOLD_BUFFERS))
		return &h->batch.v[h->first];
	return NULL;
}

void pv_hold_tell_ends(const struct pv_hold *h, struct pv_model *m, const struct pv_batch *b)
{
	for (size_t i = 0; i < h->ends.n; i++)
		if (h->ends.v[i].thread == b->thread)
			pv_model_tell_end(m, b->thread, h->ends.v[i].time);
}

void pv_hold_done(struct pv_hold *h)
{
	struct pv_batch *b = &h->batch.v[h->first++];
	size_t size = size_of(b);
	h->bytes -= size;
	h->due -= h->due > 0;
	if (h->bytes + h->spare_bytes + size <= PV_HOLD_BYTES && pv_reserve(&h->spare, 1)) {
		pv_batch_reset(b);
		h->spare.v[h->spare.n++] = *b;
		h->spare_bytes += size;
	} else {
		pv_batch_finish(b);
	}
	if (h->first < h->batch.n)
		return;
	h->first = h->batch.n = 0;
	h->ends.n = 0;
}
