#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/showable.h"
#include "common/report/lists.h"
#include "common/report/report_sections.h"

/*
 * One list as CSV (RFC 4180, exact figures under their JSON keys) or as a Markdown table (figures
 * for people). Lists inside lists, such as the classes of every heap shot, get a leading column.
 */
struct lines {
	const struct pv_report *r;
	struct pv_error *reterr;
	bool markdown, titled;
	bool ok;
};

static void fail(struct lines *l)
{
	if (l->ok)
		pv_fail(l->reterr, PV_ENOMEM, 0, "out of memory");
	l->ok = false;
}

/* Digits and what may stand between them: a spreadsheet takes this for a number. */
static bool is_number(const char *text)
{
	char *end;
	if (strspn(text, "+-.0123456789eE") != strlen(text))
		return false;
	(void)strtod(text, &end);
	return end != text && !*end;
}

/*
 * A spreadsheet would run a cell that begins like a formula; some take the wide forms of these
 * signs for them too.
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };
	if (!*text)
		return false;
	for (size_t i = 0; i < PV_COUNT_OF(wide); i++)
		if (strncmp(text, wide[i], strlen(wide[i])) == 0)
			return true;
	return strchr("=+-@\t\r", *text) && !is_number(text);
}

/* Behind the sign; quoted where a reader of CSV needs it. */
static void put_quoted(FILE *out, const char *sign, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(sign, out);
		fputs(text, out);
		return;
	}
	putc('"', out);
	fputs(sign, out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	putc('"', out);
}

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>[]&~", *text))
			putc('\\', out);
		putc(*text, out);
	}
}

static void put_text(struct lines *l, const char *text)
{
	char *shown = pv_showable_text(text);
	if (!shown)
		fail(l);
	else if (l->markdown)
		put_escaped(l->r->out, shown);
	else
		put_quoted(l->r->out, is_formula(text) ? "'" : "", shown);
	free(shown);
}

static void begin_cell(struct lines *l, bool first)
{
	if (l->markdown)
		fputs(first ? "| " : " | ", l->r->out);
	else if (!first)
		putc(',', l->r->out);
}

static void end_row(struct lines *l)
{
	fputs(l->markdown ? " |\n" : "\r\n", l->r->out);
}

/* The text that JSON would have, without its quotes; frames of a stack joined as in a pane. */
static const char *exact(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size)
{
	switch (unit) {
	case PV_UNIT_COUNT:
	case PV_UNIT_EXACT:
	case PV_UNIT_BYTES:
		snprintf(buf, size, "%" PRIu64, c->u);
		return buf;
	case PV_UNIT_NS:
	case PV_UNIT_TIME:
	case PV_UNIT_DELTA_COUNT:
	case PV_UNIT_DELTA_BYTES:
		snprintf(buf, size, "%" PRId64, c->i);
		return buf;
	case PV_UNIT_BOOL:
		return c->u ? "true" : "false";
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		snprintf(buf, size, "%.17g", c->d);
		return buf;
	default:
		return pv_cell_text(c, unit, buf, size);
	}
}

static void put_cell(struct lines *l, const struct pv_cell *c, enum pv_unit unit)
{
	size_t size = 64;
	if (unit == PV_UNIT_LIST && c->state == PV_CELL_VALUE)
		size += strlen(c->s) * 3;
	char *buf = malloc(size);
	if (!buf)
		fail(l);
	else if (l->markdown)
		put_text(l, pv_report_cell(c, unit, buf, size));
	else if (c->state == PV_CELL_VALUE)
		put_text(l, exact(c, unit, buf, size));
	free(buf);
}

static bool right_aligned(enum pv_unit unit)
{
	return unit != PV_UNIT_TEXT && unit != PV_UNIT_LIST;
}

static void put_titles(
	struct lines *l, const struct pv_section *s, const struct pv_table *t, const char *lead)
{
	if (l->titled)
		return;
	l->titled = true;
	if (lead) {
		begin_cell(l, true);
		put_text(l, lead);
	}
	for (size_t k = 0; k < PV_MAX_KEYS && s->keys[k]; k++) {
		begin_cell(l, k == 0 && !lead);
		put_text(l, s->keys[k]);
	}
	end_row(l);
	if (!l->markdown)
		return;
	fputs(lead ? "|---|" : "|", l->r->out);
	for (size_t k = 0; k < PV_MAX_KEYS && s->keys[k]; k++) {
		int c = pv_table_column(t, s->keys[k]);
		fputs(right_aligned(t->column[c].unit) ? "--:|" : "---|", l->r->out);
	}
	putc('\n', l->r->out);
}

