/* SPDX-License-Identifier: MIT */
/* One source file, line by line, with what was met at each line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/base/utf8.h"
#include "common/model/names/il_lines.h"
#include "common/query/groups/groups.h"
#include "common/query/coverage/lines.h"
#include "common/query/source_text.h"
#include "common/query/views/source_columns.h"
#include "common/query/groups/specs.h"

static const struct pv_column columns[] = {
	[PV_SOURCE_SHARE] = { "samples_self_percent", "SELF%", PV_UNIT_PERCENT, 6, 2,
		.flags = PV_COLUMN_ADDS | PV_COLUMN_SPARSE },
	[PV_SOURCE_SELF] = { "samples_self", "SELF", PV_UNIT_COUNT, 6, 4,
		.flags = PV_COLUMN_ADDS | PV_COLUMN_SPARSE },
	[PV_SOURCE_TOTAL_SHARE] = { "samples_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 3,
		.flags = PV_COLUMN_SPARSE },
	[PV_SOURCE_TOTAL] = { "samples", "TOTAL", PV_UNIT_COUNT, 6, 5, .flags = PV_COLUMN_SPARSE },
	[PV_SOURCE_BYTES] = { "allocated_bytes", "ALLOC", PV_UNIT_BYTES, 9, 5,
		.flags = PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .help = PV_LINE_BYTES_HELP },
	[PV_SOURCE_BYTES_TOTAL] = { "allocated_bytes_total", "ALLOC ALL", PV_UNIT_BYTES, 9, 6,
		.flags = PV_COLUMN_SPARSE, .help = PV_LINE_BYTES_ALL_HELP },
	[PV_SOURCE_WAIT] = { "wait_ns", "WAIT", PV_UNIT_NS, 8, 5,
		.flags = PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .help = PV_LINE_WAIT_HELP },
	[PV_SOURCE_WAIT_TOTAL] = { "wait_total_ns", "WAIT ALL", PV_UNIT_NS, 8, 6,
		.flags = PV_COLUMN_SPARSE, .help = PV_LINE_WAIT_ALL_HELP },
	[PV_SOURCE_THROWN] = { "thrown", "THROWN", PV_UNIT_COUNT, 7, 5,
		.flags = PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .help = PV_LINE_THROWN_HELP },
	[PV_SOURCE_THROWN_TOTAL] = { "thrown_total", "THROWN ALL", PV_UNIT_COUNT, 10, 6,
		.flags = PV_COLUMN_SPARSE, .help = PV_LINE_THROWN_ALL_HELP },
	[PV_SOURCE_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 20, 6,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_METHOD | PV_COLUMN_SPARSE |
			 PV_COLUMN_HIDE_SCREEN },
	[PV_SOURCE_FILE] = { "file", "FILE", PV_UNIT_TEXT, 30, 6,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN },
	[PV_SOURCE_LINE] = { "line", "LINE", PV_UNIT_EXACT, 5, 0, .flags = PV_COLUMN_ASCENDING },
	[PV_SOURCE_TEXT] = { "text", "SOURCE", PV_UNIT_TEXT, 40, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_SPARSE,
		.help = "The line as it is in the file" },
	[PV_SOURCE_ROW] = { "row", "ROW", PV_UNIT_EXACT, 5, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN },
};

struct shown_file {
	const struct pv_source_wish *wish;
	uint32_t file, begin;           /* interned; the cursor's first line; 0: none known */
	const char *path;               /* of `file`, as long as the model */
	bool missed;                    /* the wish has no samples: the hottest file is shown */
	enum pv_line_measure lead;      /* that lights and chooses lines */
	uint64_t self, all;             /* by that: in the file; in all */
	uint64_t samples;               /* in all */
	uint64_t most_self, most_total; /* of a single line of the file, by that */
	bool any;                       /* something that could have a line was recorded */
	uint64_t started_s;             /* start of the recording, seconds since 1970; 0: unknown */
	struct pv_il_source known;      /* of the file at build time */
	bool from_pdb;                  /* the text is the PDB's, as built */
};

/* Sums of one line, copied from the model: the file is read without the model's lock. */
struct line_row {
	uint32_t line;
	uint64_t self[PV_LINE_MEASURES], total[PV_LINE_MEASURES];
	const char *method;
};
typedef PV_ARRAY(struct line_row) line_rows;

/* By samples, else by what it allocated, waited, threw. */
static bool better(const struct pv_line_sum *a, const struct pv_line_sum *b)
{
	static const enum pv_line_measure order[] = { PV_LINE_SAMPLES, PV_LINE_BYTES,
		PV_LINE_WAIT_NS, PV_LINE_WAITS, PV_LINE_THROWS };
	if (!b)
		return true;
	for (size_t i = 0; i < PV_COUNT_OF(order); i++)
		if (a->self[order[i]] != b->self[order[i]] ||
			a->total[order[i]] != b->total[order[i]])
			return pv_line_sum_is_hotter(a, b, order[i]);
	return false;
}

