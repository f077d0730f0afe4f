/*
 * Private to the query layer: every view's spec, and what their fillers share. A filler runs on the
 * thread that asks.
 */
#ifndef PV_QUERY_SPECS_H
#define PV_QUERY_SPECS_H

#include "common/model/model.h"
#include "common/query/build.h"
#include "common/query/code_kind.h"

extern const struct pv_view_spec pv_spec_methods, pv_spec_callers, pv_spec_callees,
	pv_spec_call_tree, pv_spec_classes, pv_spec_class_stacks, pv_spec_held,
	pv_spec_allocation_sites, pv_spec_collections, pv_spec_pauses, pv_spec_generations,
	pv_spec_shots, pv_spec_shot_classes, pv_spec_shot_diff, pv_spec_exceptions,
	pv_spec_throw_sites, pv_spec_clauses, pv_spec_clause_methods, pv_spec_locks,
	pv_spec_catches, pv_spec_pool, pv_spec_pool_changes, pv_spec_lock_waits, pv_spec_lock_sites,
	pv_spec_lock_edges, pv_spec_lock_cycles, pv_spec_wait_sites, pv_spec_threads,
	pv_spec_jit_methods, pv_spec_jit_helpers, pv_spec_loads, pv_spec_images, pv_spec_assemblies,
	pv_spec_domains, pv_spec_contexts, pv_spec_counters, pv_spec_counter_samples,
	pv_spec_events, pv_spec_coverage, pv_spec_code_coverage, pv_spec_damage, pv_spec_handles,
	pv_spec_code_coverage_lines, pv_spec_coverage_assemblies, pv_spec_coverage_classes,
	pv_spec_coverage_tree, pv_spec_source, pv_spec_loaded, pv_spec_native, pv_spec_marks,
	pv_spec_handle_sites, pv_spec_finalizers, pv_spec_roots, pv_spec_root_areas,
	pv_spec_heap_diff, pv_spec_heap_diff_sites, pv_spec_heap_diff_threads, pv_spec_heap_ladder,
	pv_spec_heap_cohorts, pv_spec_heap_cohort_sites, pv_spec_heap_classes, pv_spec_heap_objects,
	pv_spec_heap_path, pv_spec_heap_references, pv_spec_heap_referrers, pv_spec_heap_kept,
	pv_spec_heap_awaits, pv_spec_heap_duplicates, pv_spec_heap_keepers, pv_spec_heap_merged,
	pv_spec_heap_sets, pv_spec_sample_lines, pv_spec_stops, pv_spec_bodies, pv_spec_transitions,
	pv_spec_survived, pv_spec_spans, pv_spec_routes, pv_spec_findings, pv_spec_finding_facts,
	pv_spec_code_kinds, pv_spec_sample_states, pv_spec_flame, pv_spec_event_stream,
	pv_spec_timeline, pv_spec_processes, pv_spec_gc_cause, pv_spec_pause_spread,
	pv_spec_survival, pv_spec_allocation_sizes;

/*
 * The table of one view, for views that ask others. It takes the model's lock itself, and does not
 * answer from time buckets (`bucketed`). The caller destroys it. NULL when out of memory.
 */
struct pv_table *pv_spec_table(struct pv_model *m, const struct pv_view_spec *spec,
	enum pv_view view, const struct pv_query *q);

/* The functions below need the model's lock. */

/*
 * Generation and coverage line of the view being built. The first thing that is done under the
 * lock, which it releases in between where there is much to prepare.
 */
void pv_build_stamp(struct pv_build *b, struct pv_model *m);

/*
 * Called at every turn of a loop over very many entries: now and then it releases the model's lock,
 * so that a waiting thread gets it first. The model's tables may have moved and grown after it.
 */
static inline void pv_query_lock_yield(struct pv_model *m, size_t turn)
{
	enum { PART = 16384 };
	if (turn % PART != PART - 1)
		return;
	pv_model_unlock(m);
	pv_model_lock(m);
}

struct pv_kind_sum {
	int64_t self_ns;
	uint64_t samples;
};
/*
 * The figures of a table of methods, summed up by whose code they are (enum pv_code_kind, adds to
 * *ret). Takes the model's lock, and stamps the build. False: out of memory.
 */
bool pv_kind_sums(
	struct pv_build *b, struct pv_model *m, struct pv_kind_sum ret[PV_CODE_UNKNOWN + 1]);

/* The rows of a range as time buckets know them, and a coverage line that says so. */
void pv_bucket_view(struct pv_build *b, struct pv_model *m);

/* enum pv_group bits: met in the events; asked for by the header's args; either. */
unsigned pv_groups_recorded(const struct pv_model *m);
unsigned pv_groups_enabled(const struct pv_model *m);
unsigned pv_groups_known(const struct pv_model *m);

/* Whether it is a log of 2007 of this stage or a later one ('A' ... 'D'; not the draft). */
static inline bool pv_stage_at_least(const struct pv_model *m, char stage)
{
	const char *s = m->target.stage;
	return m->target.logging2007 && s && s[0] >= stage && s[0] <= 'D';
}

/*
 * Blocks of a 2007 log without a thread come with id 0, which is none: it is shown only where there
 * is no other.
 */
static inline bool pv_thread_is_none(const struct pv_model *m, const struct pv_thread *t)
{
	return m->target.logging2007 && t->id == 0 && m->threads.thread.n > 2;
}

/*
 * The rows of the view of threads, counted: those of the program, so many of them ended, and those
 * that the profiler runs for itself, which screens leave out. Every count of threads is one of
 * these.
 */
struct pv_thread_counts {
	uint64_t program, ended, profiler;
};
struct pv_thread_counts pv_threads_count(const struct pv_model *m);
/* By its name: one that the profiler runs for itself. */
bool pv_thread_is_internal(const char *name);
/* Whether it goes on after the end invented for it at shutdown: counted with the thread before. */
bool pv_thread_is_continued(const struct pv_model *m, const struct pv_thread *t);
/* A row of its own in the view of threads. */
bool pv_thread_is_meant(const struct pv_model *m, const struct pv_thread *t);

/* A log time as ns since the recording's zero; null for PV_NEVER. */
void pv_cell_time(struct pv_cell *c, const struct pv_model *m, int64_t log_ns);

#endif
