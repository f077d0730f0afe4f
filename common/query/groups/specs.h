/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: every view's spec, and helpers shared by the fillers. A filler runs
 * on the thread that asks.
 */
#ifndef PV_QUERY_SPECS_H
#define PV_QUERY_SPECS_H

#include "common/model/model.h"
#include "common/query/groups/build.h"
#include "common/query/groups/code_kind.h"

#define VIEW(symbol, name, ...) extern const struct pv_view_spec pv_spec_##name;
#include "common/query/views.def"
#undef VIEW

/*
 * The table of one view, for views that ask others. Takes the model's lock, and does not answer
 * from time buckets (`bucketed`). The caller destroys the table. NULL when out of memory.
 */
struct pv_table *pv_spec_table(struct pv_model *m, const struct pv_view_spec *spec,
	enum pv_view view, const struct pv_query *q);

/* The functions below need the model's lock. */

/*
 * Sets generation and coverage line of the view being built. The first call under the lock, which
 * is released in between where there is much to prepare.
 */
void pv_build_stamp(struct pv_build *b, struct pv_model *m);

/*
 * To be called at every turn of a very long loop: releases the model's lock now and then, so that a
 * waiting thread gets the lock first. The model's tables may have moved and grown afterwards.
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
 * The figures of a table of methods, summed up by whose code they are (by enum pv_code_kind; adds
 * to *ret). Takes the model's lock, and stamps the build. False: out of memory.
 */
bool pv_kind_sums(
	struct pv_build *b, struct pv_model *m, struct pv_kind_sum ret[PV_CODE_UNKNOWN + 1]);

/* The rows of a range from time buckets; the coverage line says so. */
void pv_bucket_view(struct pv_build *b, struct pv_model *m);

/* enum pv_group bits: met in the events; asked for by the header's args; either. */
unsigned pv_groups_recorded(const struct pv_model *m);
unsigned pv_groups_enabled(const struct pv_model *m);
unsigned pv_groups_known(const struct pv_model *m);

/* Whether the log is a 2007 log of this stage or a newer stage ('A' ... 'D'; not the draft). */
static inline bool pv_stage_at_least(const struct pv_model *m, char stage)
{
	const char *s = m->target.stage;
	return m->target.logging2007 && s && s[0] >= stage && s[0] <= 'D';
}

/*
 * Blocks without a thread have id 0 in a 2007 log: no thread, shown only where there is no other.
 */
static inline bool pv_thread_is_none(const struct pv_model *m, const struct pv_thread *t)
{
	return m->target.logging2007 && t->id == 0 && m->threads.thread.n > 2;
}

/*
 * The counts of threads in the view of threads: the program's threads, ended ones among them, and
 * the profiler's own, left out by screens. All counts of threads come from here.
 */
struct pv_thread_counts {
	uint64_t program, ended, profiler;
};
struct pv_thread_counts pv_threads_count(const struct pv_model *m);
/* Whether a thread is the profiler's own, by name. */
bool pv_thread_is_internal(const char *name);
/* Whether the thread goes on after the end invented at shutdown: counted with the thread before. */
bool pv_thread_is_continued(const struct pv_model *m, const struct pv_thread *t);
/* Whether the thread has a row in the view of threads. */
bool pv_thread_is_meant(const struct pv_model *m, const struct pv_thread *t);

/* A log time as ns since the recording's zero; null for PV_NEVER. */
void pv_cell_time(struct pv_cell *c, const struct pv_model *m, int64_t log_ns);

#endif
