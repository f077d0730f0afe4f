#include "common/base/saturate.h"
#include "common/query/call_copy.h"
#include "common/query/code_kind.h"

static bool is_kept(const struct pv_call_copy *c, uint32_t node)
{
	uint8_t kind = c->kind[c->group[node]];
	return c->parent[node] == 0 || kind == PV_CODE_USER || kind == PV_CODE_JIT ||
	       kind == PV_CODE_UNKNOWN;
}

/* Parents come first: those of a node are folded already, and it is moved to the one that stays. */
void pv_call_copy_fold(struct pv_call_copy *c)
{
	for (uint32_t i = 1; c->kind && i < c->n; i++) {
		uint32_t up = c->parent[i];
		if (up && !is_kept(c, up))
			c->parent[i] = c->parent[up];
		if (is_kept(c, i))
			continue;
		struct pv_call_figures *f = &c->figures[i], *to = &c->figures[c->parent[i]];
		to->self_ns = pv_sat_add(to->self_ns, f->self_ns);
		to->samples += f->samples;
		*f = (struct pv_call_figures){ 0 };
	}
}
