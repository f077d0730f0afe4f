#include "common/base/saturate.h"
#include "common/query/call_copy.h"
#include "common/query/code_kind.h"

static bool is_own(const struct pv_call_copy *c, uint32_t node)
{
	uint8_t kind = c->kind[c->group[node]];
	return kind == PV_CODE_USER || kind == PV_CODE_JIT || kind == PV_CODE_UNKNOWN;
}

/* Frames that start a thread are no news: the user's code begins at the root. */
static void take_away(struct pv_call_copy *c, uint32_t node)
{
	struct pv_call_figures *from = &c->figures[c->parent[node]];
	from->total_ns = pv_sat_span(c->figures[node].total_ns, from->total_ns);
	c->parent[node] = 0;
}

/*
 * Native code that starts a thread is no bucket for what frameworks do there: theirs begins at the
 * root, too.
 */
static bool is_started(const struct pv_call_copy *c, uint32_t node)
{
	const uint32_t up = c->parent[node];
	const uint8_t of = c->kind[c->group[up]];
	return up && !c->parent[up] && (of == PV_CODE_NATIVE || of == PV_CODE_RUNTIME) &&
	       c->kind[c->group[node]] == PV_CODE_FRAMEWORK;
}

/* Parents come first: those of a node are folded already, and it is moved to the one that stays. */
void pv_call_copy_fold(struct pv_call_copy *c)
{
	for (uint32_t i = 1; c->kind && i < c->n; i++) {
		uint32_t up = c->parent[i];
		bool own = is_own(c, i), outermost = up == 0;
		if (up && !is_own(c, up) && c->parent[up])
			up = c->parent[up];
		c->parent[i] = up;
		if (is_started(c, i)) {
			take_away(c, i);
			continue;
		}
		if (own && up && !is_own(c, up))
			take_away(c, i);
		if (own || outermost)
			continue;
		struct pv_call_figures *f = &c->figures[i], *to = &c->figures[c->parent[i]];
		to->self_ns = pv_sat_add(to->self_ns, f->self_ns);
		to->samples += f->samples;
		*f = (struct pv_call_figures){ 0 };
	}
}