static void put_rows(struct lines *l, const struct pv_section *s, const struct pv_table *t,
	const char *lead, const char *lead_value)
{
	put_titles(l, s, t, lead);
	for (size_t i = 0; i < t->rows && l->ok && !ferror(l->r->out); i++) {
		if (s->view == PV_VIEW_COUNTERS && t->row[i].depth == 0)
			continue;
		if (lead) {
			begin_cell(l, true);
			put_text(l, lead_value);
		}
		for (size_t k = 0; k < PV_MAX_KEYS && s->keys[k]; k++) {
			int c = pv_table_column(t, s->keys[k]);
			begin_cell(l, k == 0 && !lead);
			const struct pv_cell shown = pv_cell_shown(t, &t->row[i].cell[c]);
			put_cell(l, &shown, t->column[c].unit);
		}
		end_row(l);
	}
}

/* The list of every row of an outer list: classes of each shot, samples of each counter. */
static void put_nested(struct lines *l, const struct pv_section *s, const char *outer,
	const char *column, const char *lead)
{
	struct pv_report_options every = { .format = PV_REPORT_CSV, .limited = true };
	struct pv_report all = *l->r;
	all.options = &every;
	struct pv_table *t = pv_report_table(&all, pv_section_find(outer), 0, l->reterr);
	l->ok = t != NULL;
	for (size_t i = 0; l->ok && i < t->rows; i++) {
		char buf[64];
		if (s->view == PV_VIEW_COUNTER_SAMPLES && t->row[i].depth == 0)
			continue;
		int c = pv_table_column(t, column);
		struct pv_table *inner = pv_report_table(l->r, s, t->row[i].id, l->reterr);
		l->ok = inner != NULL;
		if (inner)
			put_rows(l, s, inner, lead,
				exact(&t->row[i].cell[c], t->column[c].unit, buf, sizeof buf));
		pv_table_destroy(inner);
	}
	pv_table_destroy(t);
}

static void put_one(struct lines *l, const struct pv_section *s)
{
	struct pv_table *t = pv_report_table(l->r, s, 0, l->reterr);
	l->ok = t != NULL;
	if (t)
		put_rows(l, s, t, NULL, NULL);
	pv_table_destroy(t);
}

static bool put_list(struct pv_report *r, bool markdown, struct pv_error *reterr)
{
	struct lines l = { .r = r, .reterr = reterr, .markdown = markdown, .ok = true };
	for (size_t i = 0; i < pv_section_count; i++) {
		const struct pv_section *s = &pv_sections[i];
		if (!pv_report_wants(r, s))
			continue;
		if (s->view == PV_VIEW_SHOT_CLASSES)
			put_nested(&l, s, "heap_shots", "index", "index");
		else if (s->view == PV_VIEW_COUNTER_SAMPLES)
			put_nested(&l, s, "counters", "name", "counter");
		else if (s->view == PV_VIEW_CODE_COVERAGE_LINES)
			put_nested(&l, s, "code_coverage", "method", "method");
		else
			put_one(&l, s);
	}
	return l.ok;
}

bool pv_report_csv(struct pv_report *r, struct pv_error *reterr)
{
	return put_list(r, false, reterr);
}

bool pv_report_markdown(struct pv_report *r, struct pv_error *reterr)
{
	return put_list(r, true, reterr);
}

bool pv_list_csv(FILE *out, const struct pv_table *t, const char *const *key, bool markdown)
{
	const struct pv_report r = { .out = out };
	struct pv_section s = { .view = PV_VIEW_COUNT };
	struct lines l = { .r = &r, .markdown = markdown, .ok = true };
	for (size_t k = 0; k < PV_MAX_KEYS && key[k]; k++)
		s.keys[k] = key[k];
	put_rows(&l, &s, t, NULL, NULL);
	return l.ok;
}
