/* SPDX-License-Identifier: MIT */
/* Answers questions by view, and the view of coverage. */
#include "common/query/views.h"

#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/groups/groups_kept.h"
#include "common/query/groups/readable.h"
#include "common/query/groups/specs.h"

static const struct pv_view_spec *const specs[PV_VIEW_COUNT] = {
#define VIEW(symbol, name, ...) [PV_VIEW_##symbol] = &pv_spec_##name,
#include "common/query/views.def"
#undef VIEW
};

const struct pv_column *pv_view_columns(enum pv_view view, size_t *ret_n)
{
	*ret_n = specs[view]->columns;
	return specs[view]->column;
}

bool pv_view_filter_check(
	enum pv_view view, const char *text, enum pv_filter_way way, struct pv_filter_error *reterr)
{
	const struct pv_query q = { .filter = text, .filter_way = way };
	struct pv_row_filter f;
	bool ok = pv_row_filter_make(&f, &q, pv_view_name(view), specs[view]->column,
		specs[view]->columns, specs[view]->name, reterr);
	pv_row_filter_finish(&f);
	return ok;
}

uint64_t pv_view_generation(struct pv_model *m)
{
	return pv_model_generation(m);
}

uint64_t pv_view_model(const struct pv_model *m)
{
	return m ? m->id : 0;
}

/* Adds readable names, if the query asks. */
static struct pv_table *readable_table(struct pv_table *t, const struct pv_query *q)
{
	if (!t || !q->readable || pv_table_readable(t, -1))
		return t;
	pv_table_destroy(t);
	return NULL;
}

struct pv_table *pv_view_table(struct pv_model *m, enum pv_view view, const struct pv_query *q)
{
	const struct pv_view_spec *spec = specs[view];
	if (!q->bucketed)
		return readable_table(pv_spec_table(m, spec, view, q), q);
	struct pv_build b;
	if (!pv_build_init(&b, spec, pv_view_name(view), q))
		return NULL;
	b.view = view;
	pv_build_prepare(&b, m);
	pv_model_lock(m);
	pv_build_stamp(&b, m);
	pv_bucket_view(&b, m);
	pv_model_unlock(m);
	return readable_table(pv_build_finish(&b), q);
}

/* --- the coverage table --- */

static const struct pv_column coverage_columns[] = {
	{ "what", "WHAT", PV_UNIT_TEXT, 18, 0, PV_COLUMN_ASCENDING, .json = 1 },
	{ "state", "STATE", PV_UNIT_TEXT, 12, 0, PV_COLUMN_ASCENDING, .json = 2 },
	{ "detail", "DETAIL", PV_UNIT_TEXT, 40, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 3 },
};

static void copy_coverage(struct pv_build *b, struct pv_model *m)
{
	for (unsigned what = 0; what < PV_WHATS; what++) {
		struct pv_coverage v;
		pv_coverage_of(m, b->query->groups, (enum pv_what)what, &v);
		pv_coverage_end(m, (enum pv_what)what, &v);
		struct pv_cell *c = pv_build_row(b, what + 1);
		pv_cell_s(&c[0], pv_what_text((enum pv_what)what));
		pv_cell_s(&c[1], pv_coverage_text(v.state));
		pv_cell_s(&c[2], pv_build_text(b, v.detail));
	}
}

/* Sorted by id: the order of the words in design and manual. */
const struct pv_view_spec pv_spec_coverage = { .column = coverage_columns,
	.columns = sizeof coverage_columns / sizeof coverage_columns[0],
	.name = "what",
	.sort = NULL,
	.copy = copy_coverage };
