/* SPDX-License-Identifier: MIT */
/*
 * Private to the model: tests for being inside the restriction. On the ingest thread. Times are ns
 * on the log's clock.
 */
#ifndef PV_MODEL_INSIDE_H
#define PV_MODEL_INSIDE_H

#include "common/model/ground/model_parts.h"

/* Whether a time is inside the restriction. */
static inline bool pv_in_range(const struct pv_model *m, int64_t t)
{
	const struct pv_model_private *p = m->private;
	return !p->ranged || (t >= p->from_ns && t < p->to_ns);
}

/* Whether a time of the thread is inside range and requests, selected or not. */
bool pv_in_time(const struct pv_model *m, const struct pv_thread *th, int64_t t);

/* Whether what a thread did at a time is inside the restriction. */
static inline bool pv_counts_at(const struct pv_model *m, const struct pv_thread *th, int64_t t)
{
	return th->selected && (!m->private->timed || pv_in_time(m, th, t));
}

/* The part of [from, to) of a thread inside the restriction; signed like to - from. */
int64_t pv_clipped(const struct pv_model *m, const struct pv_thread *th, int64_t from, int64_t to);

#endif
