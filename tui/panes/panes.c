/* The panes as rows, and the charts of the two that have one. */
#include <stdio.h>

#include "common/base/status.h"
#include "tui/draw/chart.h"
#include "tui/panes/pane.h"

enum { CHART_ROWS = 8, RATE_ROWS = 4, HEAP = 0, PAUSES = 1 };

/* A graph with its greatest value and zero at the left. */
static void draw_graph(
	struct ui_canvas *c, struct ui_rect r, const struct pv_series *s, enum ui_style style)
{
	char text[64];
	ui_put_right(c, ui_cols(ui_rows(r, 0, 1), 0, UI_CHART_LABEL - 2), UI_DIM,
		ui_value_text(s->max, s->unit, text, sizeof text));
	if (r.h > 1)
		ui_put_right(
			c, ui_cols(ui_rows(r, r.h - 1, 1), 0, UI_CHART_LABEL - 2), UI_DIM, "0");
	ui_vline(c, ui_cols(r, UI_CHART_LABEL - 1, 1));
	ui_graph(c, ui_cols(r, UI_CHART_LABEL, r.w), style,
		(struct ui_values){ s->value, s->n, s->max });
}

static void draw_gc(const struct ui_pane *p, struct ui_canvas *c, struct ui_rect r)
{
	struct ui_rect heap = ui_rows(r, 0, r.h - 1), pause = ui_rows(r, r.h - 1, 1);
	if (p->graphs.series[HEAP])
		draw_graph(c, heap, p->graphs.series[HEAP], UI_HEAP);
	const struct pv_series *s = p->graphs.series[PAUSES];
	if (!s)
		return;
	ui_put_right(c, ui_cols(pause, 0, UI_CHART_LABEL - 2), UI_DIM, "pauses");
	ui_vline(c, ui_cols(pause, UI_CHART_LABEL - 1, 1));
	ui_spark(c, ui_cols(pause, UI_CHART_LABEL, r.w), UI_MAJOR,
		(struct ui_values){ s->value, s->n, s->max });
}

static void draw_counter(const struct ui_pane *p, struct ui_canvas *c, struct ui_rect r)
{
	const char *name = ui_list_shown_name(&p->list[0], ui_list_row(&p->list[0]));
	ui_put(c, ui_cols(r, UI_CHART_LABEL, r.w), UI_TITLE, name ? name : "");
	const struct pv_row *row = ui_list_row(&p->list[0]);
	if (row && row->parent == 0 && p->list[0].tree)
		ui_put(c, ui_rows(ui_cols(r, UI_CHART_LABEL, r.w), 1, 1), UI_DIM,
			"a counter below it shows its graph here");
	else if (p->graphs.series[0] && p->graphs.series[0]->n)
		draw_graph(c, ui_rows(r, 1, r.h), p->graphs.series[0], UI_HEAP);
}

static void draw_rate(const struct ui_pane *p, struct ui_canvas *c, struct ui_rect r)
{
	const char *name = ui_list_shown_name(&p->list[0], ui_list_row(&p->list[0]));
	char text[UI_TEXT_MAX];
	snprintf(text, sizeof text, "%s a second", name ? name : "");
	ui_put(c, ui_cols(r, UI_CHART_LABEL, r.w), UI_TITLE, text);
	if (p->graphs.series[0] && p->graphs.series[0]->n)
		draw_graph(c, ui_rows(r, 1, r.h), p->graphs.series[0], UI_HEAP);
}

