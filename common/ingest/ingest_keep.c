/* SPDX-License-Identifier: MIT */
/* Puts a decoded batch into the model: at once, or through the reorder window. */
#include "common/ingest/ingest_parts.h"

#include "common/model/ground/room.h"
#include "common/model/calls/segment.h"

enum {
	SLICE_NS = 5 * 1000 * 1000, /* the owner never holds the model's lock longer */
	TELL_NS = 5 * 1000 * 1000,  /* interval of progress signals; also signalled before a wait */
};

/*
 * Copies the model's counts, for callers that may not wait for the model. Needs the ingest's lock.
 */
void pv_ingest_note_model(struct pv_ingest *in)
{
	const struct pv_model *m = in->model;
	in->status.places = m->damaged;
	in->status.lost_events = m->lost_events;
	in->status.port = m->target.port;
	in->status.first = m->damage.n ? m->damage.v[0] : (struct pv_damage_entry){ 0 };
}

void pv_ingest_damage(struct pv_ingest *in, uint64_t offset, uint64_t bytes, const char *reason)
{
	pv_ingest_flush(in, true);
	pv_decode_pool_forget(in->pool, false);
	pv_model_lock(in->model);
	pv_model_damage(in->model, offset, bytes, reason);
	if (in->table)
		pv_buffers_damage(in->table, offset, bytes, reason);
	pv_model_unlock(in->model);
	pthread_mutex_lock(&in->lock);
	in->status.damaged = true;
	pv_ingest_note_model(in);
	pthread_mutex_unlock(&in->lock);
}

static void note_progress(struct pv_ingest *in, const struct pv_batch *b)
{
	int64_t now = pv_ingest_now(), newest = in->model->last_ns;
	pthread_mutex_lock(&in->lock);
	pv_meter_add(&in->meter, now, b->bytes_len + MLPD_BUFFER_HEADER, pv_batch_events(b));
	int64_t lag = (int64_t)((uint64_t)now - (uint64_t)newest); /* a log's times may wrap */
	bool sane = lag >= 0 && lag < INT64_C(3600) * 1000000000;
	in->status.lag_ns = in->live && sane ? lag : -1;
	in->status.damaged |= b->damaged;
	pv_ingest_note_model(in);
	pthread_mutex_unlock(&in->lock);
	/* A buffer takes a tenth of a millisecond: waking a thread for each would cost as much. */
	in->signalled = now - in->signalled_ns >= TELL_NS;
	if (in->signalled) {
		in->signalled_ns = now;
		pv_ingest_signal(in->changed_fd);
	}
}

static bool apply_now(struct pv_ingest *in, const struct pv_batch *b)
{
	size_t at = 0;
	bool ok = true;
	do {
		pv_model_make_room(in->model);
		pv_model_lock(in->model);
		ok = pv_model_apply(in->model, b, &at, SLICE_NS);
		if (in->table && ok && at == b->n)
			pv_buffers_note(in->table, &in->format, in->model, b);
		pv_model_unlock(in->model);
	} while (ok && at < b->n && !pv_ingest_stopping(in));
	note_progress(in, b);
	return ok || pv_ingest_fail_nomem(in);
}

/* Registers the run's paths; expands the run if its order counts. */
static bool finish_run(struct pv_ingest *in, struct pv_batch *const *b, size_t n, bool ends)
{
	bool ok = pv_paths_register(in->model, b, n);
	if (ok && (ends || pv_calls_need_order(in->model, b, n)))
		ok = pv_reorder_expand(in->model, b, n);
	return ok || pv_ingest_fail_nomem(in);
}

bool pv_ingest_begin_run(struct pv_ingest *in, struct pv_decode_task *t, size_t n)
{
	struct pv_batch *b[PV_DECODE_RUN];
	for (size_t i = 0; i < n; i++) {
		b[i] = &t[i].batch;
		if (t[i].nomem)
			return pv_ingest_fail_nomem(in);
	}
	if (b[0]->damaged && !pv_ingest_flush(in, true)) /* earlier ones first */
		return false;
	in->as_run = b[0]->damaged || !pv_reorder_wanted(&in->reorder, in->model);
	return !in->as_run || finish_run(in, b, n, false);
}

static void tell_ends(struct pv_ingest *in, const struct pv_batch *b)
{
	pv_model_lock(in->model);
	pv_reorder_apply_ends(&in->reorder, in->model, b);
	pv_model_unlock(in->model);
}

static bool apply_kept(struct pv_ingest *in, const struct pv_batch *b)
{
	tell_ends(in, b);
	return apply_now(in, b);
}

/* Applies due batches while the credit lasts. */
static bool flush_due(struct pv_ingest *in, bool all, ptrdiff_t *credit)
{
	struct pv_batch *b[PV_DECODE_RUN];
	bool ok = true;
	size_t n;
	while (ok && *credit > 0 && (n = pv_reorder_due(&in->reorder, in->model, all, b)) > 0) {
		bool ends = false;
		*credit -= (ptrdiff_t)n;
		for (size_t i = 0; i < n && n > 1; i++)
			ends |= pv_reorder_has_end(&in->reorder, b[i]);
		if (n == 1)
			tell_ends(in, b[0]);
		ok = finish_run(in, b, n, ends);
		for (size_t i = 0; i < n && ok; i++)
			ok = apply_kept(in, b[i]);
		for (size_t i = 0; i < n; i++)
			pv_reorder_done(&in->reorder);
	}
	return ok;
}

/* Applies the kept batches that are due, or all of them. */
bool pv_ingest_flush(struct pv_ingest *in, bool all)
{
	ptrdiff_t credit = PTRDIFF_MAX;
	in->credit = 0;
	return flush_due(in, all, &credit);
}

/*
 * Applies due batches little by little: a sync point makes many due at once, and decoding must go
 * on.
 */
static bool flush_some(struct pv_ingest *in)
{
	const ptrdiff_t most = PV_DECODE_RUN;
	if (pv_reorder_is_full(&in->reorder))
		return pv_ingest_flush(in, false);
	in->credit = in->credit < most - 2 ? in->credit + 2 : most;
	return flush_due(in, false, &in->credit);
}

bool pv_ingest_apply(void *owner_ctx, const struct pv_batch *b)
{
	struct pv_ingest *in = owner_ctx;
	return pv_ingest_flush(in, true) && apply_now(in, b);
}

bool pv_ingest_take(struct pv_ingest *in, struct pv_batch *b)
{
	if (in->as_run)
		return apply_now(in, b);
	pv_model_make_room(in->model);
	pv_model_lock(in->model);
	bool ok = pv_reorder_put(&in->reorder, in->model, b);
	pv_model_unlock(in->model);
	return ok ? flush_some(in) : pv_ingest_fail_nomem(in);
}

bool pv_ingest_renew_table(struct pv_ingest *in)
{
	if (!in->options.ranges)
		return true;
	pv_buffers_destroy(in->table);
	in->table = pv_buffers_create();
	if (in->table)
		in->model->address_log = &in->table->address_log;
	return in->table != NULL;
}
