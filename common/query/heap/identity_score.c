/* SPDX-License-Identifier: MIT */
/*
 * Judges the cohorts of a class. A leak is a staircase: objects become more as time goes on, and
 * stay once allocated on the way. A cache is a plateau, a warm-up one step, churn dies young.
 *
 * The frequency of shots must not matter. So a ladder is reduced to at most COARSE rungs, evenly
 * spread over the time between first and last shot: the cohorts between two rungs are exactly the
 * cohorts if shots had been taken at the rungs only. Passing objects, listed more by frequent
 * shots, are distinguished from lasting objects by the next shot.
 */
#include <math.h>

#include "common/query/heap/identity_views.h"

enum { FINE = 8, COARSE = 4, ROOM = FINE + 1 }; /* intervals; rungs of the finer ladder */

/* Bytes of survivors at few rungs, by [cohort] and [step], as in struct pv_ladder. */
struct rungs {
	size_t steps;
	double at[ROOM][ROOM];
	double length[ROOM]; /* interval before the step, as a share of all; [0] unused */
};

/* Bytes alive at a step. */
static uint64_t total(const struct pv_ladder *l, size_t step)
{
	uint64_t sum = 0;
	for (size_t k = 0; k <= step; k++)
		sum += l->bytes[k * l->steps + step];
	return sum;
}

static uint64_t cohort_bytes(const struct pv_ladder *l, size_t cohort, size_t step)
{
	return l->bytes[cohort * l->steps + step];
}

static double step_place(const struct pv_ladder *l, size_t step)
{
	return l->place ? l->place[step] : (double)step;
}

/*
 * The step to judge from: the last before the class had a twentieth of the final bytes. A leak that
 * begins after the program's start is as grave; frequent shots list the start, rare shots do not.
 * Half of the time and three shots must remain, else all count.
 */
static size_t beginning(const struct pv_ladder *l)
{
	uint64_t last = total(l, l->steps - 1);
	double first = step_place(l, 0), all = step_place(l, l->steps - 1) - first;
	size_t step = 0;
	while (step + 1 < l->steps && total(l, step + 1) < last / 20)
		step++;
	return step + 3 <= l->steps && step_place(l, step) - first <= all / 2 ? step : 0;
}

/* The steps nearest to even places from the first step judged to the last, all different. */
static void choose_steps(const struct pv_ladder *l, size_t n, size_t chosen[ROOM])
{
	size_t step = beginning(l);
	double first = step_place(l, step), all = step_place(l, l->steps - 1) - first;
	chosen[0] = step;
	for (size_t i = 1; i + 1 < n; i++) {
		double want = first + all * (double)i / (double)(n - 1);
		size_t last = l->steps - n + i; /* each later rung needs a step */
		step++;
		while (step < last && step_place(l, step + 1) - want <= want - step_place(l, step))
			step++;
		chosen[i] = step;
	}
	chosen[n - 1] = l->steps - 1;
}

/* As if only the chosen shots had been taken. `v`: the ladder's bytes, or objects. */
static void resample(const struct pv_ladder *l, const uint64_t *v, size_t n, struct rungs *ret)
{
	size_t chosen[ROOM];
	choose_steps(l, n, chosen);
	double all = step_place(l, l->steps - 1) - step_place(l, chosen[0]);
	*ret = (struct rungs){ .steps = n };
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0, c = 0; k <= j; k++)
			for (; c <= chosen[k]; c++)
				ret->at[k][j] += (double)v[c * l->steps + chosen[j]];
		if (j == 0)
			continue;
		double length = step_place(l, chosen[j]) - step_place(l, chosen[j - 1]);
		ret->length[j] = all > 0 ? length / all : 1.0 / (double)(n - 1);
	}
}

/* The share left at the end of all allocated between rungs, if a further rung came. */
static double young_left(const struct rungs *r)
{
	double allocated = 0, left = 0;
	for (size_t k = 1; k + 1 < r->steps; k++) {
		allocated += r->at[k][k];
		left += r->at[k][r->steps - 1];
	}
	return allocated > 0 ? left / allocated : r->steps > 2 ? 0 : 1;
}

/*
 * Of many passing objects a few are in two shots by chance. 1 where the objects left exceed chance,
 * towards 0 where chance explains them.
 */
static double certainty(const struct rungs *objects)
{
	double left = 0, passed = 0;
	for (size_t k = 1; k + 1 < objects->steps; k++) {
		left += objects->at[k][objects->steps - 1];
		passed += objects->at[k][k] - objects->at[k][k + 1];
	}
	double chance = passed > 0 ? 2 * sqrt(passed) : 0;
	return left >= chance ? 1 : left / chance;
}

/*
 * Removes passing objects from each cohort's first rung: objects not at the next rung. From the
 * last cohort the same share, as no rung follows.
 */
