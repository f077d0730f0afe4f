/* SPDX-License-Identifier: MIT */
/* The rule about a thread pool that lacks threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/counter_value.h"
#include "common/query/findings/rule.h"

/* Names of .NET's counters: EventCounters by display name and by name, and meters. */
static const char *const queue_names[] = { "ThreadPool Queue Length", "threadpool-queue-length",
	"dotnet.thread_pool.queue.length" };
static const char *const thread_names[] = { "ThreadPool Thread Count", "threadpool-thread-count",
	"dotnet.thread_pool.thread.count" };
static const char *const cpu_names[] = { "CPU Usage", "cpu-usage" }; /* percent of all cores */

enum { LEAST_READINGS = 5 };

/* Readings of one counter, by time. */
struct readings {
	double *v;
	int64_t *ns;
	size_t n;
};

static const struct pv_counter *counter_of(
	const struct pv_model *m, const char *const *names, size_t n)
{
	for (size_t i = 1; i < m->counters.counter.n; i++) {
		const struct pv_counter *k = &m->counters.counter.v[i];
		const char *name = pv_intern_text(&m->names.text, k->name);
		for (size_t at = 0; at < n; at++)
			if (k->samples.n && strcmp(name, names[at]) == 0)
				return k;
	}
	return NULL;
}

static void finish_readings(struct readings *r)
{
	free(r->v);
	free(r->ns);
	*r = (struct readings){ 0 };
}

/* False: out of memory. Empty without such a counter. */
static bool read_counter(
	const struct pv_model *m, const char *const *names, size_t n, struct readings *ret)
{
	const struct pv_counter *k = counter_of(m, names, n);
	*ret = (struct readings){ 0 };
	if (!k)
		return true;
	ret->v = calloc(k->samples.n, sizeof *ret->v);
	ret->ns = calloc(k->samples.n, sizeof *ret->ns);
	for (size_t i = 0; ret->v && ret->ns && i < k->samples.n; i++) {
		double v = pv_counter_number(k, &k->samples.v[i]);
		if (!isfinite(v) || (ret->n && k->samples.v[i].time_ns < ret->ns[ret->n - 1]))
			continue;
		ret->v[ret->n] = v;
		ret->ns[ret->n++] = k->samples.v[i].time_ns;
	}
	return ret->v && ret->ns;
}

/* The longest unbroken time in which work waited, between readings; and all such time. */
static double waiting(const struct readings *queue, double *ret_longest)
{
	double all = 0, longest = 0, run = 0;
	for (size_t i = 1; i < queue->n; i++) {
		bool waits = queue->v[i - 1] >= 1 && queue->v[i] >= 1;
		double ns = (double)(queue->ns[i] - queue->ns[i - 1]);
		run = waits ? run + ns : 0;
		all += waits ? ns : 0;
		longest = run > longest ? run : longest;
	}
	*ret_longest = longest;
	return all;
}

static double most_of(const struct readings *r)
{
	double most = 0;
	for (size_t i = 0; i < r->n; i++)
		most = r->v[i] > most ? r->v[i] : most;
	return most;
}

static double mean_of(const struct readings *r)
{
	double sum = 0;
	for (size_t i = 0; i < r->n; i++)
		sum += r->v[i];
	return r->n ? sum / (double)r->n : 0;
}

static void judge_readings(const struct pv_judge *j, struct pv_finding *f,
	const struct readings *queue, const struct readings *threads, const struct readings *cpu)
{
	double longest, part = waiting(queue, &longest) / j->wall_ns;
	double score = pv_scale_score(part, 0.05, 0.15, 0.40);
	const double first = threads->n ? threads->v[0] : 0;
	const double grown = most_of(threads) - first;
	const bool busy = cpu->n && mean_of(cpu) > 70;
	char took[PV_UNIT_MAX];
	if (longest < 2e9 || grown < 1 || busy) /* a burst, or a pool with busy threads */
		score = score < 24 ? score : 24;
	pv_finding_say(f, score,
		"up to %.0f pieces of work waited for a thread of the pool, for %s without a break; "
		"it went from %.0f threads to %.0f%s",
		most_of(queue), pv_units_ns(took, sizeof took, (int64_t)longest), first,
		first + grown, busy ? ", which computed" : "");
}

void pv_judge_pool_starvation(const struct pv_judge *j, struct pv_finding *f)
{
	struct readings queue, threads = { 0 }, cpu = { 0 };
	char words[PV_FINDING_TEXT];
	pv_model_lock(j->m);
	bool ok = read_counter(j->m, queue_names, PV_COUNT_OF(queue_names), &queue) &&
		  read_counter(j->m, thread_names, PV_COUNT_OF(thread_names), &threads) &&
		  read_counter(j->m, cpu_names, PV_COUNT_OF(cpu_names), &cpu);
	pv_model_unlock(j->m);
	if (!ok)
		pv_finding_skip(f, "out of memory");
	else if (queue.n == 0)
		pv_finding_skip(f, "the queue of a thread pool is not recorded; %s",
			pv_judge_how(j, "pool-starvation", words, sizeof words));
	else if (queue.n < LEAST_READINGS)
		pv_finding_skip(f, "%zu readings of the pool's queue", queue.n);
	else
		judge_readings(j, f, &queue, &threads, &cpu);
	finish_readings(&queue);
	finish_readings(&threads);
	finish_readings(&cpu);
}
