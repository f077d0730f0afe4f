/* SPDX-License-Identifier: MIT */
/* Times of threads within chosen requests; see request_times.h. */
#include "common/model/ground/request_times.h"

#include "common/base/saturate.h"

void pv_request_times_finish(struct pv_request_times *t)
{
	pv_array_finish(&t->time);
	pv_array_finish(&t->thread);
	pv_map_finish(&t->thread_at);
	pv_map_finish(&t->span);
}

static void widen(struct pv_request_times *t, int64_t from_ns, int64_t to_ns)
{
	const bool first = t->time.n == 0 && t->span.n == 0;
	t->from_ns = first || from_ns < t->from_ns ? from_ns : t->from_ns;
	t->to_ns = first || to_ns > t->to_ns ? to_ns : t->to_ns;
}

bool pv_request_times_add(
	struct pv_request_times *t, uint64_t thread, int64_t from_ns, int64_t to_ns)
{
	struct pv_request_thread *last = t->thread.n ? &t->thread.v[t->thread.n - 1] : NULL;
	if (!pv_reserve(&t->time, 1))
		return false;
	widen(t, from_ns, to_ns);
	if (!last || last->id != thread) {
		if (!pv_reserve(&t->thread, 1) ||
			!pv_map_set(&t->thread_at, thread, (uint32_t)t->thread.n))
			return false;
		last = &t->thread.v[t->thread.n++];
		*last = (struct pv_request_thread){ thread, t->time.n, 0 };
	}
	t->time.v[t->time.n++] = (struct pv_request_time){ from_ns, to_ns };
	last->n++;
	return true;
}

/* A span without an id has no parts: the times are name enough. */
static uint64_t span_key(uint64_t id, int64_t start_ns, int64_t took_ns)
{
	return id ? id : pv_hash((uint64_t)start_ns ^ pv_hash((uint64_t)took_ns)) | 1;
}

bool pv_request_times_add_span(
	struct pv_request_times *t, uint64_t id, int64_t start_ns, int64_t took_ns)
{
	widen(t, start_ns, pv_sat_add(pv_sat_add(start_ns, took_ns), 1));
	return pv_map_set(&t->span, span_key(id, start_ns, took_ns), 1);
}

bool pv_request_times_span(
	const struct pv_request_times *t, uint64_t id, int64_t start_ns, int64_t took_ns)
{
	return pv_map_get(&t->span, span_key(id, start_ns, took_ns)) != PV_MAP_NONE;
}

uint32_t pv_request_times_thread(const struct pv_request_times *t, uint64_t id)
{
	const uint32_t at = pv_map_get(&t->thread_at, id);
	return at == PV_MAP_NONE ? 0 : at + 1;
}

/* Index of the thread's first time with its end after `ns`; past the thread's last: none. */
static size_t first_after(
	const struct pv_request_times *t, const struct pv_request_thread *th, int64_t ns)
{
	size_t low = th->first, high = th->first + th->n;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (t->time.v[mid].to_ns > ns)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

bool pv_request_times_has(const struct pv_request_times *t, uint32_t thread, int64_t ns)
{
	if (!thread)
		return false;
	const struct pv_request_thread *th = &t->thread.v[thread - 1];
	const size_t at = first_after(t, th, ns);
	return at < th->first + th->n && t->time.v[at].from_ns <= ns;
}

int64_t pv_request_times_within(
	const struct pv_request_times *t, uint32_t thread, int64_t from_ns, int64_t to_ns)
{
	if (!thread)
		return 0;
	const struct pv_request_thread *th = &t->thread.v[thread - 1];
	int64_t sum = 0;
	for (size_t i = first_after(t, th, from_ns); i < th->first + th->n; i++) {
		const struct pv_request_time *x = &t->time.v[i];
		if (x->from_ns >= to_ns)
			break;
		const int64_t from = x->from_ns > from_ns ? x->from_ns : from_ns;
		sum += (x->to_ns < to_ns ? x->to_ns : to_ns) - from;
	}
	return sum;
}