static bool is_named(struct pv_build *b, const struct pv_groups *g, uint32_t method,
	const char *name, size_t len)
{
	const char *is = pv_group_name(b, g, pv_group_of(g, method));
	return strncmp(is, name, len) == 0 && !is[len];
}

/* The hottest line of the method with this name; NULL: any method's. */
static const struct pv_line_sum *hottest(struct pv_build *b, const struct pv_line_sums *sums,
	const struct pv_groups *g, const char *name, size_t len)
{
	const struct pv_line_sum *best = NULL;
	for (size_t i = 1; i < sums->line.n; i++) {
		const struct pv_line_sum *s = &sums->line.v[i];
		if ((!name || is_named(b, g, s->method, name, len)) && better(s, best))
			best = s;
	}
	return best;
}

/* Likewise of the wished method, or the innermost one with a known line of the wished stack. */
static const struct pv_line_sum *hottest_wished(struct pv_build *b, const struct pv_line_sums *sums,
	const struct pv_groups *g, const char *stack)
{
	const struct pv_line_sum *best = NULL;
	size_t end = strlen(stack);
	while (!best && end) {
		size_t from = end;
		while (from && stack[from - 1] != '\n')
			from--;
		best = hottest(b, sums, g, stack + from, end - from);
		end = from ? from - 1 : 0;
	}
	return best;
}

/* The hottest line of the wished path; NULL: no sample there. */
static const struct pv_line_sum *of_path(
	const struct pv_model *m, const struct pv_line_sums *sums, const char *path)
{
	const struct pv_line_sum *best = NULL;
	uint32_t known = 0; /* interned path, the same for all lines of the file */
	for (size_t i = 1; i < sums->line.n; i++) {
		const struct pv_line_sum *s = &sums->line.v[i];
		if (!known && strcmp(pv_intern_text(&m->names.text, s->file), path) == 0)
			known = s->file;
		if (known && s->file == known && better(s, best))
			best = s;
	}
	return best;
}

/* False: out of memory. */
static bool choose_file(struct shown_file *f, struct pv_build *b, struct pv_model *m,
	const struct pv_groups *g, const struct pv_line_sums *sums)
{
	const struct pv_source_wish *wish = f->wish;
	const struct pv_line_sum *s = NULL;
	bool wished = wish && (wish->file || wish->method), ok = true;
	if (wish && wish->file) {
		s = of_path(m, sums, wish->file);
	} else if (wished) {
		struct pv_line_sums by;
		ok = pv_line_sums(m, true, &by);
		s = ok ? hottest_wished(b, &by, g, wish->method) : NULL;
		f->file = s ? s->file : 0;
		f->begin = s ? s->line : 0;
		pv_line_sums_finish(&by);
	} else {
		s = hottest(b, sums, g, NULL, 0);
	}
	if (s && (!wished || wish->file)) {
		f->file = s->file;
		f->begin = wish && wish->file && wish->line ? wish->line : s->line;
	}
	f->missed = wished && !f->file;
	s = f->missed ? hottest(b, sums, g, NULL, 0) : NULL;
	if (s) {
		f->file = s->file;
		f->begin = s->line;
	}
	return ok;
}

static bool take_rows(struct shown_file *f, struct pv_build *b, const struct pv_groups *g,
	const struct pv_line_sums *sums, line_rows *ret)
{
	for (size_t i = 1; f->file && i < sums->line.n; i++) {
		const struct pv_line_sum *s = &sums->line.v[i];
		if (s->file != f->file)
			continue;
		if (!pv_reserve(ret, 1))
			return false;
		struct line_row *r = &ret->v[ret->n++];
		const uint64_t self = s->self[f->lead], total = s->total[f->lead];
		*r = (struct line_row){ .line = s->line,
			.method = pv_group_name(b, g, pv_group_of(g, s->method)) };
		memcpy(r->self, s->self, sizeof r->self);
		memcpy(r->total, s->total, sizeof r->total);
		f->self += self;
		f->most_self = self > f->most_self ? self : f->most_self;
		f->most_total = total > f->most_total ? total : f->most_total;
	}
	return true;
}

static int by_line(const void *a, const void *b)
{
	uint32_t x = ((const struct line_row *)a)->line, y = ((const struct line_row *)b)->line;
	return (x > y) - (x < y);
}

/* Whether a line has an eighth or more of what the hottest line has. */
static bool is_hot(const struct shown_file *f, const struct line_row *r)
{
	const uint64_t self = r->self[f->lead], total = r->total[f->lead];
	return f->most_self ? self * 8 >= f->most_self
			    : f->most_total && total * 8 >= f->most_total;
}

