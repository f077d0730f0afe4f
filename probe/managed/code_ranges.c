/* SPDX-License-Identifier: MIT */
/* Sorted ranges of methods' code, searched by address. */
#include "probe/managed/code_ranges.h"

#include <pthread.h>
#include <string.h>

#include "common/base/mem.h"

struct range {
	uint64_t start, end, method;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static PV_ARRAY(struct range) ranges; /* by start; none overlap */

/* The first range ending above the address. */
static size_t range_place(uint64_t ip)
{
	size_t lo = 0, hi = ranges.n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (ranges.v[mid].end <= ip)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void pvp_ranges_add(uint64_t start, uint64_t size, uint64_t method)
{
	struct range r = { start, start + size, method };
	pthread_mutex_lock(&lock);
	if (r.end > r.start && pv_reserve(&ranges, 1)) {
		size_t from = range_place(r.start), to = from;
		while (to < ranges.n && ranges.v[to].start < r.end)
			to++;
		memmove(ranges.v + from + 1, ranges.v + to, (ranges.n - to) * sizeof r);
		ranges.v[from] = r;
		ranges.n = ranges.n - (to - from) + 1;
	}
	pthread_mutex_unlock(&lock);
}

bool pvp_ranges_is(uint64_t start, uint64_t method)
{
	pthread_mutex_lock(&lock);
	size_t i = range_place(start);
	bool is = i < ranges.n && ranges.v[i].start == start && ranges.v[i].method == method;
	pthread_mutex_unlock(&lock);
	return is;
}

uint64_t pvp_ranges_find(uint64_t ip)
{
	pthread_mutex_lock(&lock);
	size_t i = range_place(ip);
	uint64_t method = i < ranges.n && ranges.v[i].start <= ip ? ranges.v[i].method : 0;
	pthread_mutex_unlock(&lock);
	return method;
}

uint64_t pvp_ranges_start(uint64_t ip)
{
	pthread_mutex_lock(&lock);
	size_t i = range_place(ip);
	uint64_t start = i < ranges.n && ranges.v[i].start <= ip ? ranges.v[i].start : 0;
	pthread_mutex_unlock(&lock);
	return start;
}

bool pvp_ranges_near(uint64_t ip)
{
	enum { PAGE = 4096 };
	uint64_t page = ip & ~(uint64_t)(PAGE - 1);
	pthread_mutex_lock(&lock);
	size_t i = range_place(page);
	bool near = i < ranges.n && ranges.v[i].start < page + PAGE;
	pthread_mutex_unlock(&lock);
	return near;
}

void pvp_ranges_drop(uint64_t method)
{
	size_t n = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < ranges.n; i++)
		if (ranges.v[i].method != method)
			ranges.v[n++] = ranges.v[i];
	ranges.n = n;
	pthread_mutex_unlock(&lock);
}

void pvp_ranges_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_array_finish(&ranges);
	pthread_mutex_unlock(&lock);
}
