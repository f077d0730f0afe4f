/*
 * What cohorts of a class look like. A leak is a staircase: at every shot there are more, and those
 * born between two shots stay. A cache is a plateau, a warm-up one step, churn dies young.
 */
#include "common/query/lives_views.h"

/* Of the bytes alive at each step. */
static uint64_t total(const struct pv_ladder *l, size_t step)
{
	uint64_t sum = 0;
	for (size_t k = 0; k <= step; k++)
		sum += l->bytes[k * l->steps + step];
	return sum;
}

static uint64_t at(const struct pv_ladder *l, size_t cohort, size_t step)
{
	return l->bytes[cohort * l->steps + step];
}

/*
 * What counts as a rung: a tenth of what an even growth would make of it. Less comes from elsewhere,
 * as the few arrays that a program's end makes, and says nothing of those that are kept.
 */
static uint64_t least_rung(const struct pv_ladder *l)
{
	uint64_t first = total(l, 0), last = total(l, l->steps - 1);
	uint64_t even = last > first ? (last - first) / (l->steps - 1) : 0;
	return even / 10 + 1;
}

/* The share of steps at which there is more than at the one before. */
static double rising(const struct pv_ladder *l)
{
	uint64_t least = least_rung(l);
	size_t up = 0;
	for (size_t j = 1; j < l->steps; j++)
		up += total(l, j) >= total(l, j - 1) + least;
	return (double)up / (double)(l->steps - 1);
}

/* Of those born between shots, as far as another shot came: the share of bytes that is left. */
static double survival(const struct pv_ladder *l)
{
	double born = 0, left = 0;
	for (size_t k = 1; k + 1 < l->steps; k++) {
		born += (double)at(l, k, k);
		left += (double)at(l, k, l->steps - 1);
	}
	return born > 0 ? left / born : l->steps > 2 ? 0 : 1;
}

/* The share of cohorts born between shots of which half and more is left at the end. */
static double breadth(const struct pv_ladder *l)
{
	uint64_t least = least_rung(l);
	size_t keep = 0, all = l->steps - 1;
	for (size_t k = 1; k < l->steps; k++) {
		uint64_t left = at(l, k, l->steps - 1);
		keep += left >= least && left >= at(l, k, k) / 2;
	}
	return (double)keep / (double)all;
}

/* Growth that one cohort alone makes. */
static bool is_step(const struct pv_ladder *l)
{
	uint64_t most = 0, all = 0;
	for (size_t k = 1; k < l->steps; k++) {
		uint64_t left = at(l, k, l->steps - 1);
		most = left > most ? left : most;
		all += left;
	}
	return l->steps > 2 && all > 0 && most >= all / 10 * 9;
}

static const char *shape(const struct pv_ladder *l, const struct pv_ladder_verdict *v)
{
	uint64_t first = total(l, 0), last = total(l, l->steps - 1);
	double up = rising(l), stay = survival(l);
	if (last == 0)
		return "gone";
	if (v->score >= 60)
		return "staircase";
	if (is_step(l))
		return last > first ? "step" : "renewed";
	if (up >= 0.5 && v->score >= 20)
		return "stairs";
	if (stay < 0.2 && at(l, 0, l->steps - 1) < last)
		return "churn";
	return last > first ? "plateau" : last < first ? "shrinking" : "flat";
}

void pv_ladder_judge(const struct pv_ladder *l, struct pv_ladder_verdict *ret)
{
	*ret = (struct pv_ladder_verdict){ 0, "flat" };
	if (l->steps < 2)
		return;
	double share = survival(l);
	ret->score = 100 * rising(l) * (share > 1 ? 1 : share) * breadth(l);
	ret->shape = shape(l, ret);
}
