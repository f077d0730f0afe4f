/* SPDX-License-Identifier: MIT */
/* Zero of the log's clock, from the time bases of buffers, and the restriction relative to zero. */
#include "common/base/saturate.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

static void place_range(struct pv_model *m)
{
	int64_t zero = m->only.scout        ? m->only.scout->zero_ns
		       : m->only.zero_known ? m->only.zero_ns
					    : m->zero_ns;
	m->private->ranged = m->only.ranged;
	m->private->from_ns = pv_sat_add(zero, m->only.from_ns);
	m->private->to_ns = pv_sat_add(zero, m->only.to_ns);
}

/*
 * A recording of .NET's event stream has a session of names before the session of events, which was
 * open already when the first began: time begins with the earlier of both.
 */
static bool is_earlier_session(const struct pv_model *m, int64_t base)
{
	const int64_t minute = 60 * INT64_C(1000000000);
	return pv_target_is_event_stream(&m->target) && base > 0 && base < m->zero_ns &&
	       m->zero_ns - base < minute;
}

void pv_model_time_base(struct pv_model *m, int64_t base)
{
	struct pv_model_private *p = m->private;
	const int64_t second = 1000000000;
	if (!m->have_zero) {
		m->have_zero = p->zero_open = true;
		m->zero_ns = p->first_base_ns = base;
	} else if (p->zero_open) {
		p->zero_open = base < pv_sat_add(p->first_base_ns, second);
		if (p->zero_open && base < m->zero_ns)
			m->zero_ns = base;
	} else if (is_earlier_session(m, base)) {
		m->zero_ns = base;
	}
	if (m->timeline.width_ns == 0)
		pv_timeline_init(&m->timeline, m->zero_ns);
	place_range(m);
}
