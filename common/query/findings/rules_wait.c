/* Rules about exceptions, locks and threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/query/findings/rule.h"

/* --- exceptions --- */

void pv_judge_exception_flow(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST = 100, ENOUGH = 1000 }; /* a thousand take some tens of ms, once */
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
			"%s exceptions were thrown, %.1f a second, most of them %s",
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
		/* Most of what is thrown: then it is the cause of the exceptions. */
		pv_finding_say(f, 2 * n > (double)j->sum.thrown ? 100 : 80,
			"a static constructor failed%s%s", message[0] ? ": " : "", message);
	else
		pv_finding_say(f, 0, "no static constructor failed");
	if (n > 0)
		snprintf(f->subject, sizeof f->subject, "%s", class);
	pv_table_destroy(t);
}

/* --- locks --- */

/* The lock that was waited for longest; its share of all waiting. */
void pv_judge_lock_contention(const struct pv_judge *j, struct pv_finding *f)
{
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_locks, PV_VIEW_LOCKS, "wait_ns", 1);
	if (!t)
		return;
	char waited[PV_UNIT_MAX], one[PV_UNIT_MAX], n[PV_UNIT_MAX];
	const double all = (double)j->sum.wait_ns, first = pv_judge_value(t, 0, "wait_ns");
	const double threads = j->sum.threads ? (double)j->sum.threads : 1;
	enum { FEWEST = 10, ENOUGH = 1000000000 };
	/* Of all threads' time, and of one thread's: a pool's idle threads hide a lock otherwise. */
	double score =
		j->wall_ns > 0 ? pv_scale_score(all / (j->wall_ns * threads), 0.02, 0.05, 0.20) : 0;
	double single = j->wall_ns > 0 ? pv_scale_score(first / j->wall_ns, 0.05, 0.20, 1.00) : 0;
	if (first < 100e6)
		single = single < 24 ? single : 24;
	/* A few short waits are chance: one starts, or lost its processor while it had the lock. */
	if (j->sum.contentions < FEWEST && all < ENOUGH) {
		score = score < 24 ? score : 24;
		single = single < 24 ? single : 24;
	}
	const char *class = pv_judge_text(t, 0, "class");
	if (j->sum.contentions == 0)
		pv_finding_say(f, 0, "no lock was waited for");
	else
		pv_finding_say(f, score > single ? score : single,
			"threads waited %s for locks, %s of it for one%s%s, %s times",
			pv_units_ns(waited, sizeof waited, (int64_t)all),
			pv_units_ns(one, sizeof one, (int64_t)first), class[0] ? " " : "", class,
			pv_units_count(n, sizeof n, (uint64_t)pv_judge_value(t, 0, "contentions")));
	snprintf(f->subject, sizeof f->subject, "%s", class);
	pv_table_destroy(t);
}

/* --- threads --- */

static int by_time(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The most that began within any `width`. */
static size_t densest(double *start, size_t n, double width)
{
	size_t most = 0, from = 0;
	qsort(start, n, sizeof *start, by_time);
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
	if (j->way == PV_WAY_NATIVE) {
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
		if (at > 0) /* those that were there before began at no known time */
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
