/* SPDX-License-Identifier: MIT */
/* Every allocation: asked for at the start only, since the runtime then makes each the slow way. */
#include "probe/core/alloc_period.h"
#include "probe/core/emit.h"
#include "probe/clr/host_clr.h"

static pvp_hr object_allocated(void *self, uint64_t object, uint64_t class)
{
	struct pvp_clr_info *info = pvp_clr.info;
	uint64_t size = 0, type;
	(void)self;
	if (info->is->object_size_2(info, object, &size) < 0)
		return 0;
	size = (size + 7) & ~(uint64_t)7;
	if (pvp_clr.options.m.alloc_period && !pvp_alloc_taken(size))
		return 0;
	type = pvp_clr_class(class);
	if (!pvp_clr.options.m.frames) {
		pvp_alloc(type, object, size);
		return 0;
	}
	struct pv_event ev = { .kind = PV_KIND_ALLOC, .alloc = { type, object, size, { 0, 0 } } };
	pvp_clr_with_stack(&ev, &ev.alloc.stack, object);
	return 0;
}

void pvp_clr_alloc_init(struct pvp_clr_mask *mask)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	if (!(o->groups & PVP_MANAGED_ALLOC) || (o->alloc_period && pvp_clr.version >= 12))
		return;
	pvp_alloc_every(o->alloc_period);
	mask->low |= PVP_CLR_ALLOCATED | PVP_CLR_ENABLE_ALLOCATED;
	pvp_clr.slots[PVP_CLR_ObjectAllocated] = (pvp_clr_slot)object_allocated;
}