void pv_source_put_figures(struct pv_cell *c, uint64_t samples,
	const uint64_t self[PV_LINE_MEASURES], const uint64_t total[PV_LINE_MEASURES])
{
	static const struct {
		enum pv_line_measure measure;
		uint8_t own, total;
	} events[] = { { PV_LINE_BYTES, PV_SOURCE_BYTES, PV_SOURCE_BYTES_TOTAL },
		{ PV_LINE_WAIT_NS, PV_SOURCE_WAIT, PV_SOURCE_WAIT_TOTAL },
		{ PV_LINE_THROWS, PV_SOURCE_THROWN, PV_SOURCE_THROWN_TOTAL } };
	const uint64_t own = self[PV_LINE_SAMPLES], all = total[PV_LINE_SAMPLES];
	pv_cell_share(&c[PV_SOURCE_SHARE], (double)own, own ? (double)samples : 0);
	pv_cell_u_if(&c[PV_SOURCE_SELF], own, own);
	pv_cell_share(&c[PV_SOURCE_TOTAL_SHARE], (double)all, all ? (double)samples : 0);
	pv_cell_u_if(&c[PV_SOURCE_TOTAL], all, all);
	for (size_t i = 0; i < PV_COUNT_OF(events); i++) {
		const uint64_t here = self[events[i].measure], under = total[events[i].measure];
		pv_cell_u_if(&c[events[i].own], here, here);
		pv_cell_u_if(&c[events[i].total], under, under);
	}
}

void pv_source_hide(struct pv_build *b, const uint64_t all[PV_LINE_MEASURES])
{
	static const uint8_t of[][2] = { { PV_LINE_BYTES, PV_SOURCE_BYTES },
		{ PV_LINE_BYTES, PV_SOURCE_BYTES_TOTAL }, { PV_LINE_WAITS, PV_SOURCE_WAIT },
		{ PV_LINE_WAITS, PV_SOURCE_WAIT_TOTAL }, { PV_LINE_THROWS, PV_SOURCE_THROWN },
		{ PV_LINE_THROWS, PV_SOURCE_THROWN_TOTAL } };
	bool any = false;
	for (size_t i = 0; i < PV_COUNT_OF(of); i++) {
		any |= all[of[i][0]] != 0;
		if (!all[of[i][0]])
			pv_build_hide(b, of[i][1]);
	}
	for (size_t i = PV_SOURCE_SHARE; i <= PV_SOURCE_TOTAL && any && !all[PV_LINE_SAMPLES]; i++)
		pv_build_hide(b, i);
}

static void put_source_line(struct pv_build *b, const struct shown_file *f, uint32_t line,
	const struct line_row *r, const char *text)
{
	unsigned flags =
		(r && is_hot(f, r) ? PV_ROW_HOT : 0u) | (line == f->begin ? PV_ROW_MARKED : 0u);
	struct pv_cell *c = pv_build_child(b, line, 0, flags);
	for (size_t i = 0; i < PV_COUNT_OF(columns); i++)
		pv_cell_null(&c[i]);
	pv_cell_s(&c[PV_SOURCE_FILE], f->path);
	pv_cell_u(&c[PV_SOURCE_LINE], line);
	if (text)
		pv_cell_s(&c[PV_SOURCE_TEXT], pv_build_text(b, text));
	if (!r)
		return;
	pv_source_put_figures(c, f->samples, r->self, r->total);
	pv_cell_s(&c[PV_SOURCE_METHOD], r->method);
}

/* Every line of the text, and lines known only from samples. */
static void put_rows(struct pv_build *b, const struct shown_file *f,
	const struct pv_source_text *text, line_rows *rows)
{
	size_t at = 0;
	if (rows->n)
		qsort(rows->v, rows->n, sizeof *rows->v, by_line);
	for (uint32_t line = 1; line <= text->lines; line++) {
		const struct line_row *r =
			at < rows->n && rows->v[at].line == line ? &rows->v[at++] : NULL;
		put_source_line(b, f, line, r, text->line[line - 1]);
	}
	for (; at < rows->n; at++)
		put_source_line(b, f, rows->v[at].line, &rows->v[at], NULL);
}

static const char *state_of(
	const struct shown_file *f, const struct pv_source_text *text, const line_rows *rows)
{
	uint32_t last = rows->n ? rows->v[rows->n - 1].line : 0;
	if (text->why)
		return "";
	if (f->from_pdb)
		return " (as it was built, from the PDB)";
	if (f->known.algorithm)
		return memcmp(f->known.hash, text->hash, sizeof text->hash) == 0
			       ? ""
			       : " (NOT the file that was built: another checksum)";
	if (f->started_s && text->changed_s > (int64_t)f->started_s)
		return " (CHANGED since the program was started)";
	if (last > text->lines && !text->cut)
		return " (SHORTER than the one that was built)";
	return text->cut ? " (only its first 100 000 lines)" : "";
}

