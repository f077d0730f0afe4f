#include "common/base/ranges.h"

#include <stdlib.h>
#include <string.h>

static int compare(const struct pv_range *x, const struct pv_range *y)
{
	if (x->start != y->start)
		return x->start > y->start ? 1 : -1;
	return (x->order > y->order) - (x->order < y->order);
}

static int by_start(const void *a, const void *b)
{
	return compare(a, b);
}

/* Of equal starts the one added last survives. */
static void drop_equal(struct pv_ranges *r)
{
	size_t to = 0;
	for (size_t i = 0; i < r->range.n; i++) {
		if (to > 0 && r->range.v[to - 1].start == r->range.v[i].start)
			to--;
		r->range.v[to++] = r->range.v[i];
	}
	r->range.n = r->sorted = to;
}

/* Merges the unsorted rest into the sorted part, from the end. */
static bool sort_in(struct pv_ranges *r)
{
	size_t out = r->range.n, a = r->sorted, b = out - a;
	struct pv_range *v = r->range.v, *rest = malloc(b * sizeof *rest);
	if (!rest)
		return false;
	memcpy(rest, v + a, b * sizeof *rest);
	qsort(rest, b, sizeof *rest, by_start);
	while (b > 0) {
		if (a > 0 && compare(&v[a - 1], &rest[b - 1]) > 0)
			v[--out] = v[--a];
		else
			v[--out] = rest[--b];
	}
	free(rest);
	drop_equal(r);
	return true;
}

bool pv_ranges_add(struct pv_ranges *r, uint64_t start, uint64_t size, uint32_t value)
{
	size_t tail = r->range.n - r->sorted;
	if (tail >= 64 + r->sorted / 64 && !sort_in(r))
		return false;
	if (!pv_reserve(&r->range, 1))
		return false;
	bool last = r->sorted == r->range.n &&
		    (r->sorted == 0 || r->range.v[r->sorted - 1].start < start);
	r->range.v[r->range.n++] = (struct pv_range){ start, size, value, r->added++ };
	r->sorted += last;
	return true;
}

static bool holds(const struct pv_range *x, uint64_t address)
{
	uint64_t size = x->size ? x->size : PV_RANGE_GUESS;
	return address >= x->start && address - x->start < size;
}

uint32_t pv_ranges_find(const struct pv_ranges *r, uint64_t address)
{
	const struct pv_range *best = NULL;
	size_t low = 0, high = r->sorted;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (r->range.v[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (low > 0)
		best = &r->range.v[low - 1];
	for (size_t i = r->sorted; i < r->range.n; i++)
		if (r->range.v[i].start <= address && (!best || r->range.v[i].start >= best->start))
			best = &r->range.v[i];
	return best && holds(best, address) ? best->value : 0;
}

void pv_ranges_finish(struct pv_ranges *r)
{
	pv_array_finish(&r->range);
	r->sorted = r->added = 0;
}
