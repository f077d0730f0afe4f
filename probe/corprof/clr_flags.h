/* SPDX-License-Identifier: MIT */
/* Events of the .NET runtime: bits of the event mask, and callbacks. */
#ifndef PV_PROBE_CLR_FLAGS_H
#define PV_PROBE_CLR_FLAGS_H

enum pvp_clr_low {
	PVP_CLR_CLASSES = 0x2,
	PVP_CLR_MODULES = 0x4,
	PVP_CLR_ASSEMBLIES = 0x8,
	PVP_CLR_DOMAINS = 0x10,
	PVP_CLR_JIT = 0x20,
	PVP_CLR_EXCEPTIONS = 0x40,
	PVP_CLR_GC = 0x80,
	PVP_CLR_ALLOCATED = 0x100,
	PVP_CLR_THREADS = 0x200,
	PVP_CLR_TRANSITIONS = 0x800,
	PVP_CLR_CALLS = 0x1000,
	PVP_CLR_SUSPENDS = 0x10000,
	PVP_CLR_CACHED = 0x20000, /* code compiled before the program began is used; start only */
	PVP_CLR_NO_INLINING = 0x200000,
	PVP_CLR_ENABLE_ALLOCATED = 0x800000,
	PVP_CLR_STACKS = 0x10000000,
};

enum pvp_clr_high {
	PVP_CLR_DYNAMIC_GONE = 0x4,
	PVP_CLR_BASIC_GC = 0x10,
	PVP_CLR_MOVED = 0x20,
	PVP_CLR_EVENT_PIPE = 0x80,
};

enum pvp_clr_callback {
#define SLOT(name) PVP_CLR_##name,
#include "probe/corprof/clr_slots.def"
#undef SLOT
	PVP_CLR_SLOTS
};

_Static_assert(PVP_CLR_SLOTS == 98, "the callbacks of all eleven versions");

#endif
