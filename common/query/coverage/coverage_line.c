/* SPDX-License-Identifier: MIT */
/* The line under every table: the basis and the gaps of the figures. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/log_end.h"
#include "common/query/groups/specs.h"

#define BIT(what) (1u << PV_WHAT_##what)

static void append(char *buf, size_t size, const char *text)
{
	size_t at = strlen(buf);
	snprintf(buf + at, size - at, "%s%s", at ? "; " : "", text);
}

static void append_entry(const struct pv_model *m, struct pv_groups_cache *groups,
	enum pv_what what, char *buf, size_t size)
{
	struct pv_coverage c;
	char text[420];
	pv_coverage_of(m, groups, what, &c);
	pv_coverage_end(m, what, &c);
	bool quiet = what >= PV_WHAT_NAMES;
	if (quiet && c.state == PV_COMPLETE)
		return;
	if (c.state == PV_COMPLETE)
		snprintf(text, sizeof text, "%s: %s", pv_what_text(what), c.detail);
	else
		snprintf(text, sizeof text, "%s %s%s%s", pv_what_text(what),
			pv_coverage_text(c.state), c.detail[0] ? ": " : "", c.detail);
	append(buf, size, text);
}

/* Events of the group that were met and not kept. */
static uint64_t left_out(const struct pv_model *m, unsigned group)
{
	switch (group) {
	case PV_GROUP_LOADS:
		return m->loads.loads - m->loads.load.n;
	case PV_GROUP_BODIES:
		return m->runtime.bodies - m->runtime.body.n;
	case PV_GROUP_SURVIVED:
		return m->runtime.survivals - m->runtime.survived.n;
	case PV_GROUP_NATIVE:
		return m->notes.symbols + m->notes.binaries - m->notes.native.n;
	default:
		return 0;
	}
}

/*
 * Lists of events without figures in other views: whether events were met, and whether all are
 * kept.
 */
static void append_list(const struct pv_model *m, enum pv_view view, char *buf, size_t size)
{
	char text[100], digits[PV_UNIT_MAX];
	const unsigned needs = pv_view_rows[view].needs;
	if (!(pv_groups_recorded(m) & needs)) {
		bool known = pv_groups_enabled(m) & needs,
		     gaps = m->damaged || m->lost_events || pv_coverage_is_cut(m);
		snprintf(text, sizeof text, "%s%s%s", pv_view_name(view),
			!known ? " not recorded"
			: gaps ? " partial: none met in what there is"
			       : ": ",
			known && !gaps ? pv_coverage_none(m) : "");
		append(buf, size, text);
		return;
	}
	uint64_t n = left_out(m, needs);
	if (!n)
		return;
	snprintf(text, sizeof text, "%s partial: %s beyond the limit, not listed",
		pv_view_name(view), pv_units_exact(digits, sizeof digits, n));
	append(buf, size, text);
}

/* How the log knows lock holders, and how many waits are listed. */
static void append_holders(const struct pv_model *m, char *buf, size_t size)
{
	const struct pv_locks *l = &m->locks;
	char text[160], digits[PV_UNIT_MAX], all[PV_UNIT_MAX];
	if (!l->contentions)
		return;
	if (l->holders_said == 0)
		snprintf(text, sizeof text,
			"the log does not say who has a lock: inferred from who had to wait for it");
	else
		snprintf(text, sizeof text, "the log says who had the lock at %s of %s waits",
			pv_units_exact(digits, sizeof digits, l->holders_said),
			pv_units_exact(all, sizeof all, l->contentions));
	append(buf, size, text);
	if (!l->waits.left_out)
		return;
	snprintf(text, sizeof text, "the longest %d waits, %s shorter ones not listed",
		PV_WAITS_KEPT, pv_units_exact(digits, sizeof digits, l->waits.left_out));
	append(buf, size, text);
}

void pv_coverage_line(const struct pv_model *m, struct pv_groups_cache *groups, enum pv_view view,
	char *buf, size_t size)
{
	const struct pv_view_row *row = &pv_view_rows[view];
	unsigned bits = row->concerns | BIT(LOSSES) | BIT(DAMAGE);
	buf[0] = 0;
	if (m->cut || m->gone) {
		pv_coverage_cut_text(m, buf, size); /* first: concerns every figure */
		bits &= m->damaged ? bits : ~BIT(DAMAGE);
	}
	if (row->flags & PV_TRAIT_METERED && m->counters.routes)
		bits = (m->runtime.spans ? bits : bits & ~BIT(SPANS)) | BIT(COUNTERS);
	if (row->flags & PV_TRAIT_KINDS) {
		unsigned kinds = 0;
		for (size_t i = 0; i < PV_KIND_COUNT; i++)
			kinds += m->kinds[i] > 0;
		char met[40];
		snprintf(met, sizeof met, "%u kinds of events met", kinds);
		append(buf, size, met);
	}
	if (row->flags & PV_TRAIT_LISTED)
		append_list(m, view, buf, size);
	if (row->remark)
		append(buf, size, row->remark);
	if (row->flags & PV_TRAIT_HOLDERS)
		append_holders(m, buf, size);
	for (unsigned what = 0; what < PV_WHATS; what++)
		if (bits >> what & 1)
			append_entry(m, groups, (enum pv_what)what, buf, size);
	if (!buf[0])
		snprintf(buf, size,
			pv_model_log_end(m) == PV_LOG_UNKNOWN || m->ending.written
				? "complete as far as it goes"
				: "complete");
}
