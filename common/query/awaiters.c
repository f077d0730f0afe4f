/* SPDX-License-Identifier: MIT */
/* Counts which async method awaits which, and picks the usual awaiter of each. */
#include "common/query/awaiters.h"

#include <stdlib.h>

/* NULL: out of memory. */
static struct pv_awaiter *find_awaiter(struct pv_awaiters *a, uint32_t awaited, uint32_t awaiter)
{
	const uint64_t key = (uint64_t)awaited << 32 | awaiter;
	uint32_t at = pv_map_get(&a->at, key);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)a->v.n;
		if (!pv_reserve(&a->v, 1) || !pv_map_set(&a->at, key, at))
			return NULL;
		a->v.v[a->v.n++] = (struct pv_awaiter){ .awaited = awaited, .awaiter = awaiter };
	}
	return &a->v.v[at];
}

bool pv_awaiters_add(struct pv_awaiters *a, uint32_t awaited, uint32_t awaiter, uint64_t count)
{
	if (awaited == awaiter || !awaited || !awaiter)
		return true;
	struct pv_awaiter *e = find_awaiter(a, awaited, awaiter);
	if (e)
		e->count += count;
	return e != NULL;
}

bool pv_awaiters_never(struct pv_awaiters *a, uint32_t awaited, uint32_t awaiter)
{
	struct pv_awaiter *e = find_awaiter(a, awaited, awaiter);
	if (e)
		e->never = true;
	return e != NULL;
}

static bool is_never(const struct pv_awaiters *a, const struct pv_awaiter *e)
{
	const uint32_t at =
		a ? pv_map_get(&a->at, (uint64_t)e->awaited << 32 | e->awaiter) : PV_MAP_NONE;
	return at != PV_MAP_NONE && a->v.v[at].never;
}

struct sums {
	uint64_t all, most;
	uint32_t awaiter;
};

static void sum_up_awaiters(
	const struct pv_awaiters *a, const struct pv_awaiters *of[2], uint32_t n, struct sums *sum)
{
	for (size_t i = 0; i < a->v.n; i++) {
		const struct pv_awaiter *e = &a->v.v[i];
		if (e->awaited >= n || e->awaiter >= n || is_never(of[0], e) || is_never(of[1], e))
			continue;
		struct sums *s = &sum[e->awaited];
		s->all += e->count;
		if (e->count > s->most) {
			s->most = e->count;
			s->awaiter = e->awaiter;
		}
	}
}

/* No awaiter with less than half of the counts is usual: any other would be as likely. */
static void take_usual(const struct sums *sum, uint32_t n, bool *known, struct pv_usual *to)
{
	for (uint32_t i = 1; i < n; i++) {
		const struct sums *s = &sum[i];
		if (known[i] || !s->all)
			continue;
		known[i] = true;
		if (s->most >= s->all - s->most)
			to[i] = (struct pv_usual){ s->awaiter,
				(uint8_t)(100.0 * (double)s->most / (double)s->all) };
	}
}

static bool choose_usual(const struct pv_awaiters *of[2], uint32_t n, struct pv_usual *to)
{
	bool *known = calloc(n, sizeof *known), ok = known != NULL;
	for (size_t i = 0; ok && i < 2; i++) {
		struct sums *sum = of[i] ? calloc(n, sizeof *sum) : NULL;
		ok = sum || !of[i];
		if (sum) {
			sum_up_awaiters(of[i], of, n, sum);
			take_usual(sum, n, known, to);
		}
		free(sum);
	}
	free(known);
	return ok;
}

/* Breaks the circle through `in` at the least certain awaiter. */
static void break_circle(struct pv_usual *v, uint32_t in)
{
	uint32_t weakest = in;
	for (uint32_t at = v[in].awaiter; at != in; at = v[at].awaiter)
		if (v[at].percent < v[weakest].percent)
			weakest = at;
	v[weakest] = (struct pv_usual){ 0 };
}

/* Visits each method once: a walk ends at a method of an earlier walk, or closes a circle. */
static bool break_circles(struct pv_usual *v, uint32_t n)
{
	uint32_t *met = calloc(n, sizeof *met);
	for (uint32_t from = 1; met && from < n; from++) {
		uint32_t at = from;
		for (; at && !met[at]; at = v[at].awaiter)
			met[at] = from;
		if (at && met[at] == from && v[at].awaiter)
			break_circle(v, at);
	}
	free(met);
	return met != NULL;
}

struct pv_usual *pv_awaiters_usual(
	const struct pv_awaiters *first, const struct pv_awaiters *then, uint32_t n)
{
	const struct pv_awaiters *of[2] = { first, then };
	struct pv_usual *v = calloc(n ? n : 1, sizeof *v);
	if (v && choose_usual(of, n, v) && break_circles(v, n))
		return v;
	free(v);
	return NULL;
}

void pv_awaiters_finish(struct pv_awaiters *a)
{
	pv_array_finish(&a->v);
	pv_map_finish(&a->at);
}
