/* SPDX-License-Identifier: MIT */
/* Checks whether a report's options can be answered. */
#include <stdio.h>
#include <string.h>

#include "common/query/groups/row_filter.h"
#include "common/base/utf8.h"
#include "common/report/report_sections.h"

static bool has_column(const struct pv_view_row *s, const char *id)
{
	size_t n;
	if (s->flags & (PV_SECTION_FIGURES | PV_SECTION_FACT))
		return false;
	const struct pv_column *c = pv_view_columns(s->view, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(c[i].id, id) == 0)
			return true;
	return false;
}

static bool no_such_key(const char *key, const struct pv_section_set *set, struct pv_error *reterr)
{
	pv_fail(reterr, PV_EUSAGE, 0, "no section asked for has the key \"%s\"", PV_FIT(key, 40));
	const struct pv_view_row *s = pv_section_only(set);
	if (!reterr || !s)
		return false;
	const char *keys[PV_MAX_KEYS];
	pv_section_keys(s, keys);
	size_t at = strlen(reterr->what);
	at += (size_t)snprintf(
		reterr->what + at, sizeof reterr->what - at, "; %s has:", s->section);
	for (size_t i = 0; i < PV_MAX_KEYS && keys[i] && at < sizeof reterr->what; i++)
		at += (size_t)snprintf(reterr->what + at, sizeof reterr->what - at, " %s", keys[i]);
	return false;
}

static bool by_of(
	const char *option, const char *text, size_t len, enum pv_by *ret, struct pv_error *reterr)
{
	if (pv_by_of(text, len, ret) && *ret != PV_BY_NAME)
		return true;
	return pv_fail(reterr, PV_EUSAGE, 0,
		"%s: '%s' is not one of namespace, class, image, assembly, domain, context", option,
		PV_FIT_LEN(text, len, 40));
}

bool pv_report_grouping(
	const struct pv_report_options *o, struct pv_query *q, struct pv_error *reterr)
{
	if (o->group && !by_of("--group", o->group, strlen(o->group), &q->group, reterr))
		return false;
	if (o->split && !by_of("--split", o->split, strlen(o->split), &q->split, reterr))
		return false;
	if (!o->in)
		return true;
	const char *colon = strchr(o->in, ':');
	if (!colon || !colon[1])
		return pv_fail(reterr, PV_EUSAGE, 0, "--in wants KEY:TEXT, like image:mscorlib");
	q->in = colon + 1;
	return by_of("--in", o->in, (size_t)(colon - o->in), &q->in_by, reterr);
}

static bool check_sets(const struct pv_report_options *o, struct pv_error *reterr)
{
	if (!o->sets_n)
		return pv_fail(reterr, PV_EUSAGE, 0,
			"heap_sets wants --set FILTER, once or more, like --set class:Session");
	for (size_t i = 0; i < o->sets_n; i++) {
		struct pv_filter_error e = { 0 };
		if (!pv_view_filter_check(
			    PV_VIEW_HEAP_OBJECTS, o->sets[i].filter, PV_FILTER_WORDS, &e))
			return pv_fail(
				reterr, PV_EUSAGE, 0, "--set, character %zu: %s", e.at + 1, e.what);
	}
	return true;
}

static bool check_subject(const struct pv_report_options *o, const struct pv_section_set *set,
	struct pv_error *reterr)
{
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		if (!pv_section_in(set, s))
			continue;
		if (s->flags & PV_SECTION_METHOD && !o->method)
			return pv_fail(reterr, PV_EUSAGE, 0, "%s wants --method NAME", s->section);
		if (s->flags & PV_SECTION_GRAPH && !o->has_shot)
			return pv_fail(reterr, PV_EUSAGE, 0, "%s wants --shot N, counted from 0",
				s->section);
		if (s->flags & PV_SECTION_OBJECT && !o->has_object)
			return pv_fail(reterr, PV_EUSAGE, 0, "%s wants --object 0x...", s->section);
		if (s->flags & PV_SECTION_SETS && !check_sets(o, reterr))
			return false;
		if (s->flags & PV_SECTION_CLASS && !o->of_class)
			return pv_fail(reterr, PV_EUSAGE, 0, "%s wants --class NAME", s->section);
	}
	return true;
}

/* With several lists one must fit the filter: columns differ. */
static bool check_filter(
	const char *filter, const struct pv_section_set *set, struct pv_error *reterr)
{
	struct pv_filter_error e = { 0 };
	for (const struct pv_view_row *s = NULL; filter && (s = pv_section_next(s));)
		if (pv_section_in(set, s) && !(s->flags & (PV_SECTION_FIGURES | PV_SECTION_FACT)) &&
			pv_view_filter_check(s->view, filter, PV_FILTER_WORDS, &e))
			return true;
	return !e.what[0] ||
	       pv_fail(reterr, PV_EUSAGE, 0, "--filter, character %zu: %s", e.at + 1, e.what);
}

bool pv_report_check(const struct pv_report_options *o, struct pv_error *reterr)
{
	struct pv_section_set set;
	struct pv_query q = { 0 };
	if (!pv_sections_chosen(o, &set, reterr) || !pv_report_grouping(o, &q, reterr) ||
		!check_subject(o, &set, reterr) || !check_filter(o->filter, &set, reterr))
		return false;
	if (!o->sort || !o->sort[0])
		return true;
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (pv_section_in(&set, s) && has_column(s, o->sort))
			return true;
	return no_such_key(o->sort, &set, reterr);
}
