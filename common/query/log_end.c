#include "common/query/log_end.h"

#include <stdio.h>
#include <string.h>

#include "common/model/model.h"

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
	/* A pipe that was made for a viewer to join a running program: leaving it ends the log. */
	if (m->target.args && strstr(m->target.args, "/profview-join-"))
		return "who had joined it left, or the program was killed or replaced by exec";
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
	return m->target.logging2007 ? "a block END" : "the probe's farewell";
}

const char *pv_log_end_line(const struct pv_model *m, char *buf, size_t size)
{
	enum pv_log_end end = pv_model_log_end(m);
	char room[100];
	const char *why = end == PV_LOG_CUT_OFF   ? why_cut_off(m, room, sizeof room)
			  : end == PV_LOG_ENDED   ? why_ended(m)
			  : m->ending.quiet       ? "nothing new for 10 s, its writer is not known"
			  : end == PV_LOG_UNKNOWN ? "no farewell, only the last event is known"
						  : "";
	snprintf(buf, size, "%s%s%s", pv_log_end_text(end), *why ? ": " : "", why);
	return buf;
}
