#include <stdlib.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/throws.h"
#include "common/query/groups.h"
#include "common/query/specs.h"

/* --- thrown, by class --- */

enum { X_COUNT, X_SHARE, X_NAME };

static const struct pv_column class_columns[] = {
	[X_COUNT] = { "thrown", "THROWN", PV_UNIT_COUNT, 8, 0, 0 },
	[X_SHARE] = { "thrown_percent", "THROWN%", PV_UNIT_PERCENT, 7, 1, PV_COLUMN_HIDE_JSON },
	[X_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void copy_exceptions(struct pv_build *b, struct pv_model *m)
{
	const struct pv_sites *sites = &m->throws.sites;
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	uint64_t *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	for (size_t i = 1; sum && i < sites->site.n; i++)
		sum[pv_group_of(&g, sites->site.v[i].class_use)] += sites->site.v[i].count;
	for (size_t i = 0; sum && i < g.row.n; i++) {
		if (sum[i] == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g.row.v[i].id);
		pv_cell_u(&c[X_COUNT], sum[i]);
		pv_cell_share(&c[X_SHARE], (double)sum[i], (double)m->throws.thrown);
		pv_cell_s(&c[X_NAME], pv_group_name(b, &g, (uint32_t)i));
	}
	if (!sum)
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_exceptions = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns), .name = "name", .sort = "thrown",
	.copy = copy_exceptions };

/* --- clauses entered --- */

static const struct pv_column clause_columns[] = {
	{ "count", "ENTERED", PV_UNIT_COUNT, 8, 0, 0 },
	{ "name", "CLAUSE", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void copy_clauses(struct pv_build *b, struct pv_model *m)
{
	static const char *const name[PV_CLAUSES] = { [PV_CLAUSE_CATCH] = "catch",
		[PV_CLAUSE_FILTER] = "filter", [PV_CLAUSE_FINALLY] = "finally",
		[PV_CLAUSE_FAULT] = "fault", [PV_CLAUSE_OTHER] = "other" };
	for (size_t i = 0; i < PV_CLAUSES && !m->target.logging2007; i++) {
		if (i == PV_CLAUSE_OTHER && m->throws.clauses[i] == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[0], m->throws.clauses[i]);
		pv_cell_s(&c[1], name[i]);
	}
}

const struct pv_view_spec pv_spec_clauses = { .column = clause_columns,
	.columns = PV_COUNT_OF(clause_columns), .name = "name", .copy = copy_clauses };
