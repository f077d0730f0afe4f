/* SPDX-License-Identifier: MIT */
/* Samples by source line: all lines with code called from there, and the lines of one method. */
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/coverage/lines.h"
#include "common/query/groups/specs.h"

/* --- all lines */

enum { A_SHARE, A_ERROR, A_SELF, A_TOTAL_SHARE, A_TOTAL, A_LINE, A_FILE, A_METHOD };

static const struct pv_column all_columns[] = {
	[A_SHARE] = { "samples_self_percent", "SELF%", PV_UNIT_PERCENT, 6, 2,
		.flags = PV_COLUMN_ADDS },
	[A_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, .flags = 0 },
	[A_SELF] = { "samples_self", "SELF", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 4 },
	[A_TOTAL_SHARE] = { "samples_percent", "TOTAL%", PV_UNIT_PERCENT, 6, 4, .flags = 0 },
	[A_TOTAL] = { "samples", "TOTAL", PV_UNIT_COUNT, 8, 3, .json = 5 },
	[A_LINE] = { "line", "LINE", PV_UNIT_EXACT, 6, 0, PV_COLUMN_ASCENDING, .json = 2 },
	[A_FILE] = { "file", "FILE", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
	[A_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 5,
		PV_COLUMN_ASCENDING | PV_COLUMN_METHOD, .json = 3 },
};

static void put_line(struct pv_build *b, struct pv_model *m, const struct pv_groups *g,
	const struct pv_line_sum *s, uint64_t id)
{
	struct pv_cell *c = pv_build_row(b, id);
	double all = (double)m->calls.samples;
	pv_cell_share(&c[A_SHARE], (double)s->self, all);
	pv_cell_error(&c[A_ERROR], b, s->self, all);
	pv_cell_u(&c[A_SELF], s->self);
	pv_cell_share(&c[A_TOTAL_SHARE], (double)s->total, all);
	pv_cell_u(&c[A_TOTAL], s->total);
	pv_cell_u_if(&c[A_LINE], s->line, s->line);
	pv_cell_s(&c[A_FILE],
		s->line ? pv_intern_text(&m->names.text, s->file) : "(no line is known)");
	pv_cell_s(&c[A_METHOD], s->line ? pv_group_name(b, g, pv_group_of(g, s->method)) : NULL);
}

static void copy_all(struct pv_build *b, struct pv_model *m)
{
	struct pv_line_sums sums;
	struct pv_groups g = { 0 };
	bool ok = pv_line_sums(m, false, &sums) && pv_groups_methods(m, b, &g);
	/* Without any line the row would only count samples. */
	for (size_t i = 0; ok && sums.line.n > 1 && i < sums.line.n; i++)
		if (sums.line.v[i].total)
			put_line(b, m, &g, &sums.line.v[i], i + 1);
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
		if (!s->self || (select && group != chosen))
			continue;
		struct pv_cell *c = pv_build_row(b, i);
		pv_cell_share(&c[L_SHARE], (double)s->self, (double)m->calls.samples);
		pv_cell_error(&c[L_ERROR], b, s->self, (double)m->calls.samples);
		pv_cell_u(&c[L_SAMPLES], s->self);
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
