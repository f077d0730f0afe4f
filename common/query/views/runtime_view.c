/* SPDX-License-Identifier: MIT */
/* Runtimes' own extension events; see model/runtime.h. */
#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/site_rows.h"
#include "common/query/views/span_costs.h"
#include "common/query/views/span_routes.h"
#include "common/query/groups/specs.h"

/* --- stops of all threads by reason; a row's id is the reason + 1 */

enum { S_COUNT, S_STOPPED, S_MAX, S_WAIT, S_WAIT_MAX, S_FAILED, S_REASON };

static const struct pv_column stop_columns[] = {
	[S_COUNT] = { "count", "TIMES", PV_UNIT_COUNT, 8, 2, PV_COLUMN_ADDS, .json = 2,
		.help = "How often" },
	[S_STOPPED] = { "stopped_ns", "STOPPED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 3,
		.help = "Time in which all stood still" },
	[S_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 1, .json = 4 },
	[S_WAIT] = { "wait_ns", "TO STOP", PV_UNIT_NS, 9, 3, PV_COLUMN_ADDS, .json = 5,
		.help = "Time from the wish until the last thread stood" },
	[S_WAIT_MAX] = { "wait_max_ns", "LONGEST", PV_UNIT_NS, 9, 4, .json = 6,
		.help = "The longest of these" },
	[S_FAILED] = { "failed", "FAILED", PV_UNIT_COUNT, 6, 5, .json = 7,
		.help = "Stops that did not come about" },
	[S_REASON] = { "reason", "REASON", PV_UNIT_TEXT, 24, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1,
		.help = "Why the runtime stopped all threads" },
};

static const char *const reason_text[PV_STOP_REASONS] = { [PV_STOP_OTHER] = "other",
	[PV_STOP_GC] = "collection",
	[PV_STOP_DOMAIN] = "end of a domain",
	[PV_STOP_PITCHING] = "code pitching",
	[PV_STOP_SHUTDOWN] = "shutdown",
	[5] = "other",
	[PV_STOP_DEBUGGER] = "debugger",
	[PV_STOP_GC_PREPARES] = "preparing a collection",
	[PV_STOP_REJIT] = "compiling anew",
	[PV_STOP_PROFILER] = "profiler" };

static void copy_stops(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < PV_STOP_REASONS; i++) {
		const struct pv_stop_sum *s = &m->runtime.stop[i];
		if (!s->count)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[S_COUNT], s->count);
		pv_cell_i(&c[S_STOPPED], s->stopped_ns);
		pv_cell_i(&c[S_MAX], s->stopped_max_ns);
		pv_cell_i(&c[S_WAIT], s->wait_ns);
		pv_cell_i(&c[S_WAIT_MAX], s->wait_max_ns);
		pv_cell_u(&c[S_FAILED], s->failed);
		pv_cell_s(&c[S_REASON], reason_text[i]);
	}
}

const struct pv_view_spec pv_spec_suspensions = { .column = stop_columns,
	.columns = PV_COUNT_OF(stop_columns),
	.name = "reason",
	.sort = "stopped_ns",
	.then = "count",
	.copy = copy_stops };

/* --- single bodies of methods */

enum { B_TIME, B_BYTES, B_TIER, B_VERSION, B_CODE, B_METHOD };

