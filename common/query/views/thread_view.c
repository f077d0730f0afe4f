/* SPDX-License-Identifier: MIT */
/* Threads, or pools of threads with one name: times, calls, samples, allocations. */
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/calls/threads.h"
#include "common/model/time/lanes.h"
#include "common/query/groups/specs.h"
#include "common/query/trends.h"

enum {
	T_OUTSIDE,
	T_ID,
	T_EVENTS,
	T_SHARE,
	T_CPU,
	T_CALLS,
	T_SAMPLES,
	T_ALLOCATIONS,
	T_BYTES,
	T_WAITED,
	T_TREND,
	T_START,
	T_END,
	T_STATE,
	T_NAME,
	T_OWNER
};

static const struct pv_column columns[] = {
	[T_OUTSIDE] = { "id_outside", "OUTSIDE", PV_UNIT_THREAD, 8, 2, PV_COLUMN_ASCENDING,
		.json = 10, .help = "Its number here, where its container has the other one" },
	[T_ID] = { "id", "ID", PV_UNIT_THREAD, 14, 1, PV_COLUMN_ASCENDING, .json = 1 },
	[T_EVENTS] = { "events", "EVENTS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 5,
		.help = "Events that it wrote" },
	[T_SHARE] = { "events_percent", "EVENT%", PV_UNIT_PERCENT, 6, 5, .flags = PV_COLUMN_ADDS,
		.help = "Its part of all events" },
	[T_CPU] = { "cpu_ns", "CPU", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 6,
		.help = "Processor time at samples, else by how many samples it ran" },
	[T_CALLS] = { "calls", "CALLS", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS,
		.help = "Calls that it made" },
	[T_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 7, PV_COLUMN_ADDS,
		.help = "Samples of it" },
	[T_ALLOCATIONS] = { "allocations", "ALLOCS", PV_UNIT_COUNT, 8, 8, PV_COLUMN_ADDS,
		.help = "Objects that it allocated" },
	[T_BYTES] = { "allocated_bytes", "ALLOCATED", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS,
		.json = 7, .help = "Bytes that it allocated" },
	[T_WAITED] = { "lock_wait_ns", "WAITED", PV_UNIT_NS, 9, 3, PV_COLUMN_ADDS, .json = 8,
		.help = "Time that it waited for locks, of waits that have ended" },
	[T_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 4,
		.flags = PV_COLUMN_NUMBERS },
	[T_START] = { "start_ns", "START", PV_UNIT_TIME, 12, 9, PV_COLUMN_ASCENDING, .json = 3 },
	[T_END] = { "end_ns", "END", PV_UNIT_TIME, 12, 10, PV_COLUMN_ASCENDING, .json = 4 },
	[T_STATE] = { "state", "STATE", PV_UNIT_TEXT, 7, 3, .help = "running or ended" },
	[T_NAME] = { "name", "NAME", PV_UNIT_TEXT, 16, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 2, .help = "Name, and how many threads have it where they are one row" },
	[T_OWNER] = { "owner", "OWNER", PV_UNIT_TEXT, 8, 11,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN, .json = 9 },
};

/* Threads with the same name, summed up. */
struct pool {
	struct pv_thread sum;
	uint32_t n;
	int64_t last_ns; /* the latest end; PV_NEVER: some thread goes on */
};

struct threads {
	const struct pv_model *m;
	uint64_t *ran; /* running samples by index of the thread; NULL: not known */
	struct pv_map pool_of;
	PV_ARRAY(struct pool) pool;
};

/* A thread's processor time: as logged, else running samples times their period. */
static void put_cpu(const struct threads *x, const struct pv_thread *t, struct pv_cell *c)
{
	const int64_t period_ns = x->m->lanes.period_ns;
	if (x->m->tree_sums.cpu_times)
		pv_cell_i(c, (int64_t)t->cpu_ns);
	else if (x->ran && period_ns)
		pv_cell_i(c, (int64_t)x->ran[t->index] * period_ns);
	else
		pv_cell_null(c);
}

