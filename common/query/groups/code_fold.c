/* SPDX-License-Identifier: MIT */
/* Folds code that is not the user's into the calling frames (`my_code`). */
#include "common/base/saturate.h"
#include "common/query/groups/call_copy.h"
#include "common/query/groups/code_kind.h"

static bool is_own_code(const struct pv_call_copy *c, uint32_t node)
{
	uint8_t kind = c->kind[c->group[node]];
	return kind == PV_CODE_USER || kind == PV_CODE_JIT || kind == PV_CODE_UNKNOWN;
}

static bool awaits(const struct pv_call_copy *c, uint32_t node)
{
	return node && node <= c->awaiting;
}

/*
 * Moves user code up past a frame that only starts a thread: to the root, or to an awaiting frame.
 */
static void take_away(struct pv_call_copy *c, uint32_t node)
{
	const uint32_t up = c->parent[node];
	struct pv_call_figures *from = &c->figures[up];
	from->total_ns = pv_sat_span(c->figures[node].total_ns, from->total_ns);
	c->parent[node] = c->parent[up];
}

/* The nearest remaining node above: all nodes above have been folded. */
static uint32_t above(const struct pv_call_copy *c, uint32_t node)
{
	const uint32_t up = c->parent[node];
	if (!up || is_own_code(c, up))
		return up;
	const uint32_t next = c->parent[up];
	if (awaits(c, up))
		return next;
	return next && !awaits(c, next) ? next : up;
}

/*
 * Native code that starts a thread does not collect framework code: framework code begins at the
 * root, too.
 */
static bool is_started(const struct pv_call_copy *c, uint32_t node)
{
	const uint32_t up = c->parent[node];
	const uint8_t of = c->kind[c->group[up]];
	return up && !c->parent[up] && (of == PV_CODE_NATIVE || of == PV_CODE_RUNTIME) &&
	       c->kind[c->group[node]] == PV_CODE_FRAMEWORK;
}

/*
 * Parents come first: a node's ancestors are folded already, and the node moves to the nearest
 * remaining one. A frame that awaits has no time of its own and takes none from below.
 */
void pv_call_copy_fold(struct pv_call_copy *c)
{
	for (uint32_t i = 1; c->kind && i < c->n; i++) {
		const uint32_t up = c->parent[i] = above(c, i);
		const bool own = is_own_code(c, i), outermost = up == 0 || awaits(c, up);
		if (is_started(c, i)) {
			take_away(c, i);
			continue;
		}
		if (own && up && !is_own_code(c, up))
			take_away(c, i);
		if (own || (outermost && !awaits(c, i)))
			continue;
		struct pv_call_figures *f = &c->figures[i], *to = &c->figures[c->parent[i]];
		to->self_ns = pv_sat_add(to->self_ns, f->self_ns);
		to->samples += f->samples;
		*f = (struct pv_call_figures){ 0 };
	}
}