static const struct pv_column body_columns[] = {
	[B_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 1, PV_COLUMN_ASCENDING, .json = 6 },
	[B_BYTES] = { "bytes", "CODE", PV_UNIT_BYTES, 9, 2, PV_COLUMN_ADDS, .json = 5,
		.help = "Size of this body" },
	[B_TIER] = { "tier", "TIER", PV_UNIT_TEXT, 12, 0, PV_COLUMN_ASCENDING, .json = 2,
		.help = "How far it was optimised" },
	[B_VERSION] = { "version", "VERSION", PV_UNIT_COUNT, 7, 4, .json = 3,
		.help = "Which body of the method it is" },
	[B_CODE] = { "code", "ADDRESS", PV_UNIT_ADDRESS, 14, 3, PV_COLUMN_ASCENDING, .json = 4 },
	[B_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

static const char *const tier_text[PV_TIERS] = { [PV_TIER_UNKNOWN] = "unknown",
	[PV_TIER_PLAIN] = "minimal",
	[PV_TIER_OPTIMIZED] = "optimized",
	[PV_TIER_QUICK] = "tier 0",
	[PV_TIER_1] = "tier 1",
	[PV_TIER_1_LOOP] = "tier 1 loop",
	[PV_TIER_COUNTING] = "tier 0 counting",
	[PV_TIER_COUNTING_OPTIMIZED] = "tier 1 counting",
	[PV_TIER_PRECOMPILED] = "precompiled" };

static void copy_bodies(struct pv_build *b, struct pv_model *m)
{
	char hex[24];
	for (size_t i = 0; i < m->runtime.body.n; i++) {
		const struct pv_body *x = &m->runtime.body.v[i];
		uint32_t name = pv_names_method_name(&m->names, x->method);
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[B_TIME], m, x->time_ns);
		pv_cell_u_if(&c[B_BYTES], x->size, x->size);
		pv_cell_s(&c[B_TIER], tier_text[x->tier]);
		pv_cell_u(&c[B_VERSION], x->version);
		pv_cell_u_if(&c[B_CODE], x->code, x->code);
		pv_cell_s(&c[B_METHOD],
			name ? pv_intern_text(&m->names.text, name)
			     : pv_build_text(b, pv_names_method_text(&m->names, x->method, hex)));
	}
}

const struct pv_view_spec pv_spec_jit_bodies = { .column = body_columns,
	.columns = PV_COUNT_OF(body_columns),
	.name = "method",
	.sort = "time_ns",
	.copy = copy_bodies };

/* --- calls between managed and native code, by the method that is called */

enum { T_OUT, T_OUT_NS, T_OUT_MAX, T_IN, T_IN_NS, T_IN_MAX, T_METHOD };

static const struct pv_column transition_columns[] = {
	[T_OUT] = { "native_calls", "TO NATIVE", PV_UNIT_COUNT, 9, 1, PV_COLUMN_ADDS, .json = 2,
		.help = "Calls from managed into native code" },
	[T_OUT_NS] = { "native_ns", "TOTAL", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 3,
		.help = "Time in these calls" },
	[T_OUT_MAX] = { "native_max_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 4,
		.help = "The longest of these" },
	[T_IN] = { "managed_calls", "TO MANAGED", PV_UNIT_COUNT, 10, 3, PV_COLUMN_ADDS, .json = 5,
		.help = "Calls from native into managed code" },
	[T_IN_NS] = { "managed_ns", "TOTAL", PV_UNIT_NS, 9, 4, PV_COLUMN_ADDS, .json = 6,
		.help = "Time in these calls" },
	[T_IN_MAX] = { "managed_max_ns", "LONGEST", PV_UNIT_NS, 9, 5, .json = 7,
		.help = "The longest of these" },
	[T_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

static void add_transitions(struct pv_cell *c, const struct pv_transitions *t)
{
	for (size_t i = 0; i < 2; i++) {
		struct pv_cell *at = &c[i * (T_IN - T_OUT)];
		at[T_OUT].u += t->count[i];
		at[T_OUT_NS].i = pv_sat_add(at[T_OUT_NS].i, t->total_ns[i]);
		if (t->max_ns[i] > at[T_OUT_MAX].i)
			at[T_OUT_MAX].i = t->max_ns[i];
	}
}

static void copy_transitions(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	bool ok = pv_groups_methods(m, b, &g);
	struct pv_map row_of = { 0 };
	for (size_t i = 0; ok && i < m->runtime.transitions.n; i++) {
		const struct pv_transitions *t = &m->runtime.transitions.v[i];
		uint32_t group = pv_group_of(&g, t->method);
		uint32_t at = pv_map_get(&row_of, g.row.v[group].id);
		if (at == PV_MAP_NONE && b->table) {
			ok = pv_map_set(&row_of, g.row.v[group].id, (uint32_t)b->table->rows);
			struct pv_cell *c = pv_build_row(b, g.row.v[group].id);
			pv_cell_s(&c[T_METHOD], pv_group_name(b, &g, group));
			add_transitions(c, t);
		} else if (b->table) {
			add_transitions(b->table->row[at].cell, t);
		}
	}
	if (!ok)
		pv_build_fail(b);
	pv_map_finish(&row_of);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_transitions = { .column = transition_columns,
	.columns = PV_COUNT_OF(transition_columns),
	.name = "method",
	.sort = "native_ns",
	.then = "native_calls",
	.copy = copy_transitions };

/* --- survivors of collections */

enum { V_TIME, V_GENERATION, V_BYTES, V_RANGES, V_MOVED, V_MOVED_RANGES };

static const struct pv_column survived_columns[] = {
	[V_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 1 },
	[V_GENERATION] = { "generation", "GEN", PV_UNIT_COUNT, 3, 1, .json = 2 },
	[V_BYTES] = { "survived_bytes", "SURVIVED", PV_UNIT_BYTES, 9, 2, .json = 3,
		.help = "Bytes that it left in the generation" },
	[V_RANGES] = { "ranges", "RANGES", PV_UNIT_COUNT, 8, 3, .json = 4,
		.help = "In so many ranges of memory" },
	[V_MOVED] = { "moved_bytes", "MOVED", PV_UNIT_BYTES, 9, 4, .json = 5,
		.help = "Bytes that it moved together" },
	[V_MOVED_RANGES] = { "moved_ranges", "RANGES", PV_UNIT_COUNT, 8, 5, .json = 6,
		.help = "In so many ranges" },
};

static void copy_survived(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < m->runtime.survived.n; i++) {
		const struct pv_survived *s = &m->runtime.survived.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[V_TIME], m, s->time_ns);
		pv_cell_u(&c[V_GENERATION], s->generation);
		pv_cell_u(&c[V_BYTES], s->bytes);
		pv_cell_u(&c[V_RANGES], s->ranges);
		pv_cell_u(&c[V_MOVED], s->moved_bytes);
		pv_cell_u(&c[V_MOVED_RANGES], s->moved_ranges);
	}
}

const struct pv_view_spec pv_spec_gc_survived = { .column = survived_columns,
	.columns = PV_COUNT_OF(survived_columns),
	.sort = "time_ns",
	.copy = copy_survived };

/* --- spans */

enum {
	W_START,
	W_TOOK,
	W_CPU,
	W_WAIT,
	W_QUERIES,
	W_QUERY,
	W_STOPPED,
	W_BYTES,
	W_THROWN,
	W_FAILED,
	W_WHAT,
	W_THREAD,
	W_NAME,
	W_STACK
};

static const struct pv_column span_columns[] = {
	[W_START] = { "start_ns", "TIME", PV_UNIT_TIME, 12, 1, PV_COLUMN_ASCENDING, .json = 1 },
	[W_TOOK] = { "took_ns", "TOOK", PV_UNIT_NS, 9, 0, .json = 2 },
	[W_CPU] = { "cpu_ns", "CPU", PV_UNIT_NS, 9, 2, PV_COLUMN_SPARSE, .json = 8,
		.help = "Processor time of its threads while they worked for it, by samples" },
	[W_WAIT] = { "wait_ns", "LOCKS", PV_UNIT_NS, 9, 2, PV_COLUMN_SPARSE, .json = 9,
		.help = "How long it waited for locks" },
	[W_QUERIES] = { "queries", "QUERIES", PV_UNIT_COUNT, 8, 2, PV_COLUMN_SPARSE, .json = 10,
		.help = "Queries to data bases within it" },
	[W_QUERY] = { "query_ns", "IN SQL", PV_UNIT_NS, 9, 3, PV_COLUMN_SPARSE, .json = 11,
		.help = "How long these took together" },
	[W_STOPPED] = { "stopped_ns", "STOPPED", PV_UNIT_NS, 9, 5, PV_COLUMN_SPARSE, .json = 12,
		.help = "Pauses of the collector while it went on" },
	[W_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 4, PV_COLUMN_SPARSE, .json = 13,
		.help = "What was allocated for it" },
	[W_THROWN] = { "thrown", "THROWN", PV_UNIT_COUNT, 7, 6, PV_COLUMN_SPARSE, .json = 14,
		.help = "Exceptions that were thrown within it" },
	[W_FAILED] = { "failed", "FAILED", PV_UNIT_BOOL, 6, 4, .json = 6,
		.help = "Whether it ended with an error" },
	[W_WHAT] = { "what", "WHAT", PV_UNIT_TEXT, 6, 4, PV_COLUMN_ASCENDING, .json = 3,
		.help = "Request, query or file" },
	[W_THREAD] = { "thread", "THREAD", PV_UNIT_THREAD, 14, 7, PV_COLUMN_ASCENDING, .json = 5,
		.help = "The thread that ended it" },
	[W_NAME] = { "name", "NAME", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 4 },
	[W_STACK] = { "stack", "STACK", PV_UNIT_LIST, 30, 8, PV_COLUMN_GROWS, .json = 7 },
};

/* A figure that the log can have, if known of the span. */
static void put_known(struct pv_cell *c, bool known, uint64_t v)
{
	if (known)
		pv_cell_u(c, v);
	else
		pv_cell_null(c);
}

static void put_costs(
	struct pv_cell *c, const struct pv_span_costs *of, size_t i, bool known, bool query)
{
	const struct pv_span_cost *x = &of->of.v[i];
	known &= of->any;
	put_known(&c[W_CPU], known && of->period_ns, x->ran * (uint64_t)of->period_ns);
	put_known(&c[W_WAIT], known && of->has_waits, (uint64_t)x->wait_ns);
	put_known(&c[W_QUERIES], known && of->has_queries && !query, x->queries);
	put_known(&c[W_QUERY], known && of->has_queries && !query, (uint64_t)x->query_ns);
	put_known(&c[W_BYTES], known && of->has_bytes, x->bytes);
	put_known(&c[W_THROWN], known && of->has_thrown, x->thrown);
}

/* The same in each model of a log, of chosen requests too. */
static uint64_t span_id(const struct pv_work *w)
{
	const uint64_t times = pv_hash((uint64_t)w->start_ns ^ pv_hash((uint64_t)w->took_ns));
	return w->id && w->id != PV_ROW_OUTSIDE ? w->id : times >> 1 | 1;
}

static void copy_spans(struct pv_build *b, struct pv_model *m)
{
	struct pv_span_costs costs;
	const bool stops = (pv_groups_recorded(m) & PV_GROUP_PAUSES) != 0;
	if (!pv_span_costs_make(&costs, m))
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < costs.request.n; i++) {
		const struct pv_work *w = &m->runtime.work.v[i];
		if (b->query->select && b->query->select != pv_span_row(m, w))
			continue;
		struct pv_cell *c = pv_build_row(b, span_id(w));
		if (b->table)
			b->table->row[b->table->rows - 1].rank = i;
		pv_cell_time(&c[W_START], m, w->start_ns);
		pv_cell_i(&c[W_TOOK], w->took_ns);
		put_costs(c, &costs, i, w->id != 0, pv_span_is_query(m, w));
		put_known(&c[W_STOPPED], stops, stops ? (uint64_t)pv_span_stopped_ns(m, w) : 0);
		pv_cell_u(&c[W_FAILED], w->failed);
		pv_cell_s(&c[W_WHAT], pv_intern_text(&m->names.text, w->what));
		pv_cell_u(&c[W_THREAD], w->thread);
		pv_cell_s(&c[W_NAME], pv_intern_text(&m->names.text, w->name));
		pv_cell_u(&c[W_STACK], w->stack);
		c[W_STACK].state = PV_CELL_PENDING; /* the text is made if the row stays */
	}
	pv_span_costs_finish(&costs);
}

const struct pv_view_spec pv_spec_spans = { .column = span_columns,
	.columns = PV_COUNT_OF(span_columns),
	.name = "name",
	.sort = "took_ns",
	.copy = copy_spans,
	.fill_chosen = pv_site_rows_text };
