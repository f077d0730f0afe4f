#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups.h"
#include "common/query/specs.h"

/* Samples by source line: of the method row `select`, 0: of all. */
enum { L_SHARE, L_ERROR, L_SAMPLES, L_LINE, L_FILE, L_METHOD };

static const struct pv_column columns[] = {
	[L_SHARE] = { "samples_percent", "SAMPLE%", PV_UNIT_PERCENT, 7, 2,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[L_ERROR] = { "samples_error", "+-%", PV_UNIT_PERCENT, 5, 7, PV_COLUMN_HIDE_JSON },
	[L_SAMPLES] = { "samples", "SAMPLES", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS },
	[L_LINE] = { "line", "LINE", PV_UNIT_EXACT, 6, 0, PV_COLUMN_ASCENDING },
	[L_FILE] = { "file", "FILE", PV_UNIT_TEXT, 30, 3, PV_COLUMN_ASCENDING },
	[L_METHOD] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_METHOD },
};

static void copy_lines(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	bool ok = pv_groups_methods(m, b, &g);
	uint64_t select = b->query->select;
	uint32_t chosen = ok && select ? pv_groups_find(&g, select) : UINT32_MAX;
	for (size_t i = 0; ok && i < m->lines.hits.n; i++) {
		const struct pv_line_hits *h = &m->lines.hits.v[i];
		uint32_t group = pv_group_of(&g, h->method);
		if (select && group != chosen)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_share(&c[L_SHARE], (double)h->samples, (double)m->calls.samples);
		pv_cell_error(&c[L_ERROR], b, h->samples, (double)m->calls.samples);
		pv_cell_u(&c[L_SAMPLES], h->samples);
		pv_cell_u(&c[L_LINE], h->line);
		pv_cell_s(&c[L_FILE], pv_intern_text(&m->names.text, h->file));
		pv_cell_s(&c[L_METHOD], pv_group_name(b, &g, group));
	}
	if (!ok)
		pv_build_fail(b);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_sample_lines = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "method",
	.sort = "samples",
	.copy = copy_lines };
