#include "common/query/views.h"

#include "common/model/model.h"
#include "common/query/coverage.h"
#include "common/query/groups_kept.h"
#include "common/query/readable.h"
#include "common/query/specs.h"

static const struct pv_view_spec *const specs[PV_VIEW_COUNT] = {
	[PV_VIEW_METHODS] = &pv_spec_methods,
	[PV_VIEW_CALLERS] = &pv_spec_callers,
	[PV_VIEW_CALLEES] = &pv_spec_callees,
	[PV_VIEW_CALL_TREE] = &pv_spec_call_tree,
	[PV_VIEW_FLAME] = &pv_spec_flame,
	[PV_VIEW_CLASSES] = &pv_spec_classes,
	[PV_VIEW_CLASS_STACKS] = &pv_spec_class_stacks,
	[PV_VIEW_HELD] = &pv_spec_held,
	[PV_VIEW_ALLOCATION_SITES] = &pv_spec_allocation_sites,
	[PV_VIEW_COLLECTIONS] = &pv_spec_collections,
	[PV_VIEW_PAUSES] = &pv_spec_pauses,
	[PV_VIEW_SAMPLE_STATES] = &pv_spec_sample_states,
	[PV_VIEW_GENERATIONS] = &pv_spec_generations,
	[PV_VIEW_GC_CAUSE] = &pv_spec_gc_cause,
	[PV_VIEW_SURVIVAL] = &pv_spec_survival,
	[PV_VIEW_ALLOCATION_SIZES] = &pv_spec_allocation_sizes,
	[PV_VIEW_PAUSE_SPREAD] = &pv_spec_pause_spread,
	[PV_VIEW_HANDLES] = &pv_spec_handles,
	[PV_VIEW_HANDLE_SITES] = &pv_spec_handle_sites,
	[PV_VIEW_FINALIZERS] = &pv_spec_finalizers,
	[PV_VIEW_ROOTS] = &pv_spec_roots,
	[PV_VIEW_ROOT_AREAS] = &pv_spec_root_areas,
	[PV_VIEW_SHOTS] = &pv_spec_shots,
	[PV_VIEW_SHOT_CLASSES] = &pv_spec_shot_classes,
	[PV_VIEW_SHOT_DIFF] = &pv_spec_shot_diff,
	[PV_VIEW_HEAP_DIFF] = &pv_spec_heap_diff,
	[PV_VIEW_HEAP_DIFF_SITES] = &pv_spec_heap_diff_sites,
	[PV_VIEW_HEAP_DIFF_THREADS] = &pv_spec_heap_diff_threads,
	[PV_VIEW_HEAP_LADDER] = &pv_spec_heap_ladder,
	[PV_VIEW_HEAP_COHORTS] = &pv_spec_heap_cohorts,
	[PV_VIEW_HEAP_COHORT_SITES] = &pv_spec_heap_cohort_sites,
	[PV_VIEW_HEAP_CLASSES] = &pv_spec_heap_classes,
	[PV_VIEW_HEAP_OBJECTS] = &pv_spec_heap_objects,
	[PV_VIEW_HEAP_PATH] = &pv_spec_heap_path,
	[PV_VIEW_HEAP_REFERENCES] = &pv_spec_heap_references,
	[PV_VIEW_HEAP_REFERRERS] = &pv_spec_heap_referrers,
	[PV_VIEW_HEAP_KEPT] = &pv_spec_heap_kept,
	[PV_VIEW_HEAP_AWAITS] = &pv_spec_heap_awaits,
	[PV_VIEW_HEAP_DUPLICATES] = &pv_spec_heap_duplicates,
	[PV_VIEW_HEAP_KEEPERS] = &pv_spec_heap_keepers,
	[PV_VIEW_HEAP_MERGED] = &pv_spec_heap_merged,
	[PV_VIEW_HEAP_SETS] = &pv_spec_heap_sets,
	[PV_VIEW_EXCEPTIONS] = &pv_spec_exceptions,
	[PV_VIEW_THROW_SITES] = &pv_spec_throw_sites,
	[PV_VIEW_CLAUSES] = &pv_spec_clauses,
	[PV_VIEW_CLAUSE_METHODS] = &pv_spec_clause_methods,
	[PV_VIEW_CATCHES] = &pv_spec_catches,
	[PV_VIEW_LOCKS] = &pv_spec_locks,
	[PV_VIEW_POOL] = &pv_spec_pool,
	[PV_VIEW_POOL_CHANGES] = &pv_spec_pool_changes,
	[PV_VIEW_WAIT_SITES] = &pv_spec_wait_sites,
	[PV_VIEW_LOCK_WAITS] = &pv_spec_lock_waits,
	[PV_VIEW_LOCK_SITES] = &pv_spec_lock_sites,
	[PV_VIEW_LOCK_EDGES] = &pv_spec_lock_edges,
	[PV_VIEW_LOCK_CYCLES] = &pv_spec_lock_cycles,
	[PV_VIEW_THREADS] = &pv_spec_threads,
	[PV_VIEW_TIMELINE] = &pv_spec_timeline,
	[PV_VIEW_JIT_METHODS] = &pv_spec_jit_methods,
	[PV_VIEW_JIT_HELPERS] = &pv_spec_jit_helpers,
	[PV_VIEW_LOADS] = &pv_spec_loads,
	[PV_VIEW_SAMPLE_LINES] = &pv_spec_sample_lines,
	[PV_VIEW_STOPS] = &pv_spec_stops,
	[PV_VIEW_BODIES] = &pv_spec_bodies,
	[PV_VIEW_TRANSITIONS] = &pv_spec_transitions,
	[PV_VIEW_SURVIVED] = &pv_spec_survived,
	[PV_VIEW_SPANS] = &pv_spec_spans,
	[PV_VIEW_ROUTES] = &pv_spec_routes,
	[PV_VIEW_IMAGES] = &pv_spec_images,
	[PV_VIEW_ASSEMBLIES] = &pv_spec_assemblies,
	[PV_VIEW_DOMAINS] = &pv_spec_domains,
	[PV_VIEW_CONTEXTS] = &pv_spec_contexts,
	[PV_VIEW_COUNTERS] = &pv_spec_counters,
	[PV_VIEW_COUNTER_SAMPLES] = &pv_spec_counter_samples,
	[PV_VIEW_EVENTS] = &pv_spec_events,
	[PV_VIEW_STREAM] = &pv_spec_event_stream,
	[PV_VIEW_COVERAGE] = &pv_spec_coverage,
	[PV_VIEW_CODE_COVERAGE] = &pv_spec_code_coverage,
	[PV_VIEW_CODE_COVERAGE_LINES] = &pv_spec_code_coverage_lines,
	[PV_VIEW_COVERAGE_ASSEMBLIES] = &pv_spec_coverage_assemblies,
	[PV_VIEW_COVERAGE_CLASSES] = &pv_spec_coverage_classes,
	[PV_VIEW_COVERAGE_TREE] = &pv_spec_coverage_tree,
	[PV_VIEW_SOURCE] = &pv_spec_source,
	[PV_VIEW_LOADED] = &pv_spec_loaded,
	[PV_VIEW_NATIVE] = &pv_spec_native,
	[PV_VIEW_MARKS] = &pv_spec_marks,
	[PV_VIEW_DAMAGE] = &pv_spec_damage,
	[PV_VIEW_FINDINGS] = &pv_spec_findings,
	[PV_VIEW_CODE_KINDS] = &pv_spec_code_kinds,
	[PV_VIEW_FINDING_FACTS] = &pv_spec_finding_facts,
	[PV_VIEW_PROCESSES] = &pv_spec_processes,
};

