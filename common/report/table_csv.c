/* SPDX-License-Identifier: MIT */
/* Tables as CSV and Markdown. */
#include "common/report/table_csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/showable.h"
#include "common/report/lists.h"
#include "common/report/report_sections.h"

static void fail_csv(struct pv_csv *l)
{
	if (l->ok)
		pv_fail(l->reterr, PV_ENOMEM, 0, "out of memory");
	l->ok = false;
}

/* Whether a spreadsheet takes the text for a number. */
static bool reads_as_number(const char *text)
{
	char *end;
	if (strspn(text, "+-.0123456789eE") != strlen(text))
		return false;
	(void)strtod(text, &end);
	return end != text && !*end;
}

/*
 * Whether a spreadsheet would run the cell as a formula; some also accept the wide forms of the
 * signs.
 */
static bool is_formula(const char *text)
{
	static const char *const wide[] = { "\uff1d", "\uff0b", "\uff0d", "\uff20" };
	if (!*text)
		return false;
	for (size_t i = 0; i < PV_COUNT_OF(wide); i++)
		if (strncmp(text, wide[i], strlen(wide[i])) == 0)
			return true;
	return strchr("=+-@\t\r", *text) && !reads_as_number(text);
}

/* After the sign; quoted where a reader of CSV needs it. */
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

static void put_field_text(struct pv_csv *l, const char *text)
{
	char *shown = pv_showable_text(text);
	if (!shown)
		fail_csv(l);
	else if (l->markdown)
		put_escaped(l->out, shown);
	else
		put_quoted(l->out, is_formula(text) ? "'" : "", shown);
	free(shown);
}

static void begin_cell(struct pv_csv *l, bool first)
{
	if (l->markdown)
		fputs(first ? "| " : " | ", l->out);
	else if (!first)
		putc(',', l->out);
}

static void end_row(struct pv_csv *l)
{
	fputs(l->markdown ? " |\n" : "\r\n", l->out);
}

const char *pv_csv_exact(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size)
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
	case PV_UNIT_THREAD: /* as in JSON */
		return pv_cell_text(c, PV_UNIT_ADDRESS, buf, size);
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

static void put_csv_cell(struct pv_csv *l, const struct pv_cell *c, enum pv_unit unit)
{
	size_t size = 64;
	if (unit == PV_UNIT_LIST && c->state == PV_CELL_VALUE)
		size += strlen(c->s) * 3;
	char *buf = malloc(size);
	if (!buf)
		fail_csv(l);
	else if (l->markdown)
		put_field_text(l, pv_report_cell(c, unit, buf, size));
	else if (c->state == PV_CELL_VALUE)
		put_field_text(l, pv_csv_exact(c, unit, buf, size));
	free(buf);
}

static bool right_aligned(enum pv_unit unit)
{
	return unit != PV_UNIT_TEXT && unit != PV_UNIT_LIST;
}

static void put_titles(
	struct pv_csv *l, const char *const *key, const struct pv_table *t, const char *lead)
{
	if (l->titled)
		return;
	l->titled = true;
	if (lead) {
		begin_cell(l, true);
		put_field_text(l, lead);
	}
	for (size_t k = 0; k < PV_MAX_KEYS && key[k]; k++) {
		begin_cell(l, k == 0 && !lead);
		put_field_text(l, key[k]);
	}
	end_row(l);
	if (!l->markdown)
		return;
	fputs(lead ? "|---|" : "|", l->out);
	for (size_t k = 0; k < PV_MAX_KEYS && key[k]; k++) {
		int c = pv_table_column(t, key[k]);
		fputs(right_aligned(t->column[c].unit) ? "--:|" : "---|", l->out);
	}
	putc('\n', l->out);
}

void pv_csv_rows(struct pv_csv *l, const char *const *key, const struct pv_table *t,
	const char *lead, const char *lead_value)
{
	put_titles(l, key, t, lead);
	for (size_t i = 0; i < t->rows && l->ok && !ferror(l->out); i++) {
		if (l->inner && t->row[i].depth == 0)
			continue;
		if (lead) {
			begin_cell(l, true);
			put_field_text(l, lead_value);
		}
		for (size_t k = 0; k < PV_MAX_KEYS && key[k]; k++) {
			int c = pv_table_column(t, key[k]);
			begin_cell(l, k == 0 && !lead);
			const struct pv_cell shown = pv_cell_shown(t, &t->row[i].cell[c]);
			put_csv_cell(l, &shown, t->column[c].unit);
		}
		end_row(l);
	}
}

bool pv_list_csv(FILE *out, const struct pv_table *t, const char *const *key, bool markdown)
{
	struct pv_csv l = { .out = out, .markdown = markdown, .ok = true };
	pv_csv_rows(&l, key, t, NULL, NULL);
	return l.ok;
}
