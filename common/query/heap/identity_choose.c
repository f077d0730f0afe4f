/* SPDX-License-Identifier: MIT */
/* Finds the addresses of the objects in a row of an identity view. */
#include "common/query/heap/identity_choose.h"

#include <string.h>

#include "common/model/identity/identity.h"
#include "common/model/model.h"
#include "common/query/groups/groups_kept.h"
#include "common/query/groups/identity_line.h"

uint32_t pv_identity_shot(const struct pv_identity *l)
{
	return l->options.shot;
}

bool pv_identity_tells_fates(const struct pv_identity *l)
{
	return pv_identity_knows_young(l);
}

bool pv_table_wants_identity(const struct pv_table *t)
{
	return t && strstr(t->coverage, PV_NOT_FOLLOWED);
}

static bool is_meant(const struct pv_query *q, const struct pv_groups *g,
	const struct pv_life_row *r, bool allocated)
{
	const struct pv_identity *l = q->identity;
	uint32_t group = pv_group_of(g, l->site.v[r->site].class_use);
	return (!q->select || g->row.v[group].id == q->select) &&
	       (!q->base || r->cohort == q->base - 1) && (!allocated || pv_life_is_new(l, r));
}

bool pv_identity_choose(
	struct pv_model *m, const struct pv_query *q, bool allocated, struct pv_address_list *ret)
{
	const struct pv_identity *l = q->identity;
	struct pv_build b; /* for the names of groups */
	struct pv_groups g = { 0 };
	size_t columns;
	const struct pv_view_spec none = { .column = pv_view_columns(PV_VIEW_HEAP_DIFF, &columns),
		.columns = columns };
	if (!pv_build_init(&b, &none, "", q))
		return false;
	pv_model_lock(m);
	pv_groups_prepare(q->groups, m);
	bool ok = pv_groups_classes(m, &b, &g);
	pv_model_unlock(m);
	for (size_t i = 0; ok && i < l->object.n; i++) {
		if (!is_meant(q, &g, &l->row.v[l->object.v[i].row], allocated))
			continue;
		ok = pv_reserve(ret, 1);
		if (ok)
			ret->v[ret->n++] = l->object.v[i].address;
	}
	pv_groups_finish(&g);
	pv_table_destroy(pv_build_finish(&b));
	return ok;
}
