/* SPDX-License-Identifier: MIT */
/* Memory of call summaries: reset, free and size. */
#include "common/format/call_summary.h"

void pv_call_summary_reset(struct pv_call_summary *d)
{
	d->wanted = d->resting = false;
	d->path.n = d->sum.n = d->exc.n = d->count.n = d->open.n = d->segment.n = 0;
	d->alloc_path.n = d->number.n = 0;
	d->events = d->dropped = 0;
	d->run = d->run_n = 0;
}

void pv_call_summary_finish(struct pv_call_summary *d)
{
	pv_array_finish(&d->path);
	pv_array_finish(&d->sum);
	pv_array_finish(&d->exc);
	pv_array_finish(&d->count);
	pv_array_finish(&d->open);
	pv_array_finish(&d->segment);
	pv_array_finish(&d->alloc_path);
	pv_array_finish(&d->number);
}

size_t pv_call_summary_bytes(const struct pv_call_summary *d)
{
	return d->path.room * sizeof *d->path.v + d->sum.room * sizeof *d->sum.v +
	       d->exc.room * sizeof *d->exc.v + d->count.room * sizeof *d->count.v +
	       d->open.room * sizeof *d->open.v + d->segment.room * sizeof *d->segment.v +
	       d->alloc_path.room * sizeof *d->alloc_path.v + d->number.room * sizeof *d->number.v;
}
