/* SPDX-License-Identifier: MIT */
/* The weight of samples. Under the model's lock. */
#ifndef PV_QUERY_SAMPLE_WEIGHT_H
#define PV_QUERY_SAMPLE_WEIGHT_H

#include "common/model/model.h"

/*
 * The average weight of a sample, 1 for most logs. perf's samples are weighed by their periods
 * where periods differ, and chance affects figures by the number of samples taken.
 */
static inline double pv_sample_weight(const struct pv_model *m)
{
	uint64_t taken = m->kinds[PV_KIND_SAMPLE_HIT];
	bool weighed = pv_target_is_perf_text(&m->target) && taken && m->calls.samples > taken;
	return weighed ? (double)m->calls.samples / (double)taken : 1;
}

#endif
