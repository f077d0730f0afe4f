/* SPDX-License-Identifier: MIT */
/* Schedules heap shots: at collections, by the clock, on demand, at the end. */
#include <stdio.h>

#include "probe/clr/clr_heap.h"
#include "probe/clr/host_clr.h"

enum { OLDEST = 2 /* generation whose collections count */ };

static _Atomic uint64_t taken, collections;
static _Atomic uint64_t last_ns; /* of shots by the clock */

static void shoot(void)
{
	if (pvp_clr_agent_shoot())
		atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
}

void pvp_clr_heap_collected(unsigned collected)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	if (!(o->groups & PVP_MANAGED_HEAPSHOTS) || !pvp_clr_heap_possible() ||
		collected != OLDEST || pvp_clr_heap_forces())
		return;
	uint64_t n = atomic_fetch_add_explicit(&collections, 1, memory_order_relaxed) + 1;
	if (o->shot_collections && n % o->shot_collections == 0)
		shoot();
}

void pvp_clr_heap_tick(void)
{
	const struct pvp_managed_options *o = &pvp_clr.options.m;
	uint64_t now = pvp_monotonic();
	uint64_t last = atomic_load_explicit(&last_ns, memory_order_relaxed);
	if (!o->shot_ms || !(o->groups & PVP_MANAGED_HEAPSHOTS) || !pvp_clr_heap_possible() ||
		pvp_paused())
		return;
	if (last && now - last < (uint64_t)o->shot_ms * 1000000)
		return;
	atomic_store_explicit(&last_ns, now, memory_order_relaxed);
	if (last) /* else the time begins */
		shoot();
}

void pvp_clr_heap_last(void)
{
	if (pvp_clr.options.m.shot_at_end && pvp_clr_heap_possible())
		pvp_clr_agent_shoot();
	pvp_clr_agent_end();
}

enum pvp_reply pvp_clr_heap_ask(char *say, size_t room)
{
	if (!pvp_clr_heap_possible()) {
		snprintf(say, room,
			"up to .NET 8 a heap can only be walked when that was asked for at the "
			"start: profview run --heapshot");
		return PVP_REPLY_ERROR;
	}
	uint64_t n = atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
	snprintf(say, room, "shot=%llu", (unsigned long long)n);
	return pvp_clr_agent_shoot() ? PVP_REPLY_OK : PVP_REPLY_ERROR;
}

void pvp_clr_shots_forget(void)
{
	atomic_store(&taken, 0);
	atomic_store(&collections, 0);
	atomic_store(&last_ns, 0);
}