/* A pool has no id; from the first start to the last end. */
static void put_pool(struct pv_build *b, const struct threads *x, const struct pv_thread *t,
	uint32_t n, struct pv_cell *c)
{
	const char *name = pv_intern_text(&x->m->names.text, t->name);
	pv_cell_null(&c[T_OUTSIDE]);
	pv_cell_null(&c[T_ID]);
	pv_cell_s(&c[T_NAME], pv_build_printf(b, "%s (%u)", name, n));
}

static void put_thread(
	struct pv_build *b, const struct threads *x, const struct pv_thread *t, struct pv_cell *c)
{
	const struct pv_model *m = x->m;
	unsigned known = pv_groups_known(m);
	const char *name = pv_intern_text(&m->names.text, t->name);
	pv_cell_u_if(&c[T_OUTSIDE], t->outside, t->outside);
	pv_cell_u(&c[T_ID], t->id);
	pv_cell_u(&c[T_EVENTS], t->events);
	pv_cell_share(&c[T_SHARE], (double)t->events, (double)m->events);
	put_cpu(x, t, &c[T_CPU]);
	pv_cell_u_if(&c[T_CALLS], known & PV_GROUP_CALLS, t->calls);
	pv_cell_u_if(&c[T_SAMPLES], known & PV_GROUP_SAMPLES, t->samples);
	pv_cell_u_if(&c[T_ALLOCATIONS], known & PV_GROUP_ALLOC, t->allocations);
	pv_cell_u_if(&c[T_BYTES], known & PV_GROUP_ALLOC, t->allocated_bytes);
	if (known & PV_GROUP_LOCKS)
		pv_cell_i(&c[T_WAITED], t->lock_wait_ns);
	else
		pv_cell_null(&c[T_WAITED]);
	pv_cell_null(&c[T_TREND]);
	pv_cell_time(&c[T_START], m, t->start_ns);
	pv_cell_time(&c[T_END], m, t->end_ns);
	pv_cell_s(&c[T_STATE], t->end_ns != PV_NEVER ? "ended"
			       : pv_model_goes_on(m) ? "running"
						     : "");
	pv_cell_s(&c[T_NAME], t->name ? name : pv_build_hex(b, t->id));
	pv_cell_s(&c[T_OWNER], pv_thread_is_internal(name) ? "profiler" : "program");
}

/* Adds a lane's running samples; threads without an own lane have none. */
static void add_lane(struct threads *x, const struct pv_lane *l)
{
	for (uint32_t page = 0; page < PV_COUNT_OF(l->page); page++)
		for (uint32_t c = 0; l->page[page] && c < PV_LANE_PAGE; c++)
			x->ran[l->thread] += l->page[page]->samples[c][PV_STATE_RUNNING];
}

/* Running samples by the thread's index; NULL: no samples, or out of memory. */
static void count_ran(struct threads *x, struct pv_model *m)
{
	const struct pv_lanes *l = &m->lanes;
	const struct pv_lane_state *of = l->unnamed.n ? pv_lane_states(m) : NULL;
	x->ran = m->calls.samples ? calloc(m->threads.thread.n + 1, sizeof *x->ran) : NULL;
	for (uint32_t i = 1; x->ran && i < l->lane.n; i++)
		add_lane(x, &l->lane.v[i]);
	for (size_t i = 0; x->ran && of && i < l->unnamed.n; i++) {
		const struct pv_lane_unnamed *u = &l->unnamed.v[i];
		if (of[u->node].state == PV_STATE_RUNNING && u->lane)
			x->ran[l->lane.v[u->lane].thread] += u->samples;
	}
}

