/* SPDX-License-Identifier: MIT */
/*
 * A model made by hand, for tests of the screen: views answer from a short list of rows that a
 * test may change, through the query layer's own sorting, filtering and unfolding. Included by one
 * file of a test program, in place of the real views.
 */
#ifndef PV_TESTS_FAKE_VIEWS_H
#define PV_TESTS_FAKE_VIEWS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/query/groups/build.h"
#include "common/query/facts.h"
#include "common/query/coverage/thread_lanes.h"
#include "common/query/flame/flame_parts.h"
#include "common/query/views.h"

enum { FAKE_ROWS = 160 };

struct fake_row {
	enum pv_view view;
	uint64_t id, parent;
	const char *name;
	uint64_t count;
	int64_t time;
	uint64_t select; /* only when this row of another view is selected, 0 = always */
	const char *of;  /* sites: the class */
};

struct pv_model {
	uint64_t generation;
	struct pv_summary summary;
	struct fake_row row[FAKE_ROWS];
	size_t rows;
	_Atomic unsigned asked; /* how many tables were taken; on any thread */
};

/* The share, a bar's worth; what was counted; a time; a column that goes first; the name. */
static const struct pv_column fake_flat[] = {
	{ .id = "share",
		.title = "SELF%",
		.unit = PV_UNIT_PERCENT,
		.width = 6,
		.drop = 1,
		.flags = PV_COLUMN_ADDS },
	{ .id = "count",
		.title = "CALLS",
		.unit = PV_UNIT_COUNT,
		.width = 9,
		.drop = 2,
		.flags = PV_COLUMN_ADDS },
	{ .id = "time", .title = "TIME", .unit = PV_UNIT_NS, .width = 9, .drop = 3 },
	{ .id = "delta", .title = "CHANGE", .unit = PV_UNIT_DELTA_BYTES, .width = 9, .drop = 9 },
	{ .id = "half", .title = "HALF", .unit = PV_UNIT_COUNT, .width = 7, .drop = 8 },
	{ .id = "third", .title = "THIRD", .unit = PV_UNIT_COUNT, .width = 7, .drop = 7 },
	{ .id = "name",
		.title = "NAME",
		.unit = PV_UNIT_TEXT,
		.width = 20,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
	{ .id = "class", .title = "CLASS", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_HIDE_SCREEN },
};

static const struct pv_column fake_tree[] = {
	{ .id = "share", .title = "TOTAL%", .unit = PV_UNIT_PERCENT, .width = 6, .drop = 1 },
	{ .id = "count",
		.title = "CALLS",
		.unit = PV_UNIT_COUNT,
		.width = 9,
		.drop = 2,
		.flags = PV_COLUMN_ADDS },
	{ .id = "time", .title = "TIME", .unit = PV_UNIT_NS, .width = 9, .drop = 3 },
	{ .id = "delta", .title = "CHANGE", .unit = PV_UNIT_DELTA_BYTES, .width = 9, .drop = 9 },
	{ .id = "half", .title = "HALF", .unit = PV_UNIT_COUNT, .width = 7, .drop = 8 },
	{ .id = "third", .title = "THIRD", .unit = PV_UNIT_COUNT, .width = 7, .drop = 7 },
	{ .id = "name",
		.title = "NAME",
		.unit = PV_UNIT_TEXT,
		.width = 20,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_TREE },
	{ .id = "class", .title = "CLASS", .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_HIDE_SCREEN },
};

static bool fake_unsampled; /* lanes have no sample */

/* Called by every view before it answers: a test may hold it up. */
static void (*fake_gate)(void);

static bool fake_is_tree(enum pv_view view)
{
	return view == PV_VIEW_CALL_TREE || view == PV_VIEW_CLASS_STACKS ||
	       view == PV_VIEW_COUNTERS || view == PV_VIEW_LOADED || view == PV_VIEW_COVERAGE_TREE;
}

/* Views of a heap's objects ask that only, which a test can make by hand: they are the real ones.
 */
extern const struct pv_view_spec pv_spec_heap_classes, pv_spec_heap_objects, pv_spec_heap_path,
	pv_spec_heap_references, pv_spec_heap_referrers, pv_spec_heap_kept, pv_spec_heap_duplicates,
	pv_spec_heap_awaits, pv_spec_heap_keepers, pv_spec_heap_merged;

static const struct pv_view_spec *fake_heap_spec(enum pv_view view)
{
	switch (view) {
	case PV_VIEW_HEAP_CLASSES:
		return &pv_spec_heap_classes;
	case PV_VIEW_HEAP_OBJECTS:
		return &pv_spec_heap_objects;
	case PV_VIEW_HEAP_PATH:
		return &pv_spec_heap_path;
	case PV_VIEW_HEAP_REFERENCES:
		return &pv_spec_heap_references;
	case PV_VIEW_HEAP_REFERRERS:
		return &pv_spec_heap_referrers;
	case PV_VIEW_HEAP_KEPT:
		return &pv_spec_heap_kept;
	case PV_VIEW_HEAP_DUPLICATES:
		return &pv_spec_heap_duplicates;
	case PV_VIEW_HEAP_AWAITS:
		return &pv_spec_heap_awaits;
	case PV_VIEW_HEAP_KEEPERS:
		return &pv_spec_heap_keepers;
	case PV_VIEW_HEAP_MERGED:
		return &pv_spec_heap_merged;
	default:
		return NULL;
	}
}

struct pv_table *pv_view_table(struct pv_model *m, enum pv_view view, const struct pv_query *q)
{
	bool tree = fake_is_tree(view);
	bool sites = view == PV_VIEW_WAIT_SITES || view == PV_VIEW_THROW_SITES;
	struct pv_view_spec spec = { .column = tree ? fake_tree : fake_flat,
		.columns = PV_COUNT_OF(fake_flat),
		.name = view == PV_VIEW_STREAM ? NULL
			: sites                ? "class"
					       : "name",
		.sort = "count",
		.tree = tree };
	struct pv_build b;
	if (fake_gate)
		fake_gate();
	m->asked++;
	const struct pv_view_spec *real = fake_heap_spec(view);
	if (!pv_build_init(&b, real ? real : &spec, pv_view_name(view), q))
		return NULL;
	if (real) {
		real->run(&b, m);
		return pv_build_finish(&b);
	}
	for (size_t i = 0; i < m->rows; i++) {
		const struct fake_row *r = &m->row[i];
		if (r->view != view || (r->select && r->select != q->select))
			continue;
		struct pv_cell *cell = pv_build_child(&b, r->id, r->parent, 0);
		pv_cell_share(&cell[0], (double)r->count, 1000);
		/* The window halves what is counted, so that it can be distinguished. */
		pv_cell_u(&cell[1], q->window_ns ? r->count / 2 : r->count);
		pv_cell_i(&cell[2], r->time);
		pv_cell_i(&cell[3], q->base ? (int64_t)r->count - 20 : 0);
		pv_cell_u(&cell[4], r->count / 2);
		pv_cell_u(&cell[5], r->count / 3);
		pv_cell_s(&cell[6], r->name);
		pv_cell_s(&cell[7], r->of ? r->of : "");
	}
	struct pv_table *t = pv_build_finish(&b);
	if (t) {
		t->generation = m->generation;
		t->coverage = "complete: everything in this test";
	}
	return t;
}

const struct pv_column *pv_view_columns(enum pv_view view, size_t *ret_n)
{
	const struct pv_view_spec *real = fake_heap_spec(view);
	*ret_n = real ? real->columns : PV_COUNT_OF(fake_flat);
	if (real)
		return real->column;
	return fake_is_tree(view) ? fake_tree : fake_flat;
}

struct pv_series *pv_view_series(struct pv_model *m, enum pv_series_kind kind, uint64_t id,
	int64_t from_ns, int64_t to_ns, size_t cells)
{
	(void)from_ns, (void)to_ns;
	struct pv_series *s = calloc(1, sizeof *s);
	if (!s || !(s->value = calloc(cells ? cells : 1, sizeof *s->value))) {
		free(s);
		return NULL;
	}
	s->n = cells;
	s->name = "figure";
	s->unit = kind == PV_SERIES_HEAP ? PV_UNIT_BYTES : PV_UNIT_COUNT;
	for (size_t i = 0; i < cells; i++)
		s->value[i] = (double)((i + id + m->generation) % 8);
	s->max = 7;
	return s;
}

uint64_t pv_view_thrown(struct pv_model *m, const char *name)
{
	(void)m;
	return name[0] ? 1 : 0;
}

const char *pv_series_name(enum pv_series_kind kind)
{
	return kind == PV_SERIES_SLOWEST ? "slowest" : "p50";
}

void pv_series_destroy(struct pv_series *s)
{
	if (s)
		free(s->value);
	free(s);
}

void pv_view_summary(struct pv_model *m, struct pv_summary *ret)
{
	*ret = m->summary;
	ret->generation = m->generation;
}

/* The heap, whatever was found. */
const enum pv_series_kind *pv_finding_proof(const char *id)
{
	static const enum pv_series_kind heap[] = { PV_SERIES_HEAP, PV_SERIES_KINDS };
	(void)id;
	return heap;
}

uint64_t pv_view_generation(struct pv_model *m)
{
	return m->generation;
}

uint64_t pv_view_model(const struct pv_model *m)
{
	return (uintptr_t)m; /* they lie still */
}

/* --- flames: of the rows of the call tree, whatever is measured --- */

static uint32_t fake_place(const struct pv_model *m, uint64_t id)
{
	uint32_t n = 0;
	for (size_t i = 0; i < m->rows; i++) {
		n += m->row[i].view == PV_VIEW_CALL_TREE;
		if (m->row[i].view == PV_VIEW_CALL_TREE && m->row[i].id == id)
			return n;
	}
	return 0;
}

struct pv_flame_tree *pv_flame_tree_make(
	struct pv_model *m, enum pv_flame_measure measure, const struct pv_query *q)
{
	uint32_t parent[FAKE_ROWS + 1] = { 0 }, first[FAKE_ROWS + 1] = { 0 };
	uint32_t next[FAKE_ROWS + 1] = { 0 }, group[FAKE_ROWS + 1] = { 0 };
	uint64_t self[FAKE_ROWS + 1] = { 0 };
	struct pv_flame_tree *t = calloc(1, sizeof *t);
	(void)measure;
	if (fake_gate)
		fake_gate();
	if (!t || !(t->frame.v = calloc(FAKE_ROWS + 1, sizeof *t->frame.v)))
		return free(t), NULL;
	t->refs = 1;
	t->generation = m->generation;
	t->coverage = "complete: everything in this test";
	t->frame.readable = q->readable;
	struct pv_call_copy copy = {
		.n = 1, .parent = parent, .group = group, .first_child = first, .next_sibling = next
	};
	for (size_t i = 0; i < m->rows; i++) {
		if (m->row[i].view != PV_VIEW_CALL_TREE)
			continue;
		uint32_t at = (uint32_t)copy.n++;
		parent[at] = fake_place(m, m->row[i].parent);
		group[at] = at;
		self[at] = m->row[i].count / (q->window_ns ? 2 : 1);
		next[at] = first[parent[at]];
		first[parent[at]] = at;
		t->frame.v[at] = (struct pv_flame_frame){
			.name = m->row[i].name, .key = pv_hash(m->row[i].id) | 1, .kind = at % 4
		};
	}
	t->frame.v[0].name = "(no stack)";
	t->frame.n = (uint32_t)copy.n;
	struct pv_flame_source from = { .copy = &copy, .self = self };
	if (pv_flame_shape_make(&from, &t->frame, &t->whole))
		return t;
	pv_flame_tree_drop(t);
	return NULL;
}

static inline struct fake_row *fake_find(struct pv_model *m, enum pv_view view, uint64_t id)
{
	for (size_t i = 0; i < m->rows; i++)
		if (m->row[i].view == view && m->row[i].id == id)
			return &m->row[i];
	return NULL;
}

/* --- lanes: two threads that take turns to run, each for a quarter of the time --- */

struct pv_lanes_answer *pv_lanes_ask(struct pv_model *m, const struct pv_lanes_wish *w)
{
	const struct fake_row *first = fake_find(m, PV_VIEW_THREADS, 1);
	const char *const name[] = { first ? first->name : "", "worker" };
	struct pv_lanes_answer *a = calloc(1, sizeof *a);
	const bool all = w->from_ns >= w->to_ns;
	if (!a)
		return NULL;
	*a = (struct pv_lanes_answer){ .from_ns = all ? 0 : w->from_ns,
		.to_ns = all ? m->summary.duration_ns + 1 : w->to_ns,
		.cells = w->cells,
		.rows = first ? 2 : 0,
		.sampled = !fake_unsampled,
		.generation = m->generation };
	a->row = calloc(2, sizeof *a->row);
	a->stopped = calloc(w->cells, sizeof *a->stopped);
	a->spans = calloc(w->cells, sizeof *a->spans);
	for (size_t i = 0; i < a->rows; i++) {
		struct pv_lanes_row *row = &a->row[i];
		*row = (struct pv_lanes_row){ .id = i + 1, .native = i + 1, .name = name[i] };
		row->cell = calloc(w->cells, sizeof *row->cell);
		for (size_t c = 0; c < w->cells; c++) {
			int64_t quarter = 4 * (pv_lanes_time(a, c) / 1000) /
					  (m->summary.duration_ns / 1000 + 1);
			row->cell[c].samples[quarter % 2 == (int64_t)i ? PV_STATE_RUNNING
								       : PV_STATE_LOCK] = 10;
		}
	}
	return a;
}

/* --- a small world --- */

static inline void fake_add(struct pv_model *m, struct fake_row row)
{
	if (m->rows < FAKE_ROWS)
		m->row[m->rows++] = row;
	m->generation++;
}

static inline struct pv_model *fake_world(void)
{
	static const struct fake_row rows[] = {
		{ PV_VIEW_METHODS, 1, 0, "App.Main()", 10, 900, 0, NULL },
		{ PV_VIEW_METHODS, 2, 0, "App.Work(int)", 300, 500, 0, NULL },
		{ PV_VIEW_METHODS, 3, 0, "Lib.Sort(int[])", 200, 700, 0, NULL },
		{ PV_VIEW_METHODS, 4, 0, "Lib.Read()", 100, 100, 0, NULL },
		{ PV_VIEW_CALLERS, 1, 0, "App.Main()", 7, 70, 2, NULL },
		{ PV_VIEW_CALLERS, 2, 0, "App.Work(int)", 5, 50, 3, NULL },
		{ PV_VIEW_CALLERS, 4, 0, "Lib.Read()", 4, 40, 3, NULL },
		{ PV_VIEW_CALLEES, 3, 0, "Lib.Sort(int[])", 6, 60, 2, NULL },
		{ PV_VIEW_CALLEES, 4, 0, "Lib.Read()", 3, 30, 2, NULL },
		{ PV_VIEW_CALL_TREE, 11, 0, "App.Main()", 400, 900, 0, NULL },
		{ PV_VIEW_CALL_TREE, 12, 11, "App.Work(int)", 300, 500, 0, NULL },
		{ PV_VIEW_CALL_TREE, 13, 12, "Lib.Sort(int[])", 200, 300, 0, NULL },
		{ PV_VIEW_CALL_TREE, 14, 11, "Lib.Read()", 100, 100, 0, NULL },
		{ PV_VIEW_CALL_TREE, 15, 14, "Lib.Parse()", 50, 90, 0, NULL },
		{ PV_VIEW_CALL_TREE, 16, 0, "Worker.Run()", 30, 80, 0, NULL },
		{ PV_VIEW_CLASSES, 21, 0, "System.String", 800, 0, 0, NULL },
		{ PV_VIEW_CLASSES, 22, 0, "App.Tile", 100, 0, 0, NULL },
		{ PV_VIEW_CLASS_STACKS, 31, 0, "Lib.Read()", 700, 0, 21, NULL },
		{ PV_VIEW_CLASS_STACKS, 32, 31, "App.Main()", 700, 0, 21, NULL },
		{ PV_VIEW_COLLECTIONS, 41, 0, "minor", 1, 3, 0, NULL },
		{ PV_VIEW_COLLECTIONS, 42, 0, "major", 2, 9, 0, NULL },
		{ PV_VIEW_GENERATIONS, 1, 0, "0", 5, 15, 0, NULL },
		{ PV_VIEW_PAUSES, 1, 0, "stop", 1, 2, 0, NULL },
		{ PV_VIEW_PAUSES, 2, 0, "stop", 2, 3, 0, NULL },
		{ PV_VIEW_SHOTS, 1, 0, "at 1 s", 50, 0, 0, NULL },
		{ PV_VIEW_SHOTS, 2, 0, "at 2 s", 40, 0, 0, NULL },
		{ PV_VIEW_SHOT_CLASSES, 21, 0, "System.String", 30, 0, 0, NULL },
		{ PV_VIEW_SHOT_CLASSES, 22, 0, "App.Tile", 20, 0, 0, NULL },
		{ PV_VIEW_SHOT_DIFF, 22, 0, "App.Tile", 25, 0, 0, NULL },
		{ PV_VIEW_THREADS, 51, 0, "main", 70, 0, 0, NULL },
		{ PV_VIEW_THREADS, 52, 0, "worker", 60, 0, 0, NULL },
		{ PV_VIEW_LOCKS, 61, 0, "App.Cache", 9, 90, 0, NULL },
		{ PV_VIEW_SPANS, 65, 0, "GET /orders", 1, 90, 0, NULL },
		{ PV_VIEW_SPANS, 66, 0, "select * from orders", 2, 40, 0, NULL },
		{ PV_VIEW_WAIT_SITES, 62, 0, "App.Main()\nLib.Read()", 9, 90, 0, "App.Cache" },
		{ PV_VIEW_WAIT_SITES, 63, 0, "App.Main()\nLib.Parse()", 8, 90, 0,
			"App.CacheEntry" },
		{ PV_VIEW_EXCEPTIONS, 71, 0, "System.IO.IOException", 3, 0, 0, NULL },
		{ PV_VIEW_THROW_SITES, 72, 0, "App.Main()\nLib.Read()", 3, 0, 0,
			"System.IO.IOException" },
		{ PV_VIEW_CLAUSES, 1, 0, "catch", 3, 0, 0, NULL },
		{ PV_VIEW_HANDLES, 1, 0, "weak", 30, 0, 0, NULL },
		{ PV_VIEW_HANDLE_SITES, 2, 0, "App.Main()\nLib.Read()", 9, 0, 1, NULL },
		{ PV_VIEW_FINALIZERS, 3, 0, "App.Tile", 8, 70, 0, NULL },
		{ PV_VIEW_LOADED, 1, 0, "domains", 2, 0, 0, NULL },
		{ PV_VIEW_LOADED, 2, 1, "app.exe", 1, 0, 0, NULL },
		{ PV_VIEW_COVERAGE_TREE, 1, 0, "app", 40, 0, 0, NULL },
		{ PV_VIEW_COVERAGE_TREE, 2, 1, "App.Tile", 30, 0, 0, NULL },
		{ PV_VIEW_CODE_COVERAGE_LINES, 3, 0, "", 3, 0, 2, NULL },
		{ PV_VIEW_ROOTS, 1, 0, "stack", 40, 0, 0, NULL },
		{ PV_VIEW_ROOT_AREAS, 2, 0, "Thread Stack", 40, 0, 1, NULL },
		{ PV_VIEW_JIT_METHODS, 81, 0, "App.Main()", 100, 5, 0, NULL },
		{ PV_VIEW_JIT_HELPERS, 82, 0, "trampoline", 100, 5, 0, NULL },
		{ PV_VIEW_COUNTERS, 91, 0, "Mono JIT", 0, 0, 0, NULL },
		{ PV_VIEW_COUNTERS, 92, 91, "Methods compiled", 55, 0, 0, NULL },
		{ PV_VIEW_COUNTERS, 93, 91, "Code bytes", 44, 0, 0, NULL },
	};
	struct pv_model *m = calloc(1, sizeof *m);
	if (!m)
		return NULL;
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		fake_add(m, rows[i]);
	m->summary = (struct pv_summary){ .format = "mlpd 17",
		.runtime = "x86-64 linux",
		.pid = 4711,
		.duration_ns = INT64_C(61400000000),
		.events = 12345,
		.calls = 610,
		.thrown = 3,
		.allocations = 900,
		.allocated_bytes = 65536,
		.heap_bytes = 4 << 20,
		.heap_max_bytes = 5 << 20,
		.collections = { 6, 1 },
		.pause_ns = 12000000,
		.pause_max_ns = 9000000,
		.threads = 2,
		.shots = 2,
		.shot = 1,
		.recorded = 0x7fff,
		.enabled = 0x7fff };
	return m;
}

#endif
