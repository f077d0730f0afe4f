/* SPDX-License-Identifier: MIT */
/* Sums of methods over a copy of the call tree. */
#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/model/model.h"
#include "common/query/groups/method_sums.h"

/* Sums per group while walking; a group counts once on each path. */
struct flatten {
	struct pv_method_sum *sum;
	uint32_t *on_path;
};

static void enter_flat(void *ctx, const struct pv_call_copy *c, uint32_t node)
{
	struct flatten *f = ctx;
	struct pv_method_sum *s = &f->sum[c->group[node]];
	const struct pv_call_figures *v = &c->figures[node];
	s->calls += v->calls;
	s->exc_leaves += v->exc_leaves;
	s->self_ns = pv_sat_add(s->self_ns, v->self_ns);
	s->samples_self += v->samples;
	if (v->max_ns > s->max_ns)
		s->max_ns = v->max_ns;
	if (f->on_path[c->group[node]]++ == 0) {
		s->total_ns = pv_sat_add(s->total_ns, v->total_ns);
		s->samples_total += v->samples_below;
	}
}

static void leave_flat(void *ctx, const struct pv_call_copy *c, uint32_t node)
{
	struct flatten *f = ctx;
	f->on_path[c->group[node]]--;
}

bool pv_method_sums_walk(const struct pv_call_copy *c, struct pv_method_sum *sum, size_t groups)
{
	struct flatten f = { .sum = sum, .on_path = calloc(groups, sizeof *f.on_path) };
	if (!f.on_path)
		return false;
	pv_call_walk(c, enter_flat, leave_flat, &f);
	free(f.on_path);
	return true;
}

/* With the callers of logical.h: each stack counts once for a row. */
static bool sum_logical(struct pv_model *m, const struct pv_query *q, const struct pv_groups *g,
	struct pv_method_sum *ret)
{
	struct pv_call_copy copy = { 0 };
	bool ok = pv_call_copy(m, g, q, &copy) && pv_call_copy_ran(&copy);
	memset(ret, 0, g->row.n * sizeof *ret);
	if (ok) {
		pv_call_copy_link(&copy);
		ok = pv_method_sums_walk(&copy, ret, g->row.n);
	}
	pv_call_copy_finish(&copy);
	return ok;
}

bool pv_method_totals(struct pv_model *m, bool physical,
	uint32_t (*row_of)(void *ctx, const char *name), void *ctx, size_t rows,
	struct pv_method_sum *ret)
{
	const struct pv_query q = { .waits = true, .physical = physical };
	const struct pv_names *names = &m->names;
	bool differs = false;
	pv_model_lock(m);
	uint32_t *group = malloc((names->method.n + 1) * sizeof *group);
	for (uint32_t i = 0; group && i < names->method.n; i++) {
		uint32_t row =
			row_of(ctx, pv_intern_text(&names->text, pv_names_method_name(names, i)));
		group[i] = row < rows ? row : (uint32_t)rows;
	}
	const struct pv_groups g = { .of = group, .of_n = names->method.n, .row.n = rows + 1 };
	bool ok = group && pv_logical_differs(m, &q, NULL, &differs) &&
		  (differs ? sum_logical(m, &q, &g, ret) : pv_calls_flat(m, group, rows + 1, ret));
	pv_model_unlock(m);
	free(group);
	return ok;
}
