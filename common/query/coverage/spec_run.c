/* SPDX-License-Identifier: MIT */
/* Runs one view's spec. Knows no list of views, and neither need views that ask other views. */
#include "common/model/model.h"
#include "common/query/coverage/coverage.h"
#include "common/query/groups/groups_kept.h"
#include "common/query/groups/specs.h"

static bool shows_names(enum pv_view view)
{
	return pv_view_rows[view].concerns >> PV_WHAT_NAMES & 1 || pv_view_is(view, PV_TRAIT_NAMES);
}

void pv_build_stamp(struct pv_build *b, struct pv_model *m)
{
	char line[PV_COVERAGE_LINE];
	if (!b->table)
		return;
	/* From before the preparation: changes meanwhile may be in or not. */
	uint64_t generation = pv_model_generation(m);
	if (shows_names(b->view))
		pv_groups_prepare(b->query->groups, m);
	line[0] = 0;
	if (!b->query->inner)
		pv_coverage_line(m, b->query->groups, b->view, line, sizeof line);
	const char *kept = pv_build_text(b, line);
	if (!b->table)
		return;
	b->table->coverage = kept;
	b->table->generation = generation;
}

/*
 * Fills in the cells left for the remaining rows, or for all rows where a filter needs the cells.
 */
static bool complete(const struct pv_view_spec *spec, struct pv_table *t, struct pv_model *m,
	const struct pv_query *q)
{
	bool ok = true;
	pv_model_lock(m);
	if (spec->fill_chosen)
		ok = spec->fill_chosen(t, m, q);
	pv_model_unlock(m);
	return ok;
}

struct pv_table *pv_spec_table(struct pv_model *m, const struct pv_view_spec *spec,
	enum pv_view view, const struct pv_query *q)
{
	struct pv_build b;
	if (!pv_build_init(&b, spec, pv_view_name(view), q))
		return NULL;
	b.view = view;
	pv_build_prepare(&b, m);
	if (spec->copy) {
		pv_model_lock(m);
		pv_gc_sort(&m->gc);
		pv_build_stamp(&b, m);
		spec->copy(&b, m);
		pv_model_unlock(m);
	} else {
		spec->run(&b, m);
	}
	bool early = pv_build_wants_stacks(&b);
	if (early && !complete(spec, b.table, m, q))
		pv_build_fail(&b);
	struct pv_table *t = pv_build_finish(&b);
	if (!t || early || complete(spec, t, m, q))
		return t;
	pv_table_destroy(t);
	return NULL;
}