static void add_thread(struct pv_thread *to, const struct pv_thread *more)
{
	to->events += more->events;
	to->calls += more->calls;
	to->samples += more->samples;
	to->cpu_ns += more->cpu_ns;
	to->allocations += more->allocations;
	to->allocated_bytes += more->allocated_bytes;
	to->lock_wait_ns += more->lock_wait_ns;
	if (more->end_ns != PV_NEVER)
		to->end_ns = more->end_ns;
}

/* The thread with all that goes on under other numbers. */
static struct pv_thread whole_thread(struct threads *x, uint32_t i, const uint32_t *next)
{
	struct pv_thread t = *x->m->threads.thread.v[i];
	for (uint32_t more = next[i]; more; more = next[more]) {
		add_thread(&t, x->m->threads.thread.v[more]);
		if (x->ran)
			x->ran[i] += x->ran[more];
	}
	return t;
}

/* By number: the number the thread goes on as. NULL when out of memory. */
static uint32_t *find_next(const struct pv_model *m)
{
	size_t n = m->threads.thread.n;
	uint32_t *next = calloc(n, sizeof *next);
	for (uint32_t i = 1; next && i < n; i++)
		if (pv_thread_is_continued(m, m->threads.thread.v[i]))
			next[m->threads.thread.v[i]->before] = i;
	return next;
}

/* False: out of memory. */
static bool add_to_pool(struct threads *x, const struct pv_thread *t)
{
	const uint64_t key = t->name ? t->name : UINT64_C(1) << 32 | t->index;
	const uint32_t at = pv_map_get(&x->pool_of, key);
	if (at == PV_MAP_NONE)
		return pv_reserve(&x->pool, 1) &&
		       pv_map_set(&x->pool_of, key, (uint32_t)x->pool.n) &&
		       (x->pool.v[x->pool.n++] = (struct pool){ *t, 1, t->end_ns }, true);
	struct pool *p = &x->pool.v[at];
	const bool ended = t->end_ns != PV_NEVER && p->last_ns != PV_NEVER;
	add_thread(&p->sum, t);
	if (x->ran)
		x->ran[p->sum.index] += x->ran[t->index];
	if (t->start_ns != PV_NEVER &&
		(p->sum.start_ns == PV_NEVER || t->start_ns < p->sum.start_ns))
		p->sum.start_ns = t->start_ns;
	p->last_ns = !ended ? PV_NEVER : t->end_ns > p->last_ns ? t->end_ns : p->last_ns;
	p->sum.end_ns = p->last_ns;
	p->n++;
	return true;
}

static void put_pools(struct pv_build *b, struct threads *x)
{
	for (size_t i = 0; i < x->pool.n; i++) {
		const struct pool *p = &x->pool.v[i];
		struct pv_cell *c = pv_build_row(b, p->sum.index);
		put_thread(b, x, &p->sum, c);
		if (p->n > 1)
			put_pool(b, x, &p->sum, p->n, c);
	}
	pv_array_finish(&x->pool);
	pv_map_finish(&x->pool_of);
}

static void copy_threads(struct pv_build *b, struct pv_model *m)
{
	uint32_t *next = find_next(m);
	struct threads x = { .m = m };
	count_ran(&x, m);
	if (!next)
		pv_build_fail(b);
	for (uint32_t i = 1; next && i < m->threads.thread.n; i++) {
		struct pv_thread t = *m->threads.thread.v[i];
		bool internal = pv_thread_is_internal(pv_intern_text(&m->names.text, t.name));
		if (!pv_thread_is_meant(m, &t) || (internal && b->query->hide_internal))
			continue;
		t = whole_thread(&x, i, next);
		if (!b->query->pools)
			put_thread(b, &x, &t, pv_build_row(b, i));
		else if (!add_to_pool(&x, &t))
			pv_build_fail(b);
	}
	put_pools(b, &x);
	free(x.ran);
	free(next);
}

const struct pv_view_spec pv_spec_threads = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "cpu_ns",
	.then = "events",
	.copy = copy_threads };
