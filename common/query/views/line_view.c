/* SPDX-License-Identifier: MIT */
/* By source line what was met there: all lines with code called from there, and samples of one method. */
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/coverage/lines.h"
#include "common/query/groups/specs.h"

/* --- all lines */

enum {
	A_SHARE,
	A_ERROR,
	A_SELF,
	A_TOTAL_SHARE,
	A_TOTAL,
	A_ALLOCATIONS,
	A_BYTES,
	A_BYTES_TOTAL,
	A_WAITS,
	A_WAIT,
	A_WAIT_TOTAL,
	A_THROWN,
	A_THROWN_TOTAL,
	A_LINE,
	A_FILE,
	A_METHOD
};

static const struct pv_column all_columns[] = {
	[A_SHARE] = { "samples_self_percent", "SELF%", PV_UNIT_PERCENT, 6, 2,
		.flags = PV_COLUMN_ADDS },
	[A_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[A_SELF] = { "samples_self", "SELF", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 4 },
	[A_TOTAL_SHARE] = { "samples_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 4, .flags = 0 },
	[A_TOTAL] = { "samples", "TOTAL", PV_UNIT_COUNT, 8, 3, .json = 5 },
	[A_ALLOCATIONS] = { "allocations", "OBJECTS", PV_UNIT_COUNT, 7, 9,
		PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .json = 6, .help = PV_LINE_ALLOCATIONS_HELP },
	[A_BYTES] = { "allocated_bytes", "ALLOC", PV_UNIT_BYTES, 9, 4,
		PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .json = 7, .help = PV_LINE_BYTES_HELP },
	[A_BYTES_TOTAL] = { "allocated_bytes_total", "ALLOC ALL", PV_UNIT_BYTES, 9, 8,
		PV_COLUMN_SPARSE, .json = 8, .help = PV_LINE_BYTES_ALL_HELP },
	[A_WAITS] = { "contentions", "WAITS", PV_UNIT_COUNT, 6, 9,
		PV_COLUMN_ADDS | PV_COLUMN_SPARSE, .json = 9, .help = PV_LINE_WAITS_HELP },
	[A_WAIT] = { "wait_ns", "WAIT", PV_UNIT_NS, 8, 4, PV_COLUMN_ADDS | PV_COLUMN_SPARSE,
		.json = 10, .help = PV_LINE_WAIT_HELP },
	[A_WAIT_TOTAL] = { "wait_total_ns", "WAIT ALL", PV_UNIT_NS, 8, 8, PV_COLUMN_SPARSE,
		.json = 11, .help = PV_LINE_WAIT_ALL_HELP },
	[A_THROWN] = { "thrown", "THROWN", PV_UNIT_COUNT, 7, 4, PV_COLUMN_ADDS | PV_COLUMN_SPARSE,
		.json = 12, .help = PV_LINE_THROWN_HELP },
	[A_THROWN_TOTAL] = { "thrown_total", "THROWN ALL", PV_UNIT_COUNT, 10, 8, PV_COLUMN_SPARSE,
		.json = 13, .help = PV_LINE_THROWN_ALL_HELP },
	[A_LINE] = { "line", "LINE", PV_UNIT_EXACT, 6, 0, PV_COLUMN_ASCENDING, .json = 2 },
	[A_FILE] = { "file", "FILE", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
	[A_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 5,
		PV_COLUMN_ASCENDING | PV_COLUMN_METHOD, .json = 3 },
};

/* By measure: the column of the line's own figure, and with what is called from there. */
static const uint8_t own_column[PV_LINE_MEASURES] = { A_SELF, A_ALLOCATIONS, A_BYTES, A_WAITS,
	A_WAIT, A_THROWN };
static const uint8_t total_column[PV_LINE_MEASURES] = { A_TOTAL, 0, A_BYTES_TOTAL, 0, A_WAIT_TOTAL,
	A_THROWN_TOTAL };

static void put_line(struct pv_build *b, struct pv_model *m, const struct pv_groups *g,
	const struct pv_line_sums *sums, size_t at)
{
	const struct pv_line_sum *s = &sums->line.v[at];
	struct pv_cell *c = pv_build_row(b, at + 1);
	double all = (double)sums->all[PV_LINE_SAMPLES];
	for (size_t i = 0; i < PV_LINE_MEASURES; i++) {
		pv_cell_u_if(&c[own_column[i]], sums->all[i], s->self[i]);
		if (total_column[i])
			pv_cell_u_if(&c[total_column[i]], sums->all[i], s->total[i]);
	}
	pv_cell_share(&c[A_SHARE], (double)s->self[PV_LINE_SAMPLES], all);
	pv_cell_error(&c[A_ERROR], b, s->self[PV_LINE_SAMPLES], all);
	pv_cell_share(&c[A_TOTAL_SHARE], (double)s->total[PV_LINE_SAMPLES], all);
	pv_cell_u_if(&c[A_LINE], s->line, s->line);
	pv_cell_s(&c[A_FILE],
		s->line ? pv_intern_text(&m->names.text, s->file) : "(no line is known)");
	pv_cell_s(&c[A_METHOD], s->line ? pv_group_name(b, g, pv_group_of(g, s->method)) : NULL);
}

/* The screen has the columns of what is in the log, and all rows the order of the first of these. */
static void lead_by(struct pv_build *b, const struct pv_line_sums *sums)
{
	const enum pv_line_measure lead = pv_line_sums_lead(sums);
	for (size_t i = 0; i < PV_LINE_MEASURES && b->table; i++) {
		if (sums->all[i] || (i == PV_LINE_SAMPLES && lead == PV_LINE_SAMPLES))
			continue;
		pv_build_hide(b, own_column[i]);
		if (total_column[i])
			pv_build_hide(b, total_column[i]);
	}
	if (lead == PV_LINE_SAMPLES)
		return;
	b->sort = all_columns[own_column[lead]].id;
	b->then = all_columns[total_column[lead] ? total_column[lead] : A_WAIT].id;
	if (!sums->all[PV_LINE_SAMPLES]) {
		pv_build_hide(b, A_SHARE);
		pv_build_hide(b, A_ERROR);
		pv_build_hide(b, A_TOTAL_SHARE);
	}
}

static bool is_any(const struct pv_line_sum *s)
{
	uint64_t any = 0;
	for (size_t i = 0; i < PV_LINE_MEASURES; i++)
		any |= s->total[i];
	return any;
}

static void copy_all(struct pv_build *b, struct pv_model *m)
{
	struct pv_line_sums sums;
	struct pv_groups g = { 0 };
	bool ok = pv_line_sums(m, false, &sums) && pv_groups_methods(m, b, &g);
	if (ok)
		lead_by(b, &sums);
	/* Without any line the row would only count samples. */
	for (size_t i = 0; ok && sums.line.n > 1 && i < sums.line.n; i++)
		if (is_any(&sums.line.v[i]))
			put_line(b, m, &g, &sums, i);
	if (!ok)
		pv_build_fail(b);
	pv_groups_finish(&g);
	pv_line_sums_finish(&sums);
}

const struct pv_view_spec pv_spec_lines = { .column = all_columns,
	.columns = PV_COUNT_OF(all_columns),
	.name = "file",
	.sort = "samples_self",
	.then = "samples",
	.copy = copy_all };

/* --- of the method row `select`, 0: of all */

enum { L_SHARE, L_ERROR, L_SAMPLES, L_LINE, L_FILE, L_METHOD };

static const struct pv_column columns[] = {
	[L_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 2,
		.flags = PV_COLUMN_ADDS },
	[L_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[L_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 4 },
	[L_LINE] = { "line", "LINE", PV_UNIT_EXACT, 6, 0, PV_COLUMN_ASCENDING, .json = 3 },
	[L_FILE] = { "file", "FILE", PV_UNIT_TEXT, 30, 3, PV_COLUMN_ASCENDING, .json = 2 },
	[L_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD, .json = 1 },
};

static void copy_lines(struct pv_build *b, struct pv_model *m)
{
	struct pv_line_sums sums;
	struct pv_groups g = { 0 };
	bool ok = pv_line_sums(m, true, &sums) && pv_groups_methods(m, b, &g);
	uint64_t select = b->query->select;
	uint32_t chosen = ok && select ? pv_groups_find(&g, select) : UINT32_MAX;
	for (size_t i = 1; ok && i < sums.line.n; i++) {
		const struct pv_line_sum *s = &sums.line.v[i];
		uint32_t group = pv_group_of(&g, s->method);
		const uint64_t self = s->self[PV_LINE_SAMPLES];
		if (!self || (select && group != chosen))
			continue;
		struct pv_cell *c = pv_build_row(b, i);
		pv_cell_share(&c[L_SHARE], (double)self, (double)m->calls.samples);
		pv_cell_error(&c[L_ERROR], b, self, (double)m->calls.samples);
		pv_cell_u(&c[L_SAMPLES], self);
		pv_cell_u(&c[L_LINE], s->line);
		pv_cell_s(&c[L_FILE], pv_intern_text(&m->names.text, s->file));
		pv_cell_s(&c[L_METHOD], pv_group_name(b, &g, group));
	}
	if (!ok)
		pv_build_fail(b);
	pv_groups_finish(&g);
	pv_line_sums_finish(&sums);
}

const struct pv_view_spec pv_spec_sample_lines = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "method",
	.sort = "samples",
	.copy = copy_lines };
