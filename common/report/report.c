/* SPDX-License-Identifier: MIT */
/* Prepares a report (objects, identity, method, class), and writes the chosen format. */
#include "common/report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/heap/heap.h"
#include "common/query/groups/groups_cache.h"
#include "common/report/report_sections.h"

static bool write_format(struct pv_report *r, struct pv_error *reterr)
{
	switch (r->options->format) {
	case PV_REPORT_JSON:
		return pv_report_json(r, reterr);
	case PV_REPORT_CSV:
		return pv_report_csv(r, reterr);
	case PV_REPORT_MARKDOWN:
		return pv_report_markdown(r, reterr);
	case PV_REPORT_VIM:
		return pv_report_quickfix(r, reterr);
	default:
		return pv_report_text(r, reterr);
	}
}

/* Whether a section with one of the flags was asked for. */
static bool needs(const struct pv_report *r, unsigned flags)
{
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (pv_report_wants(r, s) && s->flags & flags)
			return true;
	return false;
}

/* Whether one shot suffices for all sections with identity of objects. */
static bool follows_to_one(const struct pv_report *r)
{
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));)
		if (pv_report_wants(r, s) &&
			(s->flags & (PV_SECTION_IDENTITY | PV_SECTION_SINGLE)) ==
				PV_SECTION_IDENTITY)
			return false;
	return true;
}

/* Finds the identity of objects, if a section needs it. */
static bool follow_objects(struct pv_report *r, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	const struct pv_report_diff which = { o->has_base, o->has_shot, o->base, o->shot.index,
		o->by, follows_to_one(r) };
	if (!needs(r, PV_SECTION_IDENTITY))
		return true;
	if (!o->follows)
		return pv_fail(reterr, PV_EUSAGE, 0, "objects cannot be followed here");
	r->identity = o->follows->follow(o->follows->ctx, &which, &r->identity_model, reterr);
	return r->identity != NULL;
}

/* Opens the newest shot for rules about objects, unless large. */
static void open_judged(struct pv_report *r)
{
	const struct pv_report_options *o = r->options;
	struct pv_summary sum;
	pv_view_summary(r->model, &sum);
	if (!o->heaps || sum.shot_objects == 0 || sum.shot_objects > PV_REPORT_JUDGED_MOST ||
		!pv_report_wants(r, pv_section_find("findings")))
		return;
	const struct pv_report_shot newest = { .index = sum.shot };
	r->judged = o->heaps->open(o->heaps->ctx, &newest, NULL);
}

/* Opens the shot, if a section needs objects. */
static bool open_heap(struct pv_report *r, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	if (!needs(r, PV_SECTION_GRAPH)) {
		open_judged(r);
		return true;
	}
	if (!o->heaps)
		return pv_fail(
			reterr, PV_EUSAGE, 0, "the objects of heap shots cannot be read here");
	r->heap = o->heaps->open(o->heaps->ctx, &o->shot, reterr);
	if (!r->heap || !o->has_object)
		return r->heap != NULL;
	r->object = pv_graph_find(&r->heap->graph, o->object);
	return r->object != PV_GRAPH_NONE ||
	       pv_fail(reterr, PV_EUSAGE, 0,
		       "no object begins at 0x%" PRIx64 " in heap shot %" PRIu32, o->object,
		       o->shot.index);
}

/* --- the method and the class of sections */

/* The first row with the name, as logged or readable. */
static bool find_row(struct pv_model *m, enum pv_view view, const struct pv_query *query,
	const char *what, const char *name, uint64_t *ret, struct pv_error *reterr)
{
	struct pv_query q = *query;
	q.readable = true;
	struct pv_table *t = pv_view_table(m, view, &q);
	int column = t ? pv_table_column(t, "name") : -1;
	bool found = false;
	if (!t || column < 0) {
		pv_table_destroy(t);
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	}
	for (size_t i = 0; !found && i < t->rows; i++) {
		const struct pv_cell *c = &t->row[i].cell[column];
		found = c->state == PV_CELL_VALUE &&
			(strcmp(c->s, name) == 0 || strcmp(pv_cell_shown(t, c).s, name) == 0);
		if (found)
			*ret = t->row[i].id;
	}
	pv_table_destroy(t);
	return found ||
	       pv_fail(reterr, PV_EUSAGE, 0, "%s \"%s\" is not there; --section %s lists them",
		       what, PV_FIT(name, 80), pv_view_rows[view].section);
}

static bool find_subjects(struct pv_report *r, struct pv_error *reterr)
{
	const struct pv_report_options *o = r->options;
	struct pv_query q = { .groups = r->groups,
		.heap = r->heap,
		.identity = r->identity,
		.my_code = o->my_code,
		.physical = o->physical,
		.waits = o->waits };
	if (needs(r, PV_SECTION_METHOD) &&
		(!pv_report_grouping(o, &q, reterr) ||
			!find_row(r->model, PV_VIEW_METHODS, &q, "the method", o->method,
				&r->method, reterr)))
		return false;
	if (needs(r, PV_SECTION_CLASS) && !find_row(r->model, PV_VIEW_HEAP_CLASSES, &q, "the class",
						  o->of_class, &r->heap_class, reterr))
		return false;
	bool lived = pv_report_wants(r, pv_section_find("heap_births")) && o->of_class;
	return !lived || find_row(r->identity_model, PV_VIEW_HEAP_LADDER, &q, "the class",
				 o->of_class, &r->lived_class, reterr);
}

bool pv_report_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_report_options *options, FILE *out, struct pv_error *reterr)
{
	struct pv_report r = { .model = m, .source = source, .options = options, .out = out };
	if (!pv_report_check(options, reterr) || !pv_sections_chosen(options, &r.chosen, reterr))
		return false;
	if (!options->processes && needs(&r, PV_SECTION_FOLDER))
		return pv_fail(reterr, PV_EUSAGE, 0,
			"this is the log of one process: a folder has the section processes");
	pv_view_facts(m, &r.facts);
	pv_view_totals(m, &r.totals);
	r.groups = pv_groups_cache_create();
	bool ok = open_heap(&r, reterr) && follow_objects(&r, reterr) &&
		  find_subjects(&r, reterr) && write_format(&r, reterr);
	pv_groups_cache_destroy(r.groups);
	if (!ok)
		return false;
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EIO, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}
