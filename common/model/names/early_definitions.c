/* SPDX-License-Identifier: MIT */
/* Applies definitions to the names, also before the other events of their batch. */
#include "common/model/names/early_definitions.h"

#include "common/model/ground/model_parts.h"
#include "common/model/names/natives.h"

bool pv_names_take(struct pv_model *m, const struct pv_event *e)
{
	bool shared;
	char name[PV_NATIVE_NAME];
	struct pv_event better;
	/*
	 * Ids of a 2007 log are given once: a freed method or class keeps its id, and its users do.
	 */
	if (m->target.logging2007 &&
		(e->kind == PV_KIND_METHOD_FREE || e->kind == PV_KIND_CLASS_UNLOAD))
		return true;
	if (m->last_ns != PV_NEVER && m->last_ns > m->names.applied_ns)
		m->names.applied_ns = m->last_ns;
	if (e->kind == PV_KIND_EXT_PLACE)
		m->private->memo_n = 0; /* the address may have been another method's */
	if (e->kind == PV_KIND_SAMPLE_SYMBOL && !pv_natives_apply(m, e))
		return false;
	if (e->kind == PV_KIND_SAMPLE_SYMBOL && pv_natives_is_build_id(&e->symbol.name))
		return true;
	size_t len = e->kind == PV_KIND_METHOD_JIT ? pv_natives_name(m, e, name) : 0;
	if (len) {
		better = *e;
		better.jit.name = (struct pv_text){ name, len };
		e = &better;
	}
	if (!pv_names_apply(&m->names, e, &shared))
		return false;
	if (shared)
		m->private->on_shared_key(m);
	return true;
}

bool pv_model_define(struct pv_model *m, struct pv_batch *b)
{
	b->definitions_applied = true;
	/* Names are known up to the newest time, whatever the events are. */
	if (b->other_events.n && m->last_ns != PV_NEVER && m->last_ns > m->names.applied_ns)
		m->names.applied_ns = m->last_ns;
	for (size_t i = 0; i < b->other_events.n; i++)
		if (!pv_names_take(m, &b->other_events.v[i]))
			return false;
	return true;
}