const struct ui_pane_def ui_pane_defs[] = {
	{ .command = UI_CMD_OVERVIEW, .room = UI_CMD_HOME, .tab = "Home",
		.hint = { { 0, "Enter: evidence" },
			{ 0, "Tab: next block" },
			{ 0, "{ } cursor of time" },
			{ 0, "F1 help" } }},
	{ .command = UI_CMD_FINDINGS, .room = UI_CMD_HOME, .tab = "Findings",
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "Enter: the evidence, with filter and range; Backspace returns" },
			{ UI_HINT_ROWS, "75 is severe, 50 a warning" } },
		.part = {
			{ .view = PV_VIEW_FINDINGS, .drill = UI_DRILL_EVIDENCE },
			{ .view = PV_VIEW_FINDING_FACTS, .title = "ABOUT: %s",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_INFO, .room = UI_CMD_HOME, .tab = "Recording",
		.parts = 4,
		.hint = { { 0, "What the log can say, what it cannot, and what of it is damaged" } },
		.part = {
			{ .view = PV_VIEW_COVERAGE },
			{ .view = PV_VIEW_SOURCE, .title = "THE LOG ITSELF",
				.drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_DAMAGE, .title = "DAMAGE", .hide_empty = true,
				.drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_EVENTS, .title = "EVENTS READ",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_PROCESSES, .room = UI_CMD_HOME, .tab = "Processes",
		.folder = true, .parts = 1,
		.hint = { { UI_HINT_ROWS, "Enter: its log in all views" },
			{ UI_HINT_ROWS, "* marks the one that is read" },
			{ UI_HINT_ROWS, "+ - * fold" } },
		.part = {
			{ .view = PV_VIEW_PROCESSES, .tree = true, .unfold = UI_UNFOLD_ALL,
				.drill = UI_DRILL_PROCESS },
		} },
	{ .command = UI_CMD_METHODS, .room = UI_CMD_CPU, .tab = "Methods",
		.needs = PV_GROUP_CALLS | PV_GROUP_SAMPLES, .records = "--sample, or --calls",
		.windowed = true,
		.grouped = true,
		.scope = UI_SCOPE_CALLS | UI_SCOPE_METHODS, .parts = 4,
		.hint = { { UI_HINT_ROWS, "Enter on a method or F5: its place in the call tree" },
			{ UI_HINT_ROWS, "on a caller or callee: goes there, Backspace back" } },
		.part = {
			{ .view = PV_VIEW_METHODS, .kind = UI_KIND_METHOD, .drill = UI_DRILL_TREE },
			{ .view = PV_VIEW_CALLERS, .title = "CALLERS of %s",
				.kind = UI_KIND_METHOD, .drill = UI_DRILL_MAIN },
			{ .view = PV_VIEW_CALLEES, .title = "CALLEES of %s",
				.kind = UI_KIND_METHOD, .drill = UI_DRILL_MAIN },
			{ .view = PV_VIEW_SAMPLE_LINES, .title = "SAMPLES BY LINE of %s",
				.drill = UI_DRILL_NOWHERE, .only = PV_GROUP_LINES },
		} },
	{ .command = UI_CMD_CALL_TREE, .room = UI_CMD_CPU, .tab = "Tree",
		.needs = PV_GROUP_CALLS | PV_GROUP_SAMPLES, .records = "--sample, or --calls",
		.windowed = true,
		.scope = UI_SCOPE_CALLS | UI_SCOPE_METHODS | UI_SCOPE_CALL_TREE, .parts = 1,
		.hint = { { UI_HINT_ROWS, "+ - * fold" },
			{ UI_HINT_ROWS, "l heaviest path" },
			{ UI_HINT_ROWS, "B from callees to callers" },
			{ UI_HINT_ROWS, "a hides small rows" },
			{ UI_HINT_ROWS, "Enter or F5: the method with its callers" } },
		.part = {
			{ .view = PV_VIEW_CALL_TREE, .kind = UI_KIND_METHOD, .tree = true,
				.unfold = UI_UNFOLD_HOT, .drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_FLAME, .room = UI_CMD_CPU, .tab = "Flame",
		.windowed = true, .flame = true,
		.scope = UI_SCOPE_CALLS | UI_SCOPE_FLAME, .parts = 1,
		.hint = { { 0, "Arrows move, Enter zooms, Backspace undoes" },
			{ 0, "m measure" },
			{ 0, "d heat: a burst" },
			{ 0, "B bottom-up, s sandwich, x leave out, o only" },
			{ 0, "u upside down" } },
		.part = {
			{ .view = PV_VIEW_CALL_TREE, .kind = UI_KIND_METHOD, .drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_TIMELINE, .room = UI_CMD_CPU, .tab = "Timeline",
		.needs = PV_GROUP_SAMPLES, .records = "--sample",
		.timeline = true,
		.scope = UI_SCOPE_LANES, .parts = 1,
		.hint = { { 0, "Arrows move, + - zoom, ( ) next change" },
			{ 0, "Space sets an end of a time" },
			{ 0, "Enter: its stacks, o: for all views; Backspace returns" } },
		.part = {
			{ .view = PV_VIEW_TIMELINE, .kind = UI_KIND_THREAD, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_ALLOCATIONS, .room = UI_CMD_ALLOC, .tab = "Classes",
		.needs = PV_GROUP_ALLOC, .records = "--alloc",
		.windowed = true,
		.grouped = true,
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "Enter: the stacks that allocate" },
			{ UI_HINT_MORE, "Enter there: the method" } },
		.part = {
			{ .view = PV_VIEW_CLASSES, .kind = UI_KIND_CLASS, .drill = UI_DRILL_NARROW },
			{ .view = PV_VIEW_CLASS_STACKS, .title = "WHERE %s IS ALLOCATED",
				.kind = UI_KIND_METHOD, .tree = true, .unfold = UI_UNFOLD_HOT,
				.drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_SURVIVAL, .room = UI_CMD_ALLOC, .tab = "Survival",
		.needs = PV_GROUP_ALLOC, .records = "--alloc --heapshot",
		.grouped = true,
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "Who lives on at the newest heap shot" },
			{ UI_HINT_ROWS, "Enter: the stacks that allocate the class" } },
		.part = {
			{ .view = PV_VIEW_SURVIVAL, .kind = UI_KIND_CLASS,
				.drill = UI_DRILL_CLASSES },
			{ .view = PV_VIEW_ALLOCATION_SIZES, .title = "HOW LARGE OBJECTS ARE",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_SHOTS, .room = UI_CMD_HEAP, .tab = "Shots",
		.needs = PV_GROUP_SHOTS, .records = "--heapshot",
		.grouped = true,
		.scope = UI_SCOPE_HEAP, .parts = 3,
		.either = true, .few = true,
		.hint = { { UI_HINT_TELL, "S takes a shot" },
			{ UI_HINT_TWO, "m marks the base, then another shot shows the difference to it" },
			{ UI_HINT_MORE, "Enter on a class: its objects" } },
		.part = {
			{ .view = PV_VIEW_SHOTS, .newest = true },
			{ .view = PV_VIEW_SHOT_CLASSES, .title = "CLASSES of %s",
				.kind = UI_KIND_CLASS, .drill = UI_DRILL_OBJECTS },
			{ .view = PV_VIEW_SHOT_DIFF, .title = "DIFFERENCE from the base (B) to %s",
				.kind = UI_KIND_CLASS, .drill = UI_DRILL_CLASSES },
		} },
	{ .command = UI_CMD_LADDER, .room = UI_CMD_HEAP, .tab = "Growth",
		.needs = PV_GROUP_SHOTS, .records = "--heapshot",
		.grouped = true,
		.scope = UI_SCOPE_DIFF, .parts = 3,
		.hint = { { UI_HINT_ROWS, "Who was born between two shots and lives on" },
			{ UI_HINT_ROWS, "Enter: cohorts, births, the method" },
			{ UI_HINT_ROWS, "W what keeps them" } },
		.part = {
			{ .view = PV_VIEW_HEAP_LADDER, .kind = UI_KIND_CLASS, .drill = UI_DRILL_NARROW },
			{ .view = PV_VIEW_HEAP_COHORTS, .title = "COHORTS of %s",
				.drill = UI_DRILL_DETAIL },
			{ .view = PV_VIEW_HEAP_COHORT_SITES, .title = "BIRTHS of the cohort of %s",
				.of_second = true, .kind = UI_KIND_METHOD,
				.drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_DIFF, .room = UI_CMD_HEAP, .tab = "Diff",
		.needs = PV_GROUP_SHOTS, .records = "--heapshot",
		.grouped = true,
		.scope = UI_SCOPE_DIFF, .parts = 3,
		.hint = { { 0, "m in Shots marks the base" },
			{ UI_HINT_ROWS, "y same by identity, class, address" },
			{ UI_HINT_ROWS, "o rows" },
			{ UI_HINT_ROWS, "b groups" },
			{ UI_HINT_ROWS, "W what keeps the new" } },
		.part = {
			{ .view = PV_VIEW_HEAP_DIFF, .kind = UI_KIND_CLASS, .drill = UI_DRILL_NARROW },
			{ .view = PV_VIEW_HEAP_DIFF_SITES, .title = "WHERE %s IS BORN",
				.kind = UI_KIND_METHOD, .drill = UI_DRILL_METHODS },
			{ .view = PV_VIEW_HEAP_DIFF_THREADS, .title = "WHO MADE %s",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_OBJECTS, .room = UI_CMD_HEAP, .tab = "Objects",
		.needs = PV_GROUP_SHOTS, .records = "--heapshot",
		.scope = UI_SCOPE_OBJECTS, .parts = 4,
		.hint = { { UI_HINT_ROWS, "c classes, o keepers, r awaits, d dominators, B biggest, t duplicates, W paths, f find, a keep as set" },
			{ UI_HINT_ROWS, "Enter in, Backspace out, ( ) back and forward" } },
		.part = {
			{ .view = PV_VIEW_HEAP_CLASSES, .drill = UI_DRILL_BROWSE },
			{ .view = PV_VIEW_HEAP_REFERENCES, .title = "REFERENCES of %s",
				.drill = UI_DRILL_BROWSE },
			{ .view = PV_VIEW_HEAP_REFERRERS, .title = "REFERRERS of %s",
				.drill = UI_DRILL_BROWSE },
			{ .view = PV_VIEW_HEAP_PATH, .title = "PATH TO A ROOT from %s",
				.drill = UI_DRILL_BROWSE },
		} },
	{ .command = UI_CMD_ROOTS, .room = UI_CMD_HEAP, .tab = "Roots",
		.needs = PV_GROUP_ROOTS, .records = "--heapshot",
		.parts = 2, .few = true,
		.hint = { { UI_HINT_ROWS, "ROOTS are those of the newest list, IN ALL those of every list" },
			{ UI_HINT_ROWS, "Enter: the areas" } },
		.part = {
			{ .view = PV_VIEW_ROOTS },
			{ .view = PV_VIEW_ROOT_AREAS, .title = "AREAS: %s",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_HELD, .room = UI_CMD_HEAP, .tab = "Held",
		.needs = PV_GROUP_HELD, .records = "--leaks", .rare = true,
		.parts = 1,
		.hint = { { UI_HINT_ROWS, "Who holds memory, and since when it grows" },
			{ UI_HINT_ROWS, "Enter: the method" } },
		.part = {
			{ .view = PV_VIEW_HELD, .kind = UI_KIND_METHOD, .drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_COLLECTIONS, .room = UI_CMD_GC, .tab = "Pauses",
		.needs = PV_GROUP_GC | PV_GROUP_PAUSES, .records = "--probe gc",
		.parts = 6,
		.hint = { { UI_HINT_ROWS, "Enter: why it came, what was allocated before it" },
			{ UI_HINT_ROWS | UI_HINT_GROWS, "The cursor follows the newest until it is moved, F lets it follow again" },
			{ UI_HINT_ROWS, "Tab: how long they lasted, stops" } },
		.chart = { .rows = CHART_ROWS, .kinds = 2, .draw = draw_gc,
			.kind = { [HEAP] = PV_SERIES_HEAP, [PAUSES] = PV_SERIES_PAUSE } },
		.part = {
			{ .view = PV_VIEW_COLLECTIONS, .newest = true, .drill = UI_DRILL_BEFORE },
			{ .view = PV_VIEW_PAUSE_SPREAD, .title = "HOW LONG PAUSES WERE",
				.drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_PAUSES, .title = "WORLD STOPPED", .newest = true,
				.drill = UI_DRILL_EVENTS },
			{ .view = PV_VIEW_GENERATIONS, .title = "LASTED, START TO END",
				.drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_STOPS, .title = "STOPS BY REASON",
				.drill = UI_DRILL_NOWHERE, .only = PV_GROUP_STOPS },
			{ .view = PV_VIEW_SURVIVED, .title = "WHAT COLLECTIONS LEFT",
				.newest = true, .drill = UI_DRILL_NOWHERE,
				.only = PV_GROUP_SURVIVED },
		} },
	{ .command = UI_CMD_CAUSE, .room = UI_CMD_GC, .tab = "Cause",
		.needs = PV_GROUP_GC, .records = "--probe gc",
		.parts = 4, .few = true,
		.hint = { { UI_HINT_ROWS, "Enter: what was allocated before it" },
			{ UI_HINT_MORE, "Tab: by class, by stack, by thread" },
			{ UI_HINT_ROWS, "Pauses chooses another" } },
		.part = {
			{ .view = PV_VIEW_GC_CAUSE, .drill = UI_DRILL_BEFORE },
			{ .view = PV_VIEW_CLASSES, .title = "ALLOCATED BEFORE IT, by class",
				.kind = UI_KIND_CLASS, .drill = UI_DRILL_CLASSES,
				.only = PV_GROUP_ALLOC },
			{ .view = PV_VIEW_ALLOCATION_SITES,
				.title = "ALLOCATED BEFORE IT, by stack",
				.kind = UI_KIND_CLASS, .drill = UI_DRILL_CLASSES,
				.only = PV_GROUP_ALLOC },
			{ .view = PV_VIEW_THREADS, .title = "ALLOCATED BEFORE IT, by thread",
				.order = "allocated_bytes", .drill = UI_DRILL_EVENTS,
				.only = PV_GROUP_ALLOC },
		} },
	{ .command = UI_CMD_HANDLES, .room = UI_CMD_GC, .tab = "Handles",
		.needs = PV_GROUP_HANDLES | PV_GROUP_FINALIZERS, .records = "--probe gchandle,finalization",
		.grouped = true,
		.parts = 3, .few = true,
		.hint = { { UI_HINT_ROWS, "Enter: who made those of a type" },
			{ UI_HINT_MORE, "Enter there: the method" } },
		.part = {
			{ .view = PV_VIEW_HANDLES },
			{ .view = PV_VIEW_HANDLE_SITES, .title = "WHO MADE HANDLES: %s",
				.kind = UI_KIND_METHOD, .drill = UI_DRILL_METHODS },
			{ .view = PV_VIEW_FINALIZERS, .title = "FINALIZED OBJECTS",
				.kind = UI_KIND_CLASS, .drill = UI_DRILL_CLASSES },
		} },
	{ .command = UI_CMD_LOCKS, .room = UI_CMD_WAITS, .tab = "Locks",
		.needs = PV_GROUP_LOCKS, .records = "--probe monitor",
		.parts = 5, .few = true,
		.hint = { { UI_HINT_ROWS, "Enter: its longest waits" },
			{ UI_HINT_MORE, "Enter there: what the holder did meanwhile" } },
		.part = {
			{ .view = PV_VIEW_LOCKS, .drill = UI_DRILL_NARROW },
			{ .view = PV_VIEW_LOCK_WAITS, .title = "LONGEST WAITS for %s",
				.drill = UI_DRILL_HOLDER },
			{ .view = PV_VIEW_LOCK_CYCLES, .title = "CYCLES OF WAITING",
				.hide_empty = true, .drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_LOCK_EDGES, .title = "WHO WAITED FOR WHOM",
				.drill = UI_DRILL_THREADS },
			{ .view = PV_VIEW_WAIT_SITES, .title = "WHERE THREADS WAITED for %s",
				.by_class = true, .kind = UI_KIND_METHOD,
				.drill = UI_DRILL_METHODS },
		} },
	{ .command = UI_CMD_THREADS, .room = UI_CMD_WAITS, .tab = "Threads",
		.parts = 1,
		.hint = { { UI_HINT_ROWS, "Threads by what they did" },
			{ UI_HINT_ROWS, "< > choose the order" },
			{ UI_HINT_ROWS, "Enter: its events; Backspace returns" } },
		.part = {
			{ .view = PV_VIEW_THREADS, .kind = UI_KIND_THREAD,
				.drill = UI_DRILL_EVENTS },
		} },
	{ .command = UI_CMD_POOL, .room = UI_CMD_WAITS, .tab = "Pool",
		.needs = PV_GROUP_COUNTERS, .records = "attach --via events PID",
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "The graph shows the selected counter over the whole recording" },
			{ UI_HINT_MORE, "Tab: each change, with its reason" } },
		.chart = { .rows = CHART_ROWS, .kind = { PV_SERIES_COUNTER }, .kinds = 1, .of_row = true,
			.draw = draw_counter },
		.part = {
			{ .view = PV_VIEW_POOL, .drill = UI_DRILL_NOWHERE },
			{ .view = PV_VIEW_POOL_CHANGES, .title = "WHEN IT CHANGED ITS WORKERS, AND WHY",
				.hide_empty = true, .newest = true, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_ROUTES, .room = UI_CMD_SPANS, .tab = "Spans",
		.needs = PV_GROUP_SPANS, .records = "--probe spans",
		.parts = 1,
		.hint = { { UI_HINT_ROWS, "Requests, queries and files that the libraries tell of" },
			{ UI_HINT_ROWS, "< > choose the order" } },
		.part = {
			{ .view = PV_VIEW_SPANS, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_REQUESTS, .room = UI_CMD_SPANS, .tab = "Routes",
		.needs = PV_GROUP_SPANS, .records = "attach --via events PID",
		.parts = 1,
		.hint = { { UI_HINT_ROWS, "Requests by route, as the web server's own meter counts them" },
			{ UI_HINT_ROWS, "< > choose the order" } },
		.part = {
			{ .view = PV_VIEW_ROUTES, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_MARKS, .room = UI_CMD_SPANS, .tab = "Marks",
		.needs = PV_GROUP_MARKS, .records = "--probe marks",
		.parts = 1,
		.part = {
			{ .view = PV_VIEW_MARKS, .newest = true, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_EXCEPTIONS, .room = UI_CMD_ERRORS, .tab = "Exceptions",
		.needs = PV_GROUP_EXCEPTIONS, .records = "--probe exception",
		.grouped = true,
		.parts = 4, .few = true,
		.hint = { { UI_HINT_ROWS, "Enter: where they are thrown" },
			{ UI_HINT_MORE, "Enter there: the method" } },
		.chart = { .rows = RATE_ROWS, .kinds = 1, .kind = { PV_SERIES_THROWN }, .of_row = true,
			.draw = draw_rate },
		.part = {
			{ .view = PV_VIEW_EXCEPTIONS, .kind = UI_KIND_CLASS, .drill = UI_DRILL_NARROW },
			{ .view = PV_VIEW_THROW_SITES, .title = "WHERE %s IS THROWN",
				.by_class = true, .kind = UI_KIND_METHOD,
				.drill = UI_DRILL_METHODS },
			{ .view = PV_VIEW_CATCHES, .title = "WHO CAUGHT %s",
				.kind = UI_KIND_METHOD, .drill = UI_DRILL_METHODS },
			{ .view = PV_VIEW_CLAUSES, .title = "CLAUSES RUN",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_JIT, .room = UI_CMD_RUNTIME, .tab = "JIT",
		.needs = PV_GROUP_JIT, .records = "--probe jit",
		.grouped = true,
		.parts = 5,
		.hint = { { UI_HINT_ROWS, "Enter: the method in room 2" } },
		.part = {
			{ .view = PV_VIEW_JIT_METHODS, .kind = UI_KIND_METHOD,
				.drill = UI_DRILL_METHODS },
			{ .view = PV_VIEW_JIT_HELPERS, .title = "OTHER CODE BY TYPE",
				.drill = UI_DRILL_NOWHERE, .unless = PV_GROUP_LOADS },
			{ .view = PV_VIEW_LOADS, .title = "LOADS AND UNLOADS",
				.drill = UI_DRILL_NOWHERE, .only = PV_GROUP_LOADS },
			{ .view = PV_VIEW_BODIES, .title = "BODIES OF METHODS", .newest = true,
				.drill = UI_DRILL_NOWHERE, .only = PV_GROUP_BODIES },
			{ .view = PV_VIEW_TRANSITIONS, .title = "CALLS TO AND FROM NATIVE CODE",
				.drill = UI_DRILL_NOWHERE, .only = PV_GROUP_TRANSITIONS },
		} },
	{ .command = UI_CMD_COUNTERS, .room = UI_CMD_RUNTIME, .tab = "Counters",
		.needs = PV_GROUP_COUNTERS, .records = "--probe counter",
		.parts = 1,
		.hint = { { UI_HINT_ROWS, "The graph shows the selected counter over the whole recording" } },
		.chart = { .rows = CHART_ROWS, .kind = { PV_SERIES_COUNTER }, .kinds = 1, .of_row = true,
			.draw = draw_counter },
		.part = {
			{ .view = PV_VIEW_COUNTERS, .tree = true, .unfold = UI_UNFOLD_ROOTS,
				.drill = UI_DRILL_FOLD },
		} },
	{ .command = UI_CMD_LOADED, .room = UI_CMD_RUNTIME, .tab = "Loaded",
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "+ - * fold" },
			{ UI_HINT_MORE, "Tab: what samples in native code are named by" } },
		.part = {
			{ .view = PV_VIEW_LOADED, .tree = true, .unfold = UI_UNFOLD_ROOTS,
				.drill = UI_DRILL_FOLD },
			{ .view = PV_VIEW_NATIVE, .title = "NATIVE SYMBOLS AND BINARIES",
				.hide_empty = true, .drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_COVERED, .room = UI_CMD_RUNTIME, .tab = "Coverage",
		.needs = PV_GROUP_CODE_COVERAGE, .records = "--probe coverage",
		.parts = 2,
		.hint = { { UI_HINT_ROWS, "+ - * fold" },
			{ UI_HINT_MORE, "a method's statements stand below" } },
		.part = {
			{ .view = PV_VIEW_COVERAGE_TREE, .tree = true, .unfold = UI_UNFOLD_ROOTS,
				.drill = UI_DRILL_FOLD },
			{ .view = PV_VIEW_CODE_COVERAGE_LINES, .title = "STATEMENTS of %s",
				.drill = UI_DRILL_NOWHERE },
		} },
	{ .command = UI_CMD_STREAM, .room = UI_CMD_EVENTS, .tab = "Stream",
		.scope = UI_SCOPE_EVENTS, .parts = 1,
		.hint = { { UI_HINT_ROWS, "Enter: the view it is about, { } and ' another time" },
			{ 0, "\\ filter, like kind:gc thread:main text" },
			{ UI_HINT_ROWS, "t its thread, s its kind" },
			{ UI_HINT_GROWS, "F follows the end" } },
		.part = {
			{ .view = PV_VIEW_STREAM, .drill = UI_DRILL_OWNER },
		} },
	{ .command = UI_CMD_KINDS, .room = UI_CMD_EVENTS, .tab = "Kinds",
		.parts = 1,
		.hint = { { 0, "Every kind of event met, and how often" } },
		.part = {
			{ .view = PV_VIEW_EVENTS, .drill = UI_DRILL_NOWHERE },
		} },
};

const size_t ui_pane_count = PV_COUNT_OF(ui_pane_defs);
