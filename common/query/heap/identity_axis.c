/* SPDX-License-Identifier: MIT */
/*
 * The axis of a ladder's rungs: time in which the program works. While the program idles, no shots
 * that wait for collections are taken, but other shots are; so idle time is shortened.
 */
#include "common/query/heap/identity_views.h"

enum {
	ROOM = PV_IDENTITY_STEPS + 2,
	BUSY = 10 /* less than a tenth of the mean rate of allocations is idling */
};

struct interval {
	double ns, allocations;
};

/* Objects first listed at each step, for logs without allocations. */
static void count_listed(const struct pv_identity *l, struct interval at[ROOM])
{
	for (size_t i = 0; i < l->cell.n; i++)
		if (l->cell.v[i].cohort == l->cell.v[i].step)
			at[l->cell.v[i].step].allocations += (double)l->cell.v[i].objects;
}

static void count_allocations(const struct pv_identity *l, struct interval at[ROOM])
{
	for (size_t j = 1; j < l->step.n; j++)
		at[j].allocations =
			(double)(l->step.v[j].allocations - l->step.v[j - 1].allocations);
}

/* The shot taken at a program's end may come long after the program's work. */
static void shorten_last(struct interval at[ROOM], size_t n)
{
	double most = 0;
	for (size_t j = 1; j + 1 < n; j++)
		most = at[j].ns > most ? at[j].ns : most;
	if (n > 2 && at[n - 1].ns > most)
		at[n - 1].ns = most;
}

void pv_ladder_places(const struct pv_identity *l, double ret[PV_IDENTITY_STEPS + 2])
{
	struct interval at[ROOM] = { { 0, 0 } };
	double ns = 0, allocations = 0;
	size_t n = l->step.n < ROOM ? l->step.n : ROOM;
	for (size_t j = 1; j < n; j++) {
		double gap = (double)l->step.v[j].time_ns - (double)l->step.v[j - 1].time_ns;
		at[j].ns = gap > 0 ? gap : 0;
	}
	if (l->allocations)
		count_allocations(l, at);
	else
		count_listed(l, at);
	for (size_t j = 1; j < n; j++) {
		ns += at[j].ns;
		allocations += at[j].allocations;
	}
	shorten_last(at, n);
	ret[0] = 0;
	for (size_t j = 1; j < n; j++) {
		double busy = allocations > 0 ? at[j].allocations * BUSY * ns / allocations : 0;
		ret[j] = ret[j - 1] + (busy < at[j].ns ? busy : at[j].ns);
	}
}
