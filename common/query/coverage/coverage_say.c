/* SPDX-License-Identifier: MIT */
/* Phrases that entries of coverage share. */
#include "common/query/coverage/coverage.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/recorder.h"

void pv_coverage_say(struct pv_coverage *c, const char *format, ...)
{
	size_t at = strlen(c->detail);
	if (at && at + 2 < sizeof c->detail) {
		memcpy(c->detail + at, ", ", 3);
		at += 2;
	}
	va_list args;
	va_start(args, format);
	vsnprintf(c->detail + at, sizeof c->detail - at, format, args);
	va_end(args);
}

bool pv_coverage_is_cut(const struct pv_model *m)
{
	return pv_model_log_end(m) == PV_LOG_CUT_OFF ||
	       (m->ended && !m->complete && m->damaged == 0);
}

void pv_coverage_end(const struct pv_model *m, enum pv_what what, struct pv_coverage *c)
{
	if (what >= PV_WHAT_NAMES || c->state != PV_COMPLETE || !pv_coverage_is_cut(m))
		return;
	c->state = PV_PARTIAL;
	if (strcmp(c->detail, pv_coverage_none(m)) == 0)
		c->detail[0] = 0;
	if (!c->detail[0])
		pv_coverage_say(c, "none");
	pv_coverage_say(c, "up to where the log was cut off");
}

const char *pv_coverage_none(const struct pv_model *m)
{
	return m->only.requests   ? "none for these requests"
	       : m->only.threaded ? "none by this thread"
				  : "none happened";
}

void pv_coverage_none_sampled(const struct pv_model *m, struct pv_coverage *c)
{
	if (!pv_model_goes_on(m) || c->state != PV_COMPLETE || m->only.requests ||
		m->only.threaded || pv_recorder_of(m) != PV_RECORDER_STOCK)
		return;
	*c = (struct pv_coverage){ .state = PV_COMPLETE, .groups = c->groups };
	pv_coverage_say(c, "none has come yet");
}

const char *pv_coverage_cut_text(const struct pv_model *m, char *buf, size_t size)
{
	char at[PV_UNIT_MAX], of[PV_UNIT_MAX];
	if (!m->cut) {
		pv_units_bytes(at, sizeof at, m->gone);
		snprintf(buf, size, "the first %s are no longer kept (--spool)", at);
		return buf;
	}
	pv_units_bytes(at, sizeof at, m->cut_at);
	pv_units_bytes(of, sizeof of, m->cut_of);
	snprintf(buf, size, "reading was stopped after %s%s%s", at, m->cut_of ? " of " : "",
		m->cut_of ? of : "");
	return buf;
}
