/* SPDX-License-Identifier: MIT */
/* Closes what a thread has open where some of its events are missing. */
#include "common/model/objects/gc_parts.h"

/*
 * An open wait counts as a contention without an end, and has no time: buffers stand in the file as
 * they were written, so the thread's lost events may begin right after the wait did. A later end
 * may be of another wait, and is counted as an end without a beginning.
 */
void pv_model_gap(struct pv_model *m, struct pv_thread *th)
{
	m->calls.gap_closed += th->stack.stack.n;
	pv_calls_close(m, th);
	th->wait.n = 0;
	th->stop = 0;
	th->edge.n = 0;
	pv_finalizers_gap(m, th);
	pv_work_gap(m, th);
}

/* All threads: a thread untouched since the last gap has nothing open. */
void pv_threads_gap(struct pv_model *m)
{
	struct pv_threads *t = &m->threads;
	for (size_t i = 0; i < t->touched.n; i++) {
		struct pv_thread *th = t->thread.v[t->touched.v[i]];
		pv_model_gap(m, th);
		th->touched = false;
	}
	t->touched.n = 0;
}
