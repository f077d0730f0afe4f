#include "common/report/report_sections.h"
#include "common/report/table_csv.h"

/* Lists inside lists, such as the classes of every heap shot, get a leading column. */
struct lines {
	const struct pv_report *r;
	struct pv_csv csv;
};

/* The list of every row of an outer list: classes of each shot, samples of each counter. */
static void put_nested(struct lines *l, const struct pv_section *s, const char *outer,
	const char *column, const char *lead)
{
	struct pv_report_options every = { .format = PV_REPORT_CSV, .limited = true };
	struct pv_report all = *l->r;
	all.options = &every;
	struct pv_table *t = pv_report_table(&all, pv_section_find(outer), 0, l->csv.reterr);
	l->csv.ok = t != NULL;
	for (size_t i = 0; l->csv.ok && i < t->rows; i++) {
		char buf[64];
		if (s->view == PV_VIEW_COUNTER_SAMPLES && t->row[i].depth == 0)
			continue;
		int c = pv_table_column(t, column);
		struct pv_table *inner = pv_report_table(l->r, s, t->row[i].id, l->csv.reterr);
		l->csv.ok = inner != NULL;
		if (inner)
			pv_csv_rows(&l->csv, s->keys, inner, lead,
				pv_csv_exact(
					&t->row[i].cell[c], t->column[c].unit, buf, sizeof buf));
		pv_table_destroy(inner);
	}
	pv_table_destroy(t);
}

static void put_one(struct lines *l, const struct pv_section *s)
{
	struct pv_table *t = pv_report_table(l->r, s, 0, l->csv.reterr);
	l->csv.ok = t != NULL;
	if (t)
		pv_csv_rows(&l->csv, s->keys, t, NULL, NULL);
	pv_table_destroy(t);
}

static bool put_list(struct pv_report *r, bool markdown, struct pv_error *reterr)
{
	struct lines l = { r,
		{ .out = r->out, .reterr = reterr, .markdown = markdown, .ok = true } };
	for (size_t i = 0; i < pv_section_count; i++) {
		const struct pv_section *s = &pv_sections[i];
		if (!pv_report_wants(r, s))
			continue;
		l.csv.inner = s->view == PV_VIEW_COUNTERS;
		if (s->view == PV_VIEW_SHOT_CLASSES)
			put_nested(&l, s, "heap_shots", "index", "index");
		else if (s->view == PV_VIEW_COUNTER_SAMPLES)
			put_nested(&l, s, "counters", "name", "counter");
		else if (s->view == PV_VIEW_CODE_COVERAGE_LINES)
			put_nested(&l, s, "code_coverage", "method", "method");
		else
			put_one(&l, s);
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
