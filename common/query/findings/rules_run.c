/* SPDX-License-Identifier: MIT */
/* Rules about running and compiled code, and about losses. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/own_frame.h"
#include "common/base/saturate.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/model/names/names_find.h"
#include "common/model/names/thread_state.h"
#include "common/query/findings/rule.h"

enum { FEWEST_SAMPLES = 30 };

/* The number of samples, without their weights. */
static double taken(const struct pv_judge *j)
{
	return (double)j->sum.samples / j->sum.sample_weight;
}

/* --- the hottest method --- */

/* Unresolved code and the probe's code: the reader cannot make either faster. */
static bool is_nobodys(const char *name)
{
	static const char row[] = "unresolved in ";
	return strncmp(name, row, sizeof row - 1) == 0 || strcmp(name, PV_OWN_FRAME) == 0;
}

/*
 * ", 87 % within Shop.Sum(int)": the program's method with the most time within, libraries
 * included.
 */
static void within_own(
	const struct pv_judge *j, struct pv_finding *f, bool sampled, char *to, size_t room)
{
	enum { LEAST_PERCENT = 10 };
	struct pv_judge own = *j;
	own.own_code = true;
	*to = 0;
	struct pv_table *t = pv_judge_table(&own, f, &pv_spec_methods, PV_VIEW_METHODS,
		sampled ? "samples_self" : "self_ns", 1);
	if (!t)
		return;
	const double percent =
		t->rows ? pv_judge_value(t, 0, sampled ? "samples_percent" : "self_percent") : 0;
	if (percent >= LEAST_PERCENT && strcmp(pv_judge_text(t, 0, "kind"), "user") == 0)
		snprintf(to, room, ", %.0f %% within %s", percent,
			j->query->readable ? pv_judge_shown(t, 0, "name")
					   : pv_judge_text(t, 0, "name"));
	pv_table_destroy(t);
}

void pv_judge_hot_method(const struct pv_judge *j, struct pv_finding *f)
{
	/* A program spends time somewhere: worth a note, not a warning. */
	enum { MOST = 49, FIRST = 16 };
	enum { FEWEST_CALLS = 30 };
	const double least_part = 0.01; /* of the recording, spent in so few calls */
	char how[PV_FINDING_TEXT];
	const bool sampled = taken(j) >= FEWEST_SAMPLES;
	struct pv_table *t = pv_judge_table(j, f, &pv_spec_methods, PV_VIEW_METHODS,
		sampled ? "samples_self" : "self_ns", FIRST);
	if (!t)
		return;
	size_t at = 0;
	while (at + 1 < t->rows && is_nobodys(pv_judge_text(t, at, "name")))
		at++;
	const char *name = pv_judge_text(t, at, "name");
	const char *shown = j->query->readable ? pv_judge_shown(t, at, "name") : name;
	const double part =
		pv_judge_value(t, at, sampled ? "samples_percent" : "self_percent") / 100;
	double score = pv_scale_score(part, 0.25, 0.50, 0.90);
	char within[PV_FINDING_TEXT] = "";
	const bool wall = !sampled && t->time_of == PV_TIME_WALL;
	if (strcmp(pv_judge_text(t, at, "kind"), "user") != 0)
		within_own(j, f, sampled, within, sizeof within);
	if (!sampled && j->sum.calls == 0)
		pv_finding_skip(f, "fewer than 30 samples");
	else if (!sampled && j->sum.calls < FEWEST_CALLS &&
		 pv_judge_value(t, at, "self_ns") < least_part * part * j->wall_ns)
		pv_finding_skip(f,
			"fewer than 30 calls, and less than 1 %% of the time was in them; %s",
			pv_judge_how(j, "hot-method", how, sizeof how));
	else
		pv_finding_say(f, score < MOST ? score : MOST, "%.0f %% of %s are in %s alone%s",
			100 * part,
			sampled ? "samples"
			: wall  ? "the WALL times of calls"
				: "the times of calls",
			shown, within);
	snprintf(f->subject, sizeof f->subject, "%s", name);
	pv_table_destroy(t);
}

/* --- compiling --- */

struct compiled {
	double from_ns;   /* ns since zero: start-up is over */
	uint64_t *second; /* by method compiled since: the second, which damage may put years off */
	uint64_t seconds; /* whole seconds */
	size_t count;     /* methods */
	double took_ns;   /* of these methods, where recorded */
};

