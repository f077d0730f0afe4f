#include "common/model/throws.h"

#include "common/model/recall_parts.h"
#include "common/model/window_parts.h"

static enum pv_clause clause_of(uint64_t type)
{
	switch (type) {
	case 0:
		return PV_CLAUSE_CATCH;
	case 1:
		return PV_CLAUSE_FILTER;
	case 2:
		return PV_CLAUSE_FINALLY;
	case 4:
		return PV_CLAUSE_FAULT;
	default:
		return PV_CLAUSE_OTHER;
	}
}

bool pv_throws_apply(struct pv_context *x, const struct pv_event *e)
{
	struct pv_throws *t = &x->m->throws;
	if (!x->counts)
		return true;
	if (e->kind == PV_KIND_EXCEPTION_CLAUSE) {
		t->clauses[clause_of(e->clause.type)]++;
		return true;
	}
	uint32_t class_use = e->thrown.type
		? pv_names_class(&x->m->names, e->thrown.type, x->time)
		: pv_class_at(x, e->thrown.object);
	uint32_t stack = pv_stack_of(x, e->thrown.stack);
	if (stack == PV_MAP_NONE)
		return false;
	t->thrown++;
	t->unknown_class += class_use == 0;
	pv_timeline_add(&x->m->timeline, PV_TRACK_THROWS, x->time, 1);
	const struct pv_site more = { .class_use = class_use, .stack = stack, .count = 1 };
	return pv_sites_add(x, &t->sites, &more);
}
