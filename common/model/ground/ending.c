/* SPDX-License-Identifier: MIT */
/* Judges how a log has ended. */
#include "common/model/ground/ending.h"

#include "common/model/model.h"

enum pv_log_end pv_model_log_end(const struct pv_model *m)
{
	const struct pv_ending *e = &m->ending;
	if (!m->ended || m->cut || e->written)
		return PV_LOG_OPEN;
	if (e->inside || e->unsealed || e->full)
		return PV_LOG_CUT_OFF;
	if (e->said)
		return PV_LOG_ENDED;
	if (e->quiet)
		return PV_LOG_UNKNOWN;
	if (e->promised || m->target.logging2007 || e->child == PV_CHILD_KILLED)
		return PV_LOG_CUT_OFF;
	return e->child == PV_CHILD_EXITED ? PV_LOG_ENDED : PV_LOG_UNKNOWN;
}

bool pv_model_goes_on(const struct pv_model *m)
{
	return !m->ended || m->ending.written;
}

const char *pv_log_end_text(enum pv_log_end end)
{
	static const char *const text[] = { "not reached", "unknown", "ended", "cut off" };
	return text[end];
}
