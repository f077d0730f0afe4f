/* SPDX-License-Identifier: MIT */
/* Rules about exceptions, locks and threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/query/findings/rule.h"

/* --- exceptions --- */

void pv_judge_exception_flow(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST = 100, ENOUGH = 1000 }; /* a thousand take some tens of ms, and only once */
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_exceptions, PV_VIEW_EXCEPTIONS, "thrown", 1);
	if (!t)
		return;
	char n[PV_UNIT_MAX];
	const double seconds = j->wall_ns / 1e9;
	const double rate = seconds > 0 ? (double)j->sum.thrown / seconds : 0;
	double score = pv_scale_score(rate, 10, 50, 500);
	if (j->sum.thrown < FEWEST)
		score = score < 24 ? score : 24;
	if (j->sum.thrown < ENOUGH)
		score = score < 49 ? score : 49;
	if (j->sum.thrown == 0)
		pv_finding_say(f, 0, "no exception was thrown");
	else
		pv_finding_say(f, score,
			j->sum.thrown == 1
				? "%s exception was thrown, %.1f a second: %s"
				: "%s exceptions were thrown, %.1f a second, most of them %s",
			pv_units_count(n, sizeof n, j->sum.thrown), rate,
			pv_judge_text(t, 0, "name"));
	snprintf(f->subject, sizeof f->subject, "%s", pv_judge_text(t, 0, "name"));
	pv_table_destroy(t);
}

void pv_judge_type_init(const struct pv_judge *j, struct pv_finding *f)
{
	static const char class[] = "System.TypeInitializationException";
	struct pv_query q = { .groups = j->query->groups,
		.inner = true,
		.filter = class,
		.filter_way = PV_FILTER_AS_IT_IS };
	struct pv_table *t = pv_spec_table(j->m, &pv_spec_exceptions, PV_VIEW_EXCEPTIONS, &q);
	if (!t) {
		pv_finding_skip(f, "out of memory");
		return;
	}
	double n = 0;
	for (size_t i = 0; i < t->rows; i++)
		n += pv_judge_value(t, i, "thrown");
	const char *message = pv_judge_text(t, 0, "message");
	pv_model_lock(j->m);
	const uint64_t nameless = j->m->throws.unknown_class;
	pv_model_unlock(j->m);
	char words[PV_FINDING_TEXT];
	if (n == 0 && 2 * nameless > j->sum.thrown)
		pv_finding_skip(f, "the classes of most exceptions are not recorded; %s",
			pv_judge_how(j, "type-init", words, sizeof words));
	else if (n > 0)
		/* If most exceptions are of this kind, the constructor is the cause. */
		pv_finding_say(f, 2 * n > (double)j->sum.thrown ? 100 : 80,
			"a static constructor failed%s%s", message[0] ? ": " : "", message);
	else
		pv_finding_say(f, 0, "no static constructor failed");
	if (n > 0)
		snprintf(f->subject, sizeof f->subject, "%s", class);
	pv_table_destroy(t);
}

/* --- locks --- */

/* A cycle of waits without an end, as far as inside the time that is judged. */
struct deadlock {
	size_t row;
	double from_ns, lasted_ns; /* 0: none */
};

static struct deadlock longest_deadlock(const struct pv_judge *j, const struct pv_table *t)
{
	struct deadlock ret = { 0 };
	const double end = j->from_ns + j->wall_ns;
	for (size_t i = 0; i < t->rows; i++) {
		if (strcmp(pv_judge_text(t, i, "state"), "deadlock") != 0)
			continue;
		const double start = pv_judge_value(t, i, "start_ns");
		double to = start + pv_judge_value(t, i, "lasted_ns");
		const double from = start > j->from_ns ? start : j->from_ns;
		to = to < end ? to : end;
		if (to - from > ret.lasted_ns)
			ret = (struct deadlock){ i, from, to - from };
	}
	return ret;
}

/*
 * Judges cycles of waits that last to the end. Two threads may also meet so for a moment, and give
 * up by a time limit of their own.
 */