const struct pv_column *pv_view_columns(enum pv_view view, size_t *ret_n)
{
	*ret_n = specs[view]->columns;
	return specs[view]->column;
}

bool pv_view_filter_check(
	enum pv_view view, const char *text, enum pv_filter_way way, struct pv_filter_error *reterr)
{
	const struct pv_query q = { .filter = text, .filter_way = way };
	struct pv_row_filter f;
	bool ok = pv_row_filter_make(&f, &q, pv_view_name(view), specs[view]->column,
		specs[view]->columns, specs[view]->name, reterr);
	pv_row_filter_finish(&f);
	return ok;
}

uint64_t pv_view_generation(struct pv_model *m)
{
	return pv_model_generation(m);
}

/* With names that people read, if the query asks for them. */
static struct pv_table *named(struct pv_table *t, const struct pv_query *q)
{
	if (!t || !q->readable || pv_table_readable(t, -1))
		return t;
	pv_table_destroy(t);
	return NULL;
}

struct pv_table *pv_view_table(struct pv_model *m, enum pv_view view, const struct pv_query *q)
{
	const struct pv_view_spec *spec = specs[view];
	if (!q->bucketed)
		return named(pv_spec_table(m, spec, view, q), q);
	struct pv_build b;
	if (!pv_build_init(&b, spec, pv_view_name(view), q))
		return NULL;
	b.view = view;
	pv_build_prepare(&b, m);
	pv_model_lock(m);
	pv_build_stamp(&b, m);
	pv_bucket_view(&b, m);
	pv_model_unlock(m);
	return named(pv_build_finish(&b), q);
}

/* --- the coverage table --- */

static const struct pv_column coverage_columns[] = {
	{ "what", "WHAT", PV_UNIT_TEXT, 18, 0, PV_COLUMN_ASCENDING },
	{ "state", "STATE", PV_UNIT_TEXT, 12, 0, PV_COLUMN_ASCENDING },
	{ "detail", "DETAIL", PV_UNIT_TEXT, 40, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void copy_coverage(struct pv_build *b, struct pv_model *m)
{
	for (unsigned what = 0; what < PV_WHATS; what++) {
		struct pv_coverage v;
		pv_coverage_of(m, b->query->groups, (enum pv_what)what, &v);
		pv_coverage_end(m, (enum pv_what)what, &v);
		struct pv_cell *c = pv_build_row(b, what + 1);
		pv_cell_s(&c[0], pv_what_text((enum pv_what)what));
		pv_cell_s(&c[1], pv_coverage_text(v.state));
		pv_cell_s(&c[2], pv_build_text(b, v.detail));
	}
}

/* Sorted by id, which is the order of the words in design and manual. */
const struct pv_view_spec pv_spec_coverage = { .column = coverage_columns,
	.columns = sizeof coverage_columns / sizeof coverage_columns[0],
	.name = "what",
	.sort = NULL,
	.copy = copy_coverage };
