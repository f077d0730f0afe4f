/* SPDX-License-Identifier: MIT */
/* Address ranges in sorted runs: adding, merging, finding. */
#include "common/base/ranges.h"

#include <stdlib.h>
#include <string.h>

static int compare_ranges(const struct pv_range *x, const struct pv_range *y)
{
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_range_start(const void *a, const void *b)
{
	return compare_ranges(a, b);
}

static uint32_t run_start(const struct pv_ranges *r, uint32_t run)
{
	return run > 0 ? r->run[run - 1] : 0;
}

static uint32_t sorted(const struct pv_ranges *r)
{
	return run_start(r, r->runs);
}

/* Of equal starts the range added last survives. */
static void drop_equal(struct pv_ranges *r, uint32_t from)
{
	uint32_t to = from;
	for (uint32_t i = from; i < r->range.n; i++) {
		if (to > from && r->range.v[to - 1].start == r->range.v[i].start)
			to--;
		r->range.v[to++] = r->range.v[i];
	}
	r->range.n = to;
}

/* Merges the last two runs, from the end. No rest may follow them. */
static bool merge_last(struct pv_ranges *r)
{
	uint32_t from = run_start(r, r->runs - 2), a = run_start(r, r->runs - 1);
	uint32_t out = (uint32_t)r->range.n, b = out - a;
	struct pv_range *v = r->range.v, *last = malloc(b * sizeof *last);
	if (!last)
		return false;
	memcpy(last, v + a, b * sizeof *last);
	while (b > 0) {
		if (a > from && compare_ranges(&v[a - 1], &last[b - 1]) > 0)
			v[--out] = v[--a];
		else
			v[--out] = last[--b];
	}
	free(last);
	drop_equal(r, from);
	r->run[--r->runs - 1] = (uint32_t)r->range.n;
	return true;
}

static bool is_long_enough(const struct pv_ranges *r)
{
	if (r->runs < 2)
		return true;
	uint32_t start = run_start(r, r->runs - 1), before = start - run_start(r, r->runs - 2);
	return before / 2 >= sorted(r) - start;
}

static bool merge_runs(struct pv_ranges *r)
{
	while (!is_long_enough(r))
		if (!merge_last(r))
			return false;
	return true;
}

/* The rest becomes a run. */
static bool sort_rest(struct pv_ranges *r)
{
	uint32_t from = sorted(r);
	qsort(r->range.v + from, r->range.n - from, sizeof *r->range.v, by_range_start);
	drop_equal(r, from);
	if (r->runs == PV_RANGE_RUNS && !merge_last(r))
		return false;
	r->run[r->runs++] = (uint32_t)r->range.n;
	return merge_runs(r);
}

/* Most come in order. */
static bool goes_on(const struct pv_ranges *r, uint64_t start)
{
	return r->runs > 0 && sorted(r) == r->range.n && r->range.v[r->range.n - 1].start < start;
}

bool pv_ranges_add(struct pv_ranges *r, uint64_t start, uint64_t size, uint32_t value)
{
	bool last = goes_on(r, start);
	if (r->range.n >= UINT32_MAX || !pv_reserve(&r->range, 1))
		return false;
	r->range.v[r->range.n++] = (struct pv_range){ start, size, value, r->added++ };
	if (last) {
		r->run[r->runs - 1]++;
		return merge_runs(r);
	}
	return r->range.n - sorted(r) < PV_RANGE_REST || sort_rest(r);
}

static bool range_holds(const struct pv_range *x, uint64_t address)
{
	uint64_t size = x->size ? x->size : PV_RANGE_GUESS;
	return address >= x->start && address - x->start < size;
}

/* The last range of a run with a start of at most `address`; NULL: none. */
static const struct pv_range *find_in(const struct pv_ranges *r, uint32_t run, uint64_t address)
{
	const uint32_t from = run_start(r, run);
	uint32_t low = from, high = r->run[run];
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (r->range.v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low > from ? &r->range.v[low - 1] : NULL;
}

uint32_t pv_ranges_find(const struct pv_ranges *r, uint64_t address)
{
	const struct pv_range *best = NULL;
	for (uint32_t i = 0; i < r->runs; i++) {
		const struct pv_range *x = find_in(r, i, address);
		if (x && (!best || compare_ranges(x, best) > 0))
			best = x;
	}
	for (size_t i = sorted(r); i < r->range.n; i++)
		if (r->range.v[i].start <= address && (!best || r->range.v[i].start >= best->start))
			best = &r->range.v[i];
	return best && range_holds(best, address) ? best->value : 0;
}

bool pv_ranges_hold(const struct pv_ranges *r)
{
	if (r->runs > PV_RANGE_RUNS)
		return false;
	for (uint32_t run = 0, from = 0; run < r->runs; from = r->run[run++]) {
		if (r->run[run] <= from || r->run[run] > r->range.n)
			return false;
		for (uint32_t i = from + 1; i < r->run[run]; i++)
			if (r->range.v[i - 1].start >= r->range.v[i].start)
				return false;
	}
	return r->range.n - sorted(r) < PV_RANGE_REST;
}

void pv_ranges_finish(struct pv_ranges *r)
{
	pv_array_finish(&r->range);
	r->runs = r->added = 0;
}
