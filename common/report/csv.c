/* SPDX-License-Identifier: MIT */
/* A report's list as CSV or Markdown. */
#include <stdio.h>
#include <string.h>

#include "common/report/report_sections.h"
#include "common/report/table_csv.h"

/* Lists inside lists, such as the classes of every heap shot, get a leading column. */
struct lines {
	const struct pv_report *r;
	struct pv_csv csv;
};

/* The list of every row of an outer list: classes of each shot, samples of each counter. */
static void put_nested(struct lines *l, const struct pv_view_row *s, const char *const *key)
{
	struct pv_report_options every = { .format = PV_REPORT_CSV, .limited = true };
	struct pv_report all = *l->r;
	char name[40];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(s->section, "."), s->section);
	const struct pv_view_row *outer = pv_section_find(name);
	all.options = &every;
	struct pv_table *t = pv_report_table(&all, outer, 0, l->csv.reterr);
	l->csv.ok = t != NULL;
	for (size_t i = 0; l->csv.ok && i < t->rows; i++) {
		char buf[64];
		if (outer->flags & PV_SECTION_LEAVES && t->row[i].depth == 0)
			continue;
		int c = pv_table_column(t, s->outer);
		struct pv_table *inner = pv_report_table(l->r, s, t->row[i].id, l->csv.reterr);
		l->csv.ok = inner != NULL;
		if (inner)
			pv_csv_rows(&l->csv, key, inner, s->lead,
				pv_csv_exact(
					&t->row[i].cell[c], t->column[c].unit, buf, sizeof buf));
		pv_table_destroy(inner);
	}
	pv_table_destroy(t);
}

static void put_one(struct lines *l, const struct pv_view_row *s, const char *const *key)
{
	struct pv_table *t = pv_report_table(l->r, s, 0, l->csv.reterr);
	l->csv.ok = t != NULL;
	if (t)
		pv_csv_rows(&l->csv, key, t, NULL, NULL);
	pv_table_destroy(t);
}

static bool put_list(struct pv_report *r, bool markdown, struct pv_error *reterr)
{
	struct lines l = { r,
		{ .out = r->out, .reterr = reterr, .markdown = markdown, .ok = true } };
	for (const struct pv_view_row *s = NULL; (s = pv_section_next(s));) {
		const char *key[PV_MAX_KEYS];
		if (!pv_report_wants(r, s))
			continue;
		pv_section_keys(s, key);
		l.csv.inner = s->flags & PV_SECTION_LEAVES;
		(s->outer ? put_nested : put_one)(&l, s, key);
	}
	return l.csv.ok;
}

bool pv_report_csv(struct pv_report *r, struct pv_error *reterr)
{
	return put_list(r, false, reterr);
}

bool pv_report_markdown(struct pv_report *r, struct pv_error *reterr)
{
	return put_list(r, true, reterr);
}
