#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/calls/threads.h"
#include "common/query/specs.h"
#include "common/query/trends.h"

enum {
	T_ID,
	T_EVENTS,
	T_SHARE,
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
	[T_ID] = { "id", "ID", PV_UNIT_THREAD, 14, 3, PV_COLUMN_ASCENDING },
	[T_EVENTS] = { "events", "EVENTS", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS },
	[T_SHARE] = { "events_percent", "EVENT%", PV_UNIT_PERCENT, 6, 5,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[T_CALLS] = { "calls", "CALLS", PV_UNIT_COUNT, 8, 6, PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[T_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 7,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[T_ALLOCATIONS] = { "allocations", "ALLOCS", PV_UNIT_COUNT, 8, 8,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[T_BYTES] = { "allocated_bytes", "ALLOCATED", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS },
	[T_WAITED] = { "lock_wait_ns", "WAITED", PV_UNIT_NS, 9, 3, PV_COLUMN_ADDS },
	[T_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 4,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_NUMBERS },
	[T_START] = { "start_ns", "START", PV_UNIT_TIME, 12, 9, PV_COLUMN_ASCENDING },
	[T_END] = { "end_ns", "END", PV_UNIT_TIME, 12, 10, PV_COLUMN_ASCENDING },
	[T_STATE] = { "state", "STATE", PV_UNIT_TEXT, 7, 3, PV_COLUMN_HIDE_JSON },
	[T_NAME] = { "name", "NAME", PV_UNIT_TEXT, 16, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
	[T_OWNER] = { "owner", "OWNER", PV_UNIT_TEXT, 8, 11,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN },
};

static void put_thread(
	struct pv_build *b, const struct pv_model *m, const struct pv_thread *t, struct pv_cell *c)
{
	unsigned known = pv_groups_known(m);
	const char *name = pv_intern_text(&m->names.text, t->name);
	pv_cell_u(&c[T_ID], t->id);
	pv_cell_u(&c[T_EVENTS], t->events);
	pv_cell_share(&c[T_SHARE], (double)t->events, (double)m->events);
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
	pv_cell_s(&c[T_STATE], t->end_ns != PV_NEVER ? "ended" : m->ended ? "" : "running");
	pv_cell_s(&c[T_NAME], t->name ? name : pv_build_hex(b, t->id));
	pv_cell_s(&c[T_OWNER], pv_thread_is_internal(name) ? "profiler" : "program");
}

static void add_thread(struct pv_thread *to, const struct pv_thread *more)
{
	to->events += more->events;
	to->calls += more->calls;
	to->samples += more->samples;
	to->allocations += more->allocations;
	to->allocated_bytes += more->allocated_bytes;
	to->lock_wait_ns += more->lock_wait_ns;
	if (more->end_ns != PV_NEVER)
		to->end_ns = more->end_ns;
}

/* With what of it goes on under another number. */
static struct pv_thread whole_thread(const struct pv_model *m, uint32_t i, const uint32_t *next)
{
	struct pv_thread t = *m->threads.thread.v[i];
	for (uint32_t more = next[i]; more; more = next[more])
		add_thread(&t, m->threads.thread.v[more]);
	return t;
}

/* By number: the one that is counted with it. NULL when out of memory. */
static uint32_t *find_next(const struct pv_model *m)
{
	size_t n = m->threads.thread.n;
	uint32_t *next = calloc(n, sizeof *next);
	for (uint32_t i = 1; next && i < n; i++)
		if (pv_thread_is_continued(m, m->threads.thread.v[i]))
			next[m->threads.thread.v[i]->before] = i;
	return next;
}

static void copy_threads(struct pv_build *b, struct pv_model *m)
{
	uint32_t *next = find_next(m);
	if (!next)
		pv_build_fail(b);
	for (uint32_t i = 1; next && i < m->threads.thread.n; i++) {
		struct pv_thread t = *m->threads.thread.v[i];
		bool internal = pv_thread_is_internal(pv_intern_text(&m->names.text, t.name));
		if (!pv_thread_is_meant(m, &t) || (internal && b->query->hide_internal))
			continue;
		t = whole_thread(m, i, next);
		put_thread(b, m, &t, pv_build_row(b, i));
	}
	free(next);
}

const struct pv_view_spec pv_spec_threads = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "start_ns",
	.copy = copy_threads };
