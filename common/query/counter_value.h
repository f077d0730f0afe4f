/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: value of a counter's sample, by the counter's type. Under the model's
 * lock.
 */
#ifndef PV_QUERY_COUNTER_VALUE_H
#define PV_QUERY_COUNTER_VALUE_H

#include <stddef.h>

#include "common/model/model.h"
#include "common/model/time/counters.h"
#include "common/query/table.h"

/* NAN for strings. */
double pv_counter_number(const struct pv_counter *k, const struct pv_counter_sample *s);

/* The unit of a counter's numbers, as stated by the log. */
enum pv_scale pv_counter_scale(const struct pv_model *m, const struct pv_counter *k);

/* All digits, as JSON writes numbers; false for what is no finite number. */
bool pv_counter_exact(
	const struct pv_counter *k, const struct pv_counter_sample *s, char *buf, size_t size);

#endif