const char *pv_source_said(enum pv_line_measure what, uint64_t n, char ret[PV_SOURCE_SAID])
{
	static const char *const words[PV_LINE_MEASURES] = { "samples", "allocations", "allocated",
		"waits", "of waits", "throws" };
	char figure[PV_UNIT_MAX];
	if (what == PV_LINE_BYTES)
		pv_units_bytes(figure, sizeof figure, n);
	else if (what == PV_LINE_WAIT_NS)
		pv_units_ns(figure, sizeof figure, (int64_t)n);
	else
		pv_units_count(figure, sizeof figure, n);
	snprintf(ret, PV_SOURCE_SAID, "%s %s", figure, words[what]);
	return ret;
}

/* The innermost method of a stack. */
static const char *missed_of(const struct pv_source_wish *w)
{
	const char *last = w->method ? strrchr(w->method, '\n') : NULL;
	return last ? last + 1 : w->method ? w->method : w->file;
}

static const char *about(struct pv_build *b, const struct shown_file *f,
	const struct pv_source_text *text, const line_rows *rows)
{
	const char *path = f->path;
	char lead[200] = "", of[PV_SOURCE_SAID];
	if (!f->file)
		return f->any ? "no line of any sample is known: debug information of native code "
				"(-g), portable PDBs of .NET, run --probe lines for Mono"
			      : "no sample yet";
	if (f->missed)
		snprintf(lead, sizeof lead, "no line of %s is known; the hottest file: ",
			PV_FIT(missed_of(f->wish), 100));
	if (text->why)
		return pv_build_printf(b,
			"%s%s is not shown: %s%s%s; --source FROM=TO says where it lies%s%s", lead,
			path, strcmp(path, text->path) == 0 ? "" : text->path,
			strcmp(path, text->path) == 0 ? "" : ": ", text->why,
			*f->known.address ? "; it is at " : "", f->known.address);
	return pv_build_printf(b, "%s%s%s, %.3g %% of %s", lead, text->path,
		state_of(f, text, rows), f->all ? 100 * (double)f->self / (double)f->all : 0,
		pv_source_said(f->lead, f->all, of));
}

/* Reads the file here; if missing or changed since the build, takes the text from the PDB. */
static bool read_text(struct shown_file *f, struct pv_source_text *text)
{
	if (!pv_source_text_read(f->path, f->wish ? f->wish->maps : NULL, f->known.algorithm, text))
		return false;
	f->from_pdb = f->known.text &&
		      (text->why || (f->known.algorithm && memcmp(f->known.hash, text->hash,
								   sizeof text->hash) != 0));
	return !f->from_pdb || pv_source_text_set(text, f->known.text, f->known.len);
}

static void run_source(struct pv_build *b, struct pv_model *m)
{
	struct pv_line_sums sums = { 0 };
	struct pv_groups g = { 0 };
	struct pv_source_text text = { 0 };
	struct shown_file f = { .wish = b->query->source };
	line_rows rows = { 0 };
	if (f.wish && f.wish->machine) {
		pv_machine_run(b, m);
		return;
	}
	pv_model_lock(m);
	pv_build_stamp(b, m);
	bool ok = pv_groups_methods_by_name(m, b, &g) && pv_line_sums(m, false, &sums) &&
		  choose_file(&f, b, m, &g, &sums);
	if (ok) {
		f.lead = pv_line_sums_lead(&sums);
		f.all = sums.all[f.lead];
		f.samples = sums.all[PV_LINE_SAMPLES];
		f.any = f.all || sums.all[PV_LINE_BYTES] || sums.all[PV_LINE_WAITS] ||
			sums.all[PV_LINE_THROWS];
		pv_source_hide(b, sums.all);
	}
	f.started_s = m->target.start_time_ms / 1000;
	ok = ok && take_rows(&f, b, &g, &sums, &rows);
	ok = ok && pv_il_lines_source(m, f.file, &f.known);
	f.path = pv_intern_text(&m->names.text, f.file);
	pv_model_unlock(m);
	if (ok && f.file)
		ok = read_text(&f, &text);
	if (ok) {
		put_rows(b, &f, &text, &rows);
		const char *said = about(b, &f, &text, &rows);
		if (b->table)
			b->table->about = said;
	} else {
		pv_build_fail(b);
	}
	pv_source_text_finish(&text);
	pv_il_source_finish(&f.known);
	pv_array_finish(&rows);
	pv_groups_finish(&g);
	pv_line_sums_finish(&sums);
}

const struct pv_view_spec pv_spec_source_lines = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "text",
	.sort = "line",
	.run = run_source };
