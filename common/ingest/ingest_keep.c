/* The way of a decoded batch into the model: at once, or by way of those that are kept. */
#include "common/ingest/ingest_parts.h"

/* What is kept and due, or all of it. */
bool pv_ingest_flush(struct pv_ingest *in, bool all)
{
	const struct pv_batch *b;
	bool ok = true;
	while (ok && (b = pv_hold_due(&in->hold, in->model, all))) {
		pv_model_lock(in->model);
		pv_hold_tell_ends(&in->hold, in->model, b);
		pv_model_unlock(in->model);
		ok = pv_ingest_apply_now(in, b);
		pv_hold_done(&in->hold);
	}
	return ok;
}

bool pv_ingest_apply(void *owner_ctx, const struct pv_batch *b)
{
	struct pv_ingest *in = owner_ctx;
	return pv_ingest_flush(in, true) && pv_ingest_apply_now(in, b);
}

bool pv_ingest_take(struct pv_ingest *in, struct pv_batch *b)
{
	if (!pv_hold_wanted(&in->hold, in->model))
		return pv_ingest_apply_now(in, b);
	pv_model_lock(in->model);
	bool ok = pv_hold_put(&in->hold, in->model, b);
	pv_model_unlock(in->model);
	return ok ? pv_ingest_flush(in, false) : pv_ingest_fail_nomem(in);
}