/* Leaves out sampled native functions: described as methods, but not compiled. */
static bool count_compiled(struct pv_model *m, struct compiled *c)
{
	c->second = calloc(m->names.method.n + 1, sizeof *c->second);
	if (!c->second)
		return false;
	uint8_t *counted = calloc(m->names.method.n + 1, 1);
	const bool ok = counted != NULL;
	for (size_t i = 1; ok && i < m->names.method.n; i++) {
		const struct pv_method *f = &m->names.method.v[i];
		const double at = f->jits && !f->native && f->jit_ns != PV_NEVER
					  ? (double)pv_sat_span(m->zero_ns, f->jit_ns) - c->from_ns
					  : -1;
		const uint64_t second = at >= 0 ? (uint64_t)(at / 1e9) : c->seconds;
		if (second >= c->seconds)
			continue;
		counted[i] = 1;
		c->second[c->count++] = second;
	}
	for (size_t i = 0; ok && i < m->loads.compile.n; i++)
		if (m->loads.compile.v[i].method < m->names.method.n &&
			counted[m->loads.compile.v[i].method])
			c->took_ns += (double)m->loads.compile.v[i].total_ns;
	free(counted);
	return ok;
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Methods compiled in the median second, by methods per second. Uses up `second`. */
static double of_middle_second(const struct compiled *c)
{
	uint64_t *v = c->second;
	size_t busy = 0;
	qsort(v, c->count, sizeof *v, by_number);
	for (size_t i = 0, next; i < c->count; i = next) {
		for (next = i + 1; next < c->count && v[next] == v[i];)
			next++;
		v[busy++] = next - i;
	}
	qsort(v, busy, sizeof *v, by_number);
	const uint64_t idle = c->seconds - busy, middle = c->seconds / 2;
	return middle < idle ? 0 : (double)v[middle - idle];
}

/*
 * Compiling is a part of start-up: the first half of the recording, 10 s at least and a minute at
 * most. Afterwards a program is judged by the median second, so that a burst at something new does
 * not count, and by the share of time spent compiling.
 */
void pv_judge_jit_heavy(const struct pv_judge *j, struct pv_finding *f)
{
	enum { FEWEST_COMPILED = 500 };
	const double least = 10e9, most = 60e9;
	if (j->wall_ns < 2 * least) {
		pv_finding_skip(f, "recorded for less than 20 s");
		return;
	}
	const double end = j->from_ns + j->wall_ns, half = end / 2 < most ? end / 2 : most;
	struct compiled c = { .from_ns = half > j->from_ns ? half : j->from_ns };
	const double rest = end - c.from_ns;
	c.seconds = (uint64_t)(rest / 1e9);
	pv_model_lock(j->m);
	bool ok = count_compiled(j->m, &c);
	pv_model_unlock(j->m);
	const double rate = ok ? of_middle_second(&c) : 0;
	free(c.second);
	if (!ok) {
		pv_finding_skip(f, "out of memory");
		return;
	}
	char took[PV_UNIT_MAX];
	double score = pv_scale_score(rate, 20, 100, 1000);
	double timed = pv_scale_score(c.took_ns / rest, 0.05, 0.10, 0.30);
	if (c.count < FEWEST_COMPILED) /* the compiler may wait for a processor */
		timed = timed < 24 ? timed : 24;
	pv_finding_say(f, score > timed ? score : timed,
		"%zu methods were compiled after the first %.0f s, %.0f in the middle second%s%s",
		c.count, c.from_ns / 1e9, rate, c.took_ns > 0 ? "; compiling took " : "",
		c.took_ns > 0 ? pv_units_ns(took, sizeof took, (int64_t)c.took_ns) : "");
}

/* --- waiting for a task --- */

/* Whether a thread waits there for a task, in place of awaiting. */
static bool waits_for_task(const char *name)
{
	static const char *const list[] = { "System.Threading.Tasks.Task:Wait",
		"System.Threading.Tasks.Task:InternalWait",
		"System.Threading.Tasks.Task:SpinThenBlockingWait",
		"System.Threading.Tasks.Task`1:get_Result",
		"System.Threading.Tasks.Task`1:GetResultCore",
		"System.Runtime.CompilerServices.TaskAwaiter:HandleNonSuccessAndDebuggerNotification",
		NULL };
	for (const char *const *l = list; *l; l++)
		if (strncmp(name, *l, strlen(*l)) == 0)
			return true;
	return false;
}

/* The program's first method: waiting there for the rest of the program is no fault. */
static bool is_entry(const char *name)
{
	return strstr(name, ":Main (") || strstr(name, "<Main>$") || strstr(name, ":<Main> (");
}

/*
 * Counts samples within waits for a task, without the main thread, and names the outermost method
 * of the most sampled wait. *ret_bare: samples in waits without a stack, for a task or not.
 */
static bool count_task_waits(
	struct pv_model *m, double *ret, double *ret_bare, struct pv_finding *f)
{
	enum { WAITS = 1, OF_MAIN = 2, BARE = 4 };
	const struct pv_names *n = &m->names;
	const struct pv_calls *c = &m->calls;
	uint8_t *method = calloc(n->method.n + 1, 1);
	uint8_t *node = method ? calloc(c->node.n + 1, 1) : NULL;
	uint64_t samples = 0, most = 0, bare = 0;
	for (uint32_t i = 1; node && i < n->method.n; i++) {
		const char *name = pv_intern_text(&n->text, pv_names_method_name(n, i));
		method[i] = (uint8_t)((waits_for_task(name) ? WAITS : 0) |
				      (is_entry(name) ? OF_MAIN : 0) |
				      (pv_state_of_frame(name) != PV_STATE_RUNNING ? BARE : 0));
	}
	for (size_t i = 1; node && i < c->node.n; i++) {
		const struct pv_tree_node *at = &c->node.v[i];
		const uint8_t up = node[at->parent], own = method[at->method];
		bool waits = up & WAITS || (!(up & OF_MAIN) && own & WAITS);
		node[i] = (uint8_t)((up & OF_MAIN) | (own & OF_MAIN) | (waits ? WAITS : 0));
		samples += waits ? at->samples : 0;
		bare += at->parent == 0 && own & BARE ? at->samples : 0;
		if (!waits || at->samples < most)
			continue;
		most = at->samples;
		size_t top = i;
		while (node[c->node.v[top].parent] & WAITS)
			top = c->node.v[top].parent;
		snprintf(f->subject, sizeof f->subject, "%s",
			pv_intern_text(&n->text, pv_names_method_name(n, c->node.v[top].method)));
	}
	*ret = (double)samples;
	*ret_bare = (double)bare;
	bool ok = node != NULL;
	free(method);
	free(node);
	return ok;
}

void pv_judge_sync_over_async(const struct pv_judge *j, struct pv_finding *f)
{
	double n = 0, bare = 0;
	char words[PV_FINDING_TEXT];
	pv_model_lock(j->m);
	bool waits = pv_call_samples_wait(j->m) || j->m->kinds[PV_KIND_EXT_WAITED];
	bool ok = !waits || count_task_waits(j->m, &n, &bare, f);
	pv_model_unlock(j->m);
	const double part = j->sum.samples ? n / (double)j->sum.samples : 0;
	if (!ok)
		pv_finding_skip(f, "out of memory");
	else if (!waits)
		pv_finding_skip(f, "samples are of what ran, not of waits; %s",
			pv_judge_how(j, "sync-over-async", words, sizeof words));
	else if (taken(j) < FEWEST_SAMPLES)
		pv_finding_skip(f, "fewer than 30 samples");
	else if (part < 0.05 && 2 * bare > (double)j->sum.samples)
		pv_finding_skip(f, "%.0f %% of samples are of waits without a stack",
			100 * bare / (double)j->sum.samples);
	else
		pv_finding_say(f, pv_scale_score(part, 0.05, 0.10, 0.40),
			"%.1f %% of samples wait for a task within a call", 100 * part);
}

/* --- losses --- */

void pv_judge_losses(const struct pv_judge *j, struct pv_finding *f)
{
	enum { MOST = 74 };
	const double all = (double)j->sum.events + (double)j->sum.lost_events;
	const double part = all > 0 ? (double)j->sum.lost_events / all : 0;
	double score = pv_scale_score(part, 0.001, 0.01, 0.10);
	if (j->sum.damaged && score < 30)
		score = 30;
	char damaged[80] = "", lost[80] = "";
	if (j->sum.damaged)
		snprintf(damaged, sizeof damaged, "%" PRIu64 " part%s of the log %s damaged%s",
			j->sum.damaged, j->sum.damaged == 1 ? "" : "s",
			j->sum.damaged == 1 ? "is" : "are", j->sum.lost_events ? ", " : "");
	if (j->sum.lost_events)
		snprintf(lost, sizeof lost, "%" PRIu64 " event%s lost, %.2g %%", j->sum.lost_events,
			j->sum.lost_events == 1 ? "" : "s", 100 * part);
	if (*damaged || *lost)
		pv_finding_say(f, score < MOST ? score : MOST, "figures are lower bounds: %s%s",
			damaged, lost);
	else
		pv_finding_say(f, 0, "nothing was lost");
}
