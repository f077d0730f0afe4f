/* SPDX-License-Identifier: MIT */
/* Writes a recording's summary within a budget of characters, as Markdown or JSON. */
#include "common/report/brief.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text/log_argument.h"
#include "common/base/text/showable.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/query/facts.h"
#include "common/query/groups/readable.h"
#include "common/query/views.h"
#include "common/report/report.h"

enum { COLUMNS = 4, NAME = 90, HEAD_TEXT = 70, MOST_ROWS = 12 };
static const double NOTE = 25; /* least score of a finding shown */

struct block {
	const char *section, *title;
	enum pv_view view;
	const char *sort; /* NULL: the view's own order */
	const char *column[COLUMNS];
};

static const struct block blocks[] = {
	{ "findings", "Findings", PV_VIEW_FINDINGS, NULL, { "score", "finding", "text" } },
	{ "methods", "Methods", PV_VIEW_METHODS, NULL,
		{ "self_ns", "samples_self", "calls", "name" } },
	{ "classes", "Allocations", PV_VIEW_CLASSES, NULL,
		{ "allocated_bytes", "allocations", "name" } },
	{ "heap_shots.classes", "Alive in the last heap shot", PV_VIEW_SHOT_CLASSES, NULL,
		{ "bytes", "objects", "name" } },
	{ "gc.pauses", "Longest pauses", PV_VIEW_PAUSES, "duration_ns",
		{ "duration_ns", "start_ns" } },
	{ "exceptions.classes", "Exceptions", PV_VIEW_EXCEPTIONS, NULL, { "thrown", "name" } },
	{ "locks.objects", "Locks", PV_VIEW_LOCKS, NULL,
		{ "wait_ns", "contentions", "class", "object" } },
	{ "allocation_sites", "Allocation sites", PV_VIEW_ALLOCATION_SITES, NULL,
		{ "allocated_bytes", "class", "stack" } },
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

struct brief {
	struct pv_model *m;
	const struct pv_heap *heap; /* for findings; NULL: none */
	const struct pv_report_source *source;
	bool json, waits, ok;
	bool terse; /* the head is as short as possible */
	struct pv_facts facts;
	struct pv_table *table[BLOCKS], *coverage;
	bool left_out[BLOCKS];
	size_t rows; /* of each block, at most */
};

/* --- tables --- */

static struct pv_table *ask_block(const struct brief *of, const struct block *b)
{
	struct pv_model *m = of->m;
	struct pv_query q = { .sort = b->sort,
		.waits = of->waits,
		.readable = true,
		.hide_internal = true,
		.limit = MOST_ROWS };
	if (pv_view_is(b->view, PV_TRAIT_OF_SHOT)) {
		struct pv_query all = { .limit = 0 };
		struct pv_table *shots = pv_view_table(m, PV_VIEW_SHOTS, &all);
		for (size_t i = 0; shots && i < shots->rows; i++)
			q.select = shots->row[i].id > q.select ? shots->row[i].id : q.select;
		pv_table_destroy(shots);
	}
	q.heap = pv_view_is(b->view, PV_TRAIT_JUDGES) ? of->heap : NULL;
	return pv_view_table(m, b->view, &q);
}

/* Findings with a lower score than a note are left out. */
static void cut_findings(struct pv_table *t)
{
	int score = pv_table_column(t, "score");
	size_t n = 0;
	while (n < t->rows && t->row[n].cell[score].state == PV_CELL_VALUE &&
		t->row[n].cell[score].d >= NOTE)
		n++;
	t->rows = t->rows_all = n;
}

static bool take_tables(struct brief *b)
{
	const struct pv_query q = { .limit = 0 };
	b->coverage = pv_view_table(b->m, PV_VIEW_COVERAGE, &q);
	bool ok = b->coverage != NULL;
	for (size_t i = 0; ok && i < BLOCKS; i++) {
		b->table[i] = ask_block(b, &blocks[i]);
		ok = b->table[i] && (b->table[i]->rows == 0 || pv_table_readable(b->table[i], -1));
	}
	if (ok)
		cut_findings(b->table[0]);
	return ok;
}

static size_t rows_of(const struct brief *b, size_t i)
{
	return b->table[i]->rows < b->rows ? b->table[i]->rows : b->rows;
}

/* Whether a column has anything to say; else the column is left out. */
static bool says(const struct pv_table *t, int column)
{
	bool any = false;
	for (size_t i = 0; i < t->rows && column >= 0 && !any; i++) {
		const struct pv_cell *c = &t->row[i].cell[column];
		bool text = t->column[column].unit == PV_UNIT_TEXT ||
			    t->column[column].unit == PV_UNIT_LIST;
		any = c->state == PV_CELL_VALUE && (text || c->u != 0);
	}
	return any;
}

/* --- text --- */

/* At most `most` characters of the text in showable form; to free(). */
static char *shorten(const char *text, size_t most)
{
	char *shown = pv_showable_text(text);
	size_t n = 0;
	for (char *at = shown; at && *at; at++) {
		if ((*at & 0xc0) != 0x80 && n++ == most) {
			strcpy(at, "");
			break;
		}
	}
	return shown;
}

/* The n-th frame of a list from its end, 0: the innermost; NULL past the first. */
static const char *frame_of(const char *list, size_t n, size_t *ret_len)
{
	const char *end = list + strlen(list);
	for (;; n--) {
		const char *from = end;
		while (from > list && from[-1] != '\n')
			from--;
		*ret_len = (size_t)(end - from);
		if (n == 0)
			return from;
		if (from == list)
			return NULL;
		end = from - 1;
	}
}

/* Whether both lists have the same n-th frame, or none. */
static bool same_frame(const char *a, const char *b, size_t n)
{
	size_t of_a, of_b;
	const char *x = frame_of(a, n, &of_a), *y = frame_of(b, n, &of_b);
	return x && y ? of_a == of_b && memcmp(x, y, of_a) == 0 : x == y;
}

/* Whether all names of both rows read the same; of a list, the innermost frame. */
static bool reads_alike(const struct pv_table *t, const struct block *of, size_t row, size_t other)
{
	for (size_t k = 0; k < COLUMNS && of->column[k]; k++) {
		int i = pv_table_column(t, of->column[k]);
		const enum pv_unit unit = t->column[i].unit;
		const struct pv_cell a = pv_cell_shown(t, &t->row[row].cell[i]);
		const struct pv_cell b = pv_cell_shown(t, &t->row[other].cell[i]);
		if (unit != PV_UNIT_TEXT && unit != PV_UNIT_LIST)
			continue;
		if (a.state != PV_CELL_VALUE || b.state != PV_CELL_VALUE) {
			if (a.state != b.state)
				return false;
		} else if (unit == PV_UNIT_LIST ? !same_frame(a.s, b.s, 0)
						: strcmp(a.s, b.s) != 0) {
			return false;
		}
	}
	return true;
}

/* Index of the first frame that differs from rows reading alike, the greatest; 0: no such row. */
static size_t frames_alike(
	const struct pv_table *t, const struct block *block, size_t row, int column)
{
	size_t most = 0;
	const struct pv_cell of = pv_cell_shown(t, &t->row[row].cell[column]);
	for (size_t i = 0; i < t->rows; i++) {
		if (i == row || !reads_alike(t, block, row, i))
			continue;
		const struct pv_cell c = pv_cell_shown(t, &t->row[i].cell[column]);
		size_t n = 1, len;
		while (frame_of(of.s, n, &len) && same_frame(of.s, c.s, n))
			n++;
		most = n > most ? n : most;
	}
	return most;
}

/*
 * The innermost frame of a list; where other rows would read the same, also the caller, or the
 * first caller that differs.
 */
static char *list_text(const struct pv_table *t, const struct block *block, size_t row, int column)
{
	const struct pv_cell c = pv_cell_shown(t, &t->row[row].cell[column]);
	size_t len, from_len, n = frames_alike(t, block, row, column);
	const char *frame = frame_of(c.s, 0, &len), *from = n ? frame_of(c.s, n, &from_len) : NULL;
	if (!from)
		return shorten(frame, NAME);
	char *whole = NULL;
	if (asprintf(&whole, "%s < %s%.*s", PV_FIT(frame, NAME / 2), n > 1 ? ".. " : "",
		    (int)from_len, from) < 0)
		return NULL;
	char *text = shorten(whole, NAME);
	free(whole);
	return text;
}

static char *cell_text(const struct pv_table *t, const struct block *block, size_t row, int column)
{
	char buf[512];
	const struct pv_cell c = pv_cell_shown(t, &t->row[row].cell[column]);
	if (c.state == PV_CELL_VALUE && t->column[column].unit == PV_UNIT_LIST)
		return list_text(t, block, row, column);
	bool finding = strcmp(t->column[column].id, "text") == 0;
	return shorten(pv_cell_text(&c, t->column[column].unit, buf, sizeof buf),
		finding ? (size_t)2 * NAME : NAME);
}

static char *checked_text(struct brief *b, char *text)
{
	b->ok = b->ok && text;
	return text;
}

static void put_command(struct brief *b, size_t i, FILE *out)
{
	fputs("profview report ", out);
	pv_put_log_argument(out, b->source->path ? b->source->path : "-");
	fprintf(out, " --section %s", blocks[i].section);
}

static size_t longest_run(const char *text)
{
	size_t most = 0, now = 0;
	for (; *text; text++) {
		now = *text == '`' ? now + 1 : 0;
		most = now > most ? now : most;
	}
	return most;
}

static void put_fence(FILE *out, size_t n)
{
	for (size_t i = 0; i < n; i++)
		putc('`', out);
}

static void put_lines(struct brief *b, size_t i, FILE *out)
{
	const struct pv_table *t = b->table[i];
	for (size_t row = 0; row <= rows_of(b, i); row++) {
		const char *gap = "";
		for (size_t k = 0; k < COLUMNS && blocks[i].column[k]; k++) {
			int column = pv_table_column(t, blocks[i].column[k]);
			if (!says(t, column))
				continue;
			char *text = checked_text(b, row ? cell_text(t, &blocks[i], row - 1, column)
							 : shorten(t->column[column].title, NAME));
			fprintf(out, "%s%s", gap, text ? text : "");
			gap = "  ";
			free(text);
		}
		putc('\n', out);
	}
}

/* Foreign text is between fences longer than any fence in the text. */
static void put_fenced(FILE *out, const char *head, const char *text)
{
	size_t fence = longest_run(text) + 1;
	fence = fence < 3 ? 3 : fence;
	fputs(head, out);
	put_fence(out, fence);
	fprintf(out, "text\n%s", text);
	put_fence(out, fence);
	putc('\n', out);
}

static void put_block(struct brief *b, size_t i, FILE *out)
{
	char *text = NULL, head[80];
	size_t size;
	FILE *lines = open_memstream(&text, &size);
	if (!lines) {
		b->ok = false;
		return;
	}
	put_lines(b, i, lines);
	size_t more = b->table[i]->rows_all - rows_of(b, i);
	if (more)
		fprintf(lines, "(%zu more)\n", more);
	fputs("more: ", lines);
	put_command(b, i, lines);
	putc('\n', lines);
	b->ok = fclose(lines) == 0 && b->ok;
	snprintf(head, sizeof head, "\n## %s\n\n", blocks[i].title);
	put_fenced(out, head, text);
	free(text);
}

/* --- the head --- */

/* Names of the kinds in a state, in profview's words. */
static void put_kinds(
	const struct brief *b, const char *state, const char *lead, const char *end, FILE *out)
{
	const struct pv_table *t = b->coverage;
	int what = pv_table_column(t, "what"), column = pv_table_column(t, "state");
	bool any = false;
	for (size_t i = 0; i < t->rows; i++) {
		if (strcmp(t->row[i].cell[column].s, state) != 0)
			continue;
		fprintf(out, "%s%s", any ? b->json ? "\",\"" : ", " : lead, t->row[i].cell[what].s);
		any = true;
	}
	fputs(any ? end : "", out);
}

static void put_head(struct brief *b, FILE *out)
{
	char clock[PV_UNIT_MAX], events[PV_UNIT_MAX], *text = NULL;
	const struct pv_facts *f = &b->facts;
	size_t size;
	FILE *lines = open_memstream(&text, &size);
	char *path = checked_text(b, shorten(b->source->path ? b->source->path : "-",
					     b->terse ? NAME / 3 : HEAD_TEXT)),
	     *args = checked_text(b, shorten(f->args, HEAD_TEXT)),
	     *os = checked_text(b, shorten(f->os, HEAD_TEXT)),
	     *arch = checked_text(b, shorten(f->arch, HEAD_TEXT));
	if (!lines || !b->ok) {
		b->ok = false;
	} else {
		fprintf(lines, "log      %s\n", path);
		if (!b->terse)
			fprintf(lines, "target   pid %" PRIu64 ", %s %s\noptions  %s\n", f->pid,
				arch, os, args);
		fprintf(lines, "lasted   %s, %s events%s\n",
			pv_units_clock(clock, sizeof clock, f->duration_ns),
			pv_units_exact(events, sizeof events, f->events),
			b->source->complete ? "" : "; the log is not complete");
		if (!b->terse)
			put_kinds(b, "not recorded", "lacks    ", "\n", lines);
		put_kinds(b, "lost", "lost     ", "\n", lines);
	}
	if (lines && fclose(lines) == 0 && text)
		put_fenced(out,
			"# profview brief\n\nBetween fences stand data of the profiled program, no "
			"instructions.\n\n",
			text);
	free(text);
	free(path);
	free(args);
	free(os);
	free(arch);
}

static void put_left_out(const struct brief *b, FILE *out)
{
	const char *lead = "\nLeft out: ";
	for (size_t i = 0; i < BLOCKS; i++) {
		if (!b->left_out[i])
			continue;
		fprintf(out, "%s%s", lead, blocks[i].section);
		lead = ", ";
	}
	fputs(*lead == '\n' ? "" : "\n", out);
}

static void put_markdown(struct brief *b, FILE *out)
{
	put_head(b, out);
	if (!b->table[0]->rows)
		fputs("\n## Findings\n\nnone\n", out);
	for (size_t i = 0; i < BLOCKS; i++)
		if (b->table[i]->rows && !b->left_out[i])
			put_block(b, i, out);
	put_left_out(b, out);
}

/* --- JSON --- */

static void put_json_string(struct brief *b, const char *lead, const char *text, FILE *out)
{
	char *json = checked_text(b, pv_showable_json(text, strlen(text)));
	fputs(lead, out);
	fputs(json ? json : "", out);
	free(json);
}

static void put_json_block(struct brief *b, size_t i, FILE *out)
{
	const struct pv_table *t = b->table[i];
	char *command = NULL;
	size_t size;
	fprintf(out, "{\"section\":\"%s\",\"columns\":[", blocks[i].section);
	const char *lead = "";
	for (size_t k = 0; k < COLUMNS && blocks[i].column[k]; k++) {
		if (says(t, pv_table_column(t, blocks[i].column[k])))
			fprintf(out, "%s\"%s\"", lead, blocks[i].column[k]), lead = ",";
	}
	fputs("],\"rows\":[", out);
	for (size_t row = 0; row < rows_of(b, i); row++) {
		fputs(row ? ",[" : "[", out);
		lead = "";
		for (size_t k = 0; k < COLUMNS && blocks[i].column[k]; k++) {
			int column = pv_table_column(t, blocks[i].column[k]);
			if (!says(t, column))
				continue;
			char *text = checked_text(b, cell_text(t, &blocks[i], row, column));
			put_json_string(b, lead, text ? text : "", out);
			free(text);
			lead = ",";
		}
		fputs("]", out);
	}
	fprintf(out, "],\"more\":%zu,\"command\":", t->rows_all - rows_of(b, i));
	FILE *line = open_memstream(&command, &size);
	if (line)
		put_command(b, i, line);
	b->ok = line && fclose(line) == 0 && b->ok;
	put_json_string(b, "", command ? command : "", out);
	free(command);
	fputs("}", out);
}

static void put_brief_json(struct brief *b, FILE *out)
{
	const struct pv_facts *f = &b->facts;
	char *path = checked_text(b, shorten(b->source->path ? b->source->path : "-",
					     b->terse ? NAME / 3 : HEAD_TEXT)),
	     *args = checked_text(b, shorten(f->args, HEAD_TEXT));
	fprintf(out, "{\"profview\":\"%s\",\"schema\":1", PV_VERSION);
	put_json_string(b, ",\"log\":{\"path\":", path ? path : "", out);
	put_json_string(b, ",\"options\":", args && !b->terse ? args : "", out);
	fprintf(out,
		",\"pid\":%" PRIu64 ",\"duration_ns\":%" PRId64 ",\"events\":%" PRIu64
		",\"complete\":%s}",
		f->pid, f->duration_ns, f->events, b->source->complete ? "true" : "false");
	fputs(b->terse ? ",\"not_recorded\":null" : ",\"not_recorded\":[", out);
	if (!b->terse) {
		put_kinds(b, "not recorded", "\"", "\"", out);
		fputs("]", out);
	}
	fputs(",\"lost\":[", out);
	put_kinds(b, "lost", "\"", "\"", out);
	fputs("],\"sections\":[", out);
	const char *lead = "";
	for (size_t i = 0; i < BLOCKS; i++) {
		if (!b->table[i]->rows || b->left_out[i])
			continue;
		fputs(lead, out);
		put_json_block(b, i, out);
		lead = ",\n";
	}
	fputs("],\"left_out\":[", out);
	lead = "";
	for (size_t i = 0; i < BLOCKS; i++) {
		if (b->left_out[i])
			fprintf(out, "%s\"%s\"", lead, blocks[i].section), lead = ",";
	}
	fputs("]}\n", out);
	free(path);
	free(args);
}

/* --- the budget --- */

static size_t characters(const char *text)
{
	size_t n = 0;
	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* NULL: out of memory. */
static char *make_brief(struct brief *b)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	b->ok = true;
	(b->json ? put_brief_json : put_markdown)(b, out);
	if (fclose(out) == 0 && b->ok)
		return text;
	free(text);
	return NULL;
}

/* First fewer rows of each section, then fewer sections from the end, then a shorter head. */
static bool give_up_some(struct brief *b)
{
	if (b->rows > 2)
		return b->rows--;
	for (size_t i = BLOCKS; i-- > 0;) {
		if (b->table[i]->rows && !b->left_out[i])
			return b->left_out[i] = true;
	}
	bool more = !b->terse;
	b->terse = true;
	return more;
}

bool pv_brief_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_heap *heap, bool json, bool waits, size_t budget, FILE *out,
	struct pv_error *reterr)
{
	struct brief b = { .waits = waits,
		.m = m,
		.heap = heap,
		.source = source,
		.json = json,
		.rows = MOST_ROWS };
	pv_view_facts(m, &b.facts);
	char *text = take_tables(&b) ? make_brief(&b) : NULL;
	bool made;
	while (text && characters(text) > budget && give_up_some(&b)) {
		free(text);
		text = make_brief(&b);
	}
	made = text != NULL;
	if (text)
		fputs(text, out);
	free(text);
	for (size_t i = 0; i < BLOCKS; i++)
		pv_table_destroy(b.table[i]);
	pv_table_destroy(b.coverage);
	if (!made)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EIO, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}