static void finish_rungs(struct rungs *r)
{
	size_t last = r->steps - 1;
	double allocated = 0, stay = 0;
	for (size_t k = 0; k < last; k++) {
		if (k > 0) {
			allocated += r->at[k][k];
			stay += r->at[k][k + 1];
		}
		r->at[k][k] = r->at[k][k + 1];
	}
	if (allocated > 0)
		r->at[last][last] *= stay / allocated;
}

static double alive(const struct rungs *r, size_t step)
{
	double sum = 0;
	for (size_t k = 0; k <= step; k++)
		sum += r->at[k][step];
	return sum;
}

/*
 * Least growth in an interval that counts: a tenth of an even growth. Less growth has other causes,
 * such as a few arrays made at a program's end, and does not show retained objects.
 */
static double least(const struct rungs *r, size_t step)
{
	double grown = alive(r, r->steps - 1) - alive(r, 0);
	return (grown > 0 ? grown * r->length[step] / 10 : 0) + 1;
}

/* The share of the time with growth. */
static double rising(const struct rungs *r)
{
	double up = 0;
	for (size_t j = 1; j < r->steps; j++)
		if (alive(r, j) >= alive(r, j - 1) + least(r, j))
			up += r->length[j];
	return up;
}

/* The share of bytes left, of allocations between rungs that lasted to the next rung. */
static double survival(const struct rungs *r)
{
	double allocated = 0, left = 0;
	if (r->steps < 4)
		return young_left(r);
	for (size_t k = 1; k + 2 < r->steps; k++) {
		allocated += r->at[k][k];
		left += r->at[k][r->steps - 1];
	}
	return allocated > 0 ? left / allocated : 0;
}

/* The share of the time whose cohorts still have half or more at the end. */
static double breadth(const struct rungs *r)
{
	double keep = 0;
	for (size_t k = 1; k < r->steps; k++) {
		double left = r->at[k][r->steps - 1];
		if (left >= least(r, k) && left >= r->at[k][k] / 2)
			keep += r->length[k];
	}
	return keep;
}

/* Whether a single cohort makes the growth. */
static bool is_step(const struct rungs *r)
{
	double most = 0, all = 0;
	for (size_t k = 1; k < r->steps; k++) {
		double left = r->at[k][r->steps - 1];
		most = left > most ? left : most;
		all += left;
	}
	return r->steps > 2 && all > 0 && most >= all * 0.9;
}

struct look {
	double score, rising, young_left;
	bool step;
};

static struct look look_at_rungs(const struct pv_ladder *l, size_t steps)
{
	struct rungs r;
	struct look ret;
	resample(l, l->objects, steps, &r);
	double sure = certainty(&r);
	resample(l, l->bytes, steps, &r);
	ret.young_left = young_left(&r);
	bool few = steps < 4; /* so few that survival() needs all allocations */
	double share = few ? survival(&r) : 0;
	finish_rungs(&r);
	share = few ? share : survival(&r);
	ret.rising = rising(&r);
	ret.score = 100 * sure * ret.rising * (share > 1 ? 1 : share) * breadth(&r);
	ret.step = is_step(&r);
	return ret;
}

static const char *shape(const struct pv_ladder *l, const struct look *v)
{
	uint64_t first = total(l, 0), last = total(l, l->steps - 1);
	if (last == 0)
		return "gone";
	if (l->steps == 2)
		return last > first ? "grown" : last < first ? "shrinking" : "flat";
	if (v->score >= 60)
		return "staircase";
	if (v->step)
		return last > first ? "step" : "renewed";
	if (v->rising >= 0.5 && v->score >= 20)
		return "stairs";
	if (v->young_left < 0.2 && cohort_bytes(l, 0, l->steps - 1) < last)
		return "churn";
	return last > first ? "plateau" : last < first ? "shrinking" : "flat";
}

/*
 * Judges at fine and at coarse rungs, and takes the higher score: close rungs miss growth in lumps,
 * and few shots have distant rungs only. Two shots cannot show continued growth.
 */
void pv_ladder_judge(const struct pv_ladder *l, struct pv_ladder_verdict *ret)
{
	*ret = (struct pv_ladder_verdict){ 0, "flat" };
	if (l->steps < 2)
		return;
	size_t steps = l->steps - beginning(l);
	struct look fine = look_at_rungs(l, steps < FINE + 1 ? steps : FINE + 1);
	if (steps > COARSE + 1) {
		struct look coarse = look_at_rungs(l, COARSE + 1);
		if (coarse.score > fine.score) {
			fine.score = coarse.score;
			fine.rising = coarse.rising;
		}
	}
	ret->score = l->steps == 2 ? fine.score / 2 : fine.score;
	ret->shape = shape(l, &fine);
}
