/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: helpers of the views on object identity (model/objects/identity.h).
 * On the thread that builds a table.
 */
#ifndef PV_QUERY_IDENTITY_VIEWS_H
#define PV_QUERY_IDENTITY_VIEWS_H

#include "common/model/identity/identity.h"
#include "common/query/groups/build.h"
#include "common/query/groups/identity_line.h"

/* Survivors of the cohorts of one class: [cohort * steps + step]; cohort <= step. */
struct pv_ladder {
	size_t steps;
	const uint64_t *objects, *bytes;
	const double *place; /* place of each step on the axis of time, ascending; NULL: even */
};

struct pv_ladder_verdict {
	double score;      /* 0 to 100: likeness to a leak, whatever the size */
	const char *shape; /* a constant */
};

/* Positions of the steps on the axis of time, which shortens idle time. */
void pv_ladder_places(const struct pv_identity *l, double ret[PV_IDENTITY_STEPS + 2]);

/* Judges the shape of the steps, whatever their distances. Pure. */
void pv_ladder_judge(const struct pv_ladder *l, struct pv_ladder_verdict *ret);

#endif
