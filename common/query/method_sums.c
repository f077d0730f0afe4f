#include "common/query/method_sums.h"

#include <stdlib.h>

#include "common/model/model.h"
#include "common/query/groups_shared.h"

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

/* It overwrites them, so that they need not be 0 before. */
static struct pv_method_sums *make(const struct pv_model *m, const struct pv_groups *g)
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
		*kept = make(m, g);
	}
	if (*kept)
		__atomic_add_fetch(&(*kept)->refs, 1, __ATOMIC_RELAXED);
	return *kept;
}

bool pv_method_totals(struct pv_model *m, uint32_t (*row_of)(void *ctx, const char *name),
	void *ctx, size_t rows, struct pv_method_sum *ret)
{
	const struct pv_names *names = &m->names;
	pv_model_lock(m);
	uint32_t *group = malloc((names->method.n + 1) * sizeof *group);
	for (uint32_t i = 0; group && i < names->method.n; i++) {
		uint32_t row =
			row_of(ctx, pv_intern_text(&names->text, pv_names_method_name(names, i)));
		group[i] = row < rows ? row : (uint32_t)rows;
	}
	bool ok = group && pv_calls_flat(m, group, rows + 1, ret);
	pv_model_unlock(m);
	free(group);
	return ok;
}
