/* SPDX-License-Identifier: MIT */
/* Figures of methods over a whole recording, kept with their grouping. */
#include "common/query/groups/method_sums.h"

#include <stdlib.h>

#include "common/model/model.h"
#include "common/query/groups/groups_shared.h"

struct pv_method_sums *pv_method_sums_create(const struct pv_groups *g)
{
	struct pv_method_sums *s = calloc(1, sizeof *s + g->row.n * sizeof *s->v);
	if (s)
		s->refs = 1;
	return s;
}

void pv_method_sums_give_back(struct pv_method_sums *s)
{
	if (s && __atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL) == 0)
		free(s);
}

/* Not cleared first: pv_calls_flat() writes every entry. */
static struct pv_method_sums *make_method_sums(const struct pv_model *m, const struct pv_groups *g)
{
	struct pv_method_sums *s = malloc(sizeof *s + g->row.n * sizeof *s->v);
	if (!s)
		return NULL;
	*s = (struct pv_method_sums){ .generation = pv_model_generation(m), .refs = 1 };
	if (pv_calls_flat(m, g->of, g->row.n, s->v))
		return s;
	free(s);
	return NULL;
}

struct pv_method_sums *pv_method_sums_whole(const struct pv_model *m, const struct pv_groups *g)
{
	struct pv_method_sums **kept = &g->shared->sums;
	if (!*kept || (*kept)->generation != pv_model_generation(m)) {
		pv_method_sums_give_back(*kept);
		*kept = make_method_sums(m, g);
	}
	if (*kept)
		__atomic_add_fetch(&(*kept)->refs, 1, __ATOMIC_RELAXED);
	return *kept;
}