void pv_judge_deadlock(const struct pv_judge *j, struct pv_finding *f)
{
	enum { MOST = 1000, CYCLE = 170 }; /* rows; bytes of a cycle in the sentence */
	const double inferred_most = 49;   /* an inferred holder may have released the lock */
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_lock_cycles, PV_VIEW_LOCK_CYCLES, "lasted_ns", MOST);
	if (!t)
		return;
	const struct deadlock d = longest_deadlock(j, t);
	const bool said = strcmp(pv_judge_text(t, d.row, "known"), "said") == 0;
	double score = pv_scale_score(d.lasted_ns / 1e9, 0.1, 0.3, 0.5);
	score = said || score < inferred_most ? score : inferred_most;
	char lasted[PV_UNIT_MAX];
	if (d.lasted_ns > 0) {
		pv_finding_say(f, score,
			"%.0f threads %swait for each other for %s, to the end: %s",
			pv_judge_value(t, d.row, "threads"), said ? "" : "may ",
			pv_units_ns(lasted, sizeof lasted, (int64_t)d.lasted_ns),
			PV_FIT(pv_judge_text(t, d.row, "cycle"), CYCLE));
		f->from_ns = (int64_t)d.from_ns;
		f->to_ns = (int64_t)(d.from_ns + d.lasted_ns) + 1;
	} else {
		pv_finding_say(f, 0, "no threads waited for each other to the end");
	}
	pv_table_destroy(t);
}

/* Judges the time waited for locks, and names the lock with the longest waits. */
void pv_judge_lock_contention(const struct pv_judge *j, struct pv_finding *f)
{
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_locks, PV_VIEW_LOCKS, "wait_ns", 1);
	if (!t)
		return;
	char waited[PV_UNIT_MAX], one[PV_UNIT_MAX], n[PV_UNIT_MAX];
	const double all = (double)j->sum.wait_ns, first = pv_judge_value(t, 0, "wait_ns");
	const uint64_t times = (uint64_t)pv_judge_value(t, 0, "contentions");
	const double threads = j->sum.threads ? (double)j->sum.threads : 1;
	enum { FEWEST = 10, ENOUGH = 1000000000 };
	/* Of all threads' time, and of one thread's: idle threads of a pool would hide a lock. */
	double score =
		j->wall_ns > 0 ? pv_scale_score(all / (j->wall_ns * threads), 0.02, 0.05, 0.20) : 0;
	double single = j->wall_ns > 0 ? pv_scale_score(first / j->wall_ns, 0.05, 0.20, 1.00) : 0;
	if (first < 100e6)
		single = single < 24 ? single : 24;
	/*
	 * A few short waits are chance: a thread starts, or lost the processor while holding the
	 * lock.
	 */
	if (j->sum.contentions < FEWEST && all < ENOUGH) {
		score = score < 24 ? score : 24;
		single = single < 24 ? single : 24;
	}
	const char *class = pv_judge_text(t, 0, "class");
	if (j->sum.contentions == 0)
		pv_finding_say(f, 0, "no lock was waited for");
	else
		pv_finding_say(f, score > single ? score : single,
			"threads waited %s for locks, %s of it for one%s%s, %s time%s%s",
			pv_units_ns(waited, sizeof waited, (int64_t)all),
			pv_units_ns(one, sizeof one, (int64_t)first), class[0] ? " " : "", class,
			pv_units_count(n, sizeof n, times), times == 1 ? "" : "s",
			pv_judge_value(t, 0, "waiting") > 0 ? ", and some still wait" : "");
	snprintf(f->subject, sizeof f->subject, "%s", class);
	pv_table_destroy(t);
}

/* --- threads --- */

static int by_start_seconds(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The greatest number of starts within any `width`. */
static size_t densest(double *start, size_t n, double width)
{
	size_t most = 0, from = 0;
	qsort(start, n, sizeof *start, by_start_seconds);
	for (size_t i = 0; i < n; i++) {
		while (start[i] - start[from] > width)
			from++;
		most = i - from + 1 > most ? i - from + 1 : most;
	}
	return most;
}

void pv_judge_thread_burst(const struct pv_judge *j, struct pv_finding *f)
{
	enum { MOST = 100000 };
	if (j->way == PV_RECORDER_NATIVE) {
		pv_finding_skip(f, "threads of a native program are known once a sample met them");
		return;
	}
	struct pv_table *t =
		pv_judge_table(j, f, &pv_spec_threads, PV_VIEW_THREADS, "start_ns", MOST);
	if (!t)
		return;
	double *start = calloc(t->rows + 1, sizeof *start);
	size_t n = 0;
	for (size_t i = 0; start && i < t->rows; i++) {
		double at = pv_judge_value(t, i, "start_ns");
		if (at > 0) /* earlier threads have no known start */
			start[n++] = at;
	}
	if (!start) {
		pv_finding_skip(f, "out of memory");
	} else if (2 * n < t->rows) {
		char words[PV_FINDING_TEXT];
		pv_finding_skip(f, "starts of threads not recorded; %s",
			pv_judge_how(j, "thread-burst", words, sizeof words));
	} else {
		size_t most = densest(start, n, 60e9);
		pv_finding_say(f, pv_scale_score((double)most, 64, 256, 2048),
			"%zu threads were started within a minute at most, %" PRIu64 " in all",
			most, j->sum.threads);
	}
	free(start);
	pv_table_destroy(t);
}
