/* SPDX-License-Identifier: MIT */
/*
 * Marking and sweeping, recorded up to data version 13 and in logs of 2007. Both stand inside their
 * collection, in the buffers of its thread.
 */
#include "common/model/objects/gc_parts.h"

void pv_gc_phase(struct pv_context *x, const struct pv_event *e)
{
	struct pv_gc *gc = &x->m->gc;
	uint64_t g =
		e->gc.generation < PV_GC_GENERATIONS ? e->gc.generation : PV_GC_GENERATIONS - 1;
	bool sweep = e->gc.step >= PV_GC_SWEEP_START;
	bool end = e->gc.step == PV_GC_MARK_END || e->gc.step == PV_GC_SWEEP_END;
	int64_t *open = &gc->phase_ns[sweep][g];
	if (!end) {
		*open = x->time;
		return;
	}
	struct pv_collection *c = *open == PV_NEVER ? NULL : pv_gc_newest_of(gc, (uint8_t)g, *open);
	if (c && x->time >= *open) {
		c->phases |= sweep ? PV_COLLECTION_SWEPT : PV_COLLECTION_MARKED;
		*(sweep ? &c->sweep_ns : &c->mark_ns) += x->time - *open;
	}
	*open = PV_NEVER;
}
