/* SPDX-License-Identifier: MIT */
/* Names of threads: the runtime reports names by its own thread id, from any thread. */
#include <unistd.h>

#include "probe/clr/clr_runtime.h"
#include "probe/core/emit.h"
#include "probe/code/sample_rings.h"
#include "probe/clr/host_clr.h"
#include "probe/managed/thread_names.h"

static pvp_hr assigned(void *self, uint64_t id, uint32_t native)
{
	(void)self;
	if (native == (uint32_t)gettid()) {
		pvp_thread_began();
		pvp_rings_thread_begins(0);
	}
	pvp_thread_names_began(id, native);
	return 0;
}

static pvp_hr thread_named(void *self, uint64_t id, uint32_t n, const pvp_char *text)
{
	char name[PVP_NAME_MAX];
	(void)self;
	if (text && n) {
		pvp_clr_utf8(text, n, name, sizeof name);
		pvp_thread_names_set(id, name);
	}
	return 0;
}

static pvp_hr created(void *self, uint64_t id)
{
	(void)self, (void)id;
	pvp_clr_count_threads(1);
	return 0;
}

static pvp_hr destroyed(void *self, uint64_t id)
{
	(void)self;
	pvp_clr_count_threads(-1);
	pvp_thread_names_ended(id);
	return 0;
}

void pvp_clr_thread_there(uint64_t id, uint32_t native)
{
	pvp_clr_count_threads(1);
	pvp_thread_names_began(id, native);
}

size_t pvp_clr_threads_list(uint64_t *ret, size_t room)
{
	/* The first version whose runtime takes no lock for this question during a stop. */
	enum { WITHOUT_LOCK = 15 };
	struct pvp_clr_info *info = pvp_clr.info;
	struct pvp_clr_enum *e = NULL;
	uint32_t n = 0;
	if (pvp_clr.version < WITHOUT_LOCK)
		return pvp_thread_names_ids(ret, room);
	if (info->is->enum_threads(info, &e) < 0)
		return 0;
	e->is->next(e, (uint32_t)room, ret, &n);
	e->is->unknown.release(e);
	return n < room ? n : room;
}

void pvp_clr_threads_init(struct pvp_clr_mask *mask)
{
	mask->low |= PVP_CLR_THREADS;
	pvp_clr.slots[PVP_CLR_ThreadCreated] = (pvp_clr_slot)created;
	pvp_clr.slots[PVP_CLR_ThreadAssignedToOSThread] = (pvp_clr_slot)assigned;
	pvp_clr.slots[PVP_CLR_ThreadNameChanged] = (pvp_clr_slot)thread_named;
	pvp_clr.slots[PVP_CLR_ThreadDestroyed] = (pvp_clr_slot)destroyed;
}
