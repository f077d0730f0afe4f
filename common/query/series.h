/*
 * A figure over time, resampled to as many cells as a chart is wide. Immutable, like tables: any
 * thread may read it.
 */
#ifndef PV_QUERY_SERIES_H
#define PV_QUERY_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/query/table.h"

struct pv_series {
	const char *name;
	enum pv_unit unit;
	int64_t from_ns, to_ns; /* half-open, since the recording's zero */
	size_t n;
	double *value; /* n; NAN = nothing known for that cell */
	double max;    /* greatest value, 0 when there is none */
	double last;
};

void pv_series_destroy(struct pv_series *s); /* NULL is fine */

#endif
