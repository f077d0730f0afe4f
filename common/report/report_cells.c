/* SPDX-License-Identifier: MIT */
/* The table of a report's section under the report's options. */
#include "common/report/report.h"

#include "common/base/text/units.h"
#include "common/report/report_sections.h"

enum { TEXT_LIMIT = 20 };

bool pv_report_wants(const struct pv_report *r, const struct pv_view_row *s)
{
	return pv_section_in(&r->chosen, s);
}

bool pv_report_knows(const struct pv_report *r, const struct pv_view_row *s)
{
	return s->needs == 0 || r->totals.known & s->needs;
}

struct pv_table *pv_report_table(const struct pv_report *r, const struct pv_view_row *s,
	uint64_t select, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	bool read_by_people = o->format == PV_REPORT_TEXT || o->format == PV_REPORT_MARKDOWN ||
			      o->format == PV_REPORT_VIM;
	struct pv_query q = { .open_all = true,
		.select = select,
		.groups = r->groups,
		.heap = s->flags & PV_TRAIT_JUDGES && !r->heap ? r->judged : r->heap,
		.inner = select && !read_by_people,
		.my_code = o->my_code,
		.physical = o->physical,
		.waits = o->waits,
		.readable = o->format != PV_REPORT_JSON && !o->raw_names,
		.hide_internal = read_by_people };
	bool identity = s->flags & PV_SECTION_IDENTITY;
	if (identity) {
		q.identity = r->identity;
		q.matched_by_class = o->by == PV_REPORT_CLASS;
	}
	if (s->flags & PV_SECTION_FOLDER) {
		q.processes = o->processes;
		q.select = o->process;
	}
	if (s->flags & PV_SECTION_METHOD)
		q.select = r->method;
	const bool choice = s->flags & PV_SECTION_CHOICE;
	if ((s->flags & PV_SECTION_OBJECT || (choice && !identity)) && o->has_object)
		q.select = (uint64_t)r->object + 1;
	if (s->flags & PV_SECTION_CLASS)
		q.select = r->heap_class;
	if (s->flags & PV_SECTION_SETS) {
		q.sets = o->sets;
		q.sets_n = o->sets_n;
	}
	if (choice && identity)
		q.select = r->lived_class;
	if (!(s->flags & PV_SECTION_FACT)) {
		q.sort = o->sort && o->sort[0] ? o->sort : NULL;
		q.filter = o->filter;
		pv_report_grouping(o, &q, NULL);
		q.limit = o->limited ? o->limit : o->format == PV_REPORT_TEXT ? TEXT_LIMIT : 0;
	}
	struct pv_table *t = pv_view_table(identity ? r->identity_model : r->model, s->view, &q);
	if (!t)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	return t;
}
