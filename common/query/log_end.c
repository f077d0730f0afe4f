/* SPDX-License-Identifier: MIT */
/* Says how a log ended, with the evidence, and finds an exception that may be the cause. */
#include "common/query/log_end.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"

/* The log came through a pipe that was made for a viewer to join a running program. */
static bool is_of_visit(const struct pv_model *m)
{
	return m->target.args && strstr(m->target.args, "/profview-join-");
}

/* The log came to the viewer of a run, and nothing is known of how either has ended. */
static bool is_of_lost_run(const struct pv_model *m)
{
	return m->ending.child == PV_CHILD_UNKNOWN && m->target.args &&
	       strstr(m->target.args, "/profview-run-");
}

static const char *why_cut_off(const struct pv_model *m, char *buf, size_t size)
{
	const struct pv_ending *e = &m->ending;
	if (e->inside)
		return m->target.logging2007 ? "inside a block" : "inside a buffer";
	if (e->unsealed)
		return "the compressed data has no trailer";
	if (e->full)
		return "the log reached the size that it was allowed";
	if (e->child == PV_CHILD_KILLED) {
		snprintf(buf, size, "the program was killed by signal %u", e->signal);
		return buf;
	}
	if (m->target.text)
		return "without the mark of its end";
	if (is_of_visit(m)) /* leaving ends such a log */
		return "who had joined it left, or the program was killed or replaced by exec";
	if (is_of_lost_run(m))
		return "killed, replaced by exec, or ended without the farewell; or who recorded was killed";
	return m->target.logging2007
		       ? "without a block END"
		       : "killed, replaced by exec, or ended without the probe's farewell";
}

static const char *why_ended(const struct pv_model *m)
{
	if (!m->ending.said)
		return "the program's exit";
	if (m->ending.abrupt)
		return "the process exited, its runtime had not announced that";
	if (m->target.text)
		return "the mark of its end";
	if (is_of_visit(m))
		return "the probe's farewell, as the program ended or was left";
	return m->target.logging2007 ? "a block END" : "the probe's farewell";
}

/* The program ended neither by its runtime's own way nor by a signal from outside. */
static bool is_abrupt(const struct pv_model *m)
{
	enum pv_log_end end = pv_model_log_end(m);
	bool killed = m->ending.child == PV_CHILD_KILLED && m->ending.signal != SIGABRT;
	return !killed && (end == PV_LOG_CUT_OFF || (end == PV_LOG_ENDED && m->ending.abrupt));
}

const struct pv_thrown *pv_log_end_thrown(const struct pv_model *m)
{
	const int64_t shortly_ns = INT64_C(5000000000);
	const struct pv_thrown *newest = NULL;
	const struct pv_exceptions *x = &m->throws;
	if (!is_abrupt(m) || m->only.ranged || pv_restricts_threads(&m->only) || is_of_visit(m) ||
		(x->thrown > 1 && !x->clauses[PV_CLAUSE_CATCH]))
		return NULL;
	for (size_t i = 1; i < m->threads.thread.n; i++) {
		const struct pv_thread *th = m->threads.thread.v[i];
		const struct pv_thrown *t = th->thrown.n ? &th->thrown.v[th->thrown.n - 1] : NULL;
		if (t && t->class_use && (!newest || t->time_ns > newest->time_ns))
			newest = t;
	}
	return newest && pv_sat_span(newest->time_ns, m->last_ns) < shortly_ns ? newest : NULL;
}

static void add_not_caught(const struct pv_model *m, char *to, size_t size)
{
	const struct pv_thrown *t = pv_log_end_thrown(m);
	char hex[24];
	const char *name = t ? pv_names_class_text(&m->names, t->class_use, hex) : NULL;
	if (name)
		snprintf(to, size, "; no catch of %.80s, thrown shortly before, is in the log",
			name);
}

const char *pv_log_end_line(const struct pv_model *m, char *buf, size_t size)
{
	enum pv_log_end end = pv_model_log_end(m);
	char room[100];
	const char *why = end == PV_LOG_CUT_OFF   ? why_cut_off(m, room, sizeof room)
			  : end == PV_LOG_ENDED   ? why_ended(m)
			  : m->ending.written     ? "the log is still being written"
			  : m->ending.quiet       ? "nothing new for 10 s, its writer is not known"
			  : end == PV_LOG_UNKNOWN ? "no farewell, only the last event is known"
						  : "";
	int n = snprintf(buf, size, "%s%s%s", pv_log_end_text(end), *why ? ": " : "", why);
	if (n > 0 && (size_t)n < size)
		add_not_caught(m, buf + n, size - (size_t)n);
	return buf;
}
