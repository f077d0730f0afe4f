/* SPDX-License-Identifier: MIT */
/*
 * Groups of events are switched while the program runs, if the runtime allows changes of its mask.
 * Events decided when code is compiled or memory is set up can only be asked for at the start.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"

enum {
	ANY_TIME = 1, /* may be taken up later */
	JOINED = 2,   /* may be asked for when a program is joined */
	CORE = 4,     /* the core has its own switch for the group, too */
};

static const struct group {
	const char *key;
	unsigned groups, more; /* enum pvp_managed_group, pvp_clr_more */
	unsigned how;
} all[] = {
	{ "calls", PVP_MANAGED_CALLS, 0, CORE },
	{ "alloc", PVP_MANAGED_ALLOC, 0, CORE },
	{ "exception", PVP_MANAGED_EXCEPTIONS, 0, ANY_TIME | CORE },
	{ "monitor", PVP_MANAGED_MONITORS, 0, ANY_TIME | CORE },
	{ "gc", PVP_MANAGED_GC, 0, ANY_TIME },
	{ "gcmove", PVP_MANAGED_MOVES, 0, JOINED },
	{ "gcroot", 0, PVP_CLR_ROOTS, JOINED },
	{ "gchandle", PVP_MANAGED_HANDLES, 0, JOINED },
	{ "finalization", PVP_MANAGED_FINALIZERS, 0, JOINED },
	{ "counter", PVP_MANAGED_COUNTERS, 0, ANY_TIME },
	{ "runtime", PVP_MANAGED_RUNTIME, 0, ANY_TIME },
	{ "suspend", 0, PVP_CLR_REASONS, ANY_TIME },
	{ "transitions", 0, PVP_CLR_CROSSINGS, 0 },
	{ "spans", 0, PVP_CLR_SPANS, ANY_TIME },
	{ "contexts", 0, PVP_CLR_CONTEXTS, JOINED },
	{ "fields", PVP_MANAGED_FIELDS, 0, JOINED },
};

static bool active(const struct group *g)
{
	return pvp_clr_groups() & g->groups || pvp_clr_more() & g->more;
}

static void turn_group(const struct group *g, bool on)
{
	if (on) {
		__atomic_fetch_or(&pvp_clr.options.m.groups, g->groups, __ATOMIC_RELAXED);
		__atomic_fetch_or(&pvp_clr.options.more, g->more, __ATOMIC_RELAXED);
	} else {
		__atomic_fetch_and(&pvp_clr.options.m.groups, ~g->groups, __ATOMIC_RELAXED);
		__atomic_fetch_and(&pvp_clr.options.more, ~g->more, __ATOMIC_RELAXED);
	}
}

static enum pvp_reply refuse_switch(char *say, size_t room, const struct group *g, bool on)
{
	snprintf(say, room,
		!on ? "%s cannot be given up while a .NET program runs"
		: g->how & JOINED
			? "%s can only be asked for when a .NET program is started or joined"
			: "%s can only be asked for at the start of a .NET program",
		g->key);
	return PVP_REPLY_ERROR;
}

enum pvp_reply pvp_clr_switch(const char *key, const char *value, char *say, size_t room)
{
	const struct group *g = NULL;
	bool on = strcmp(value, "on") == 0;
	for (size_t i = 0; i < PV_COUNT_OF(all); i++)
		if (strcmp(all[i].key, key) == 0)
			g = &all[i];
	if (!g)
		return PVP_REPLY_UNKNOWN;
	if (!on && strcmp(value, "off") != 0) {
		snprintf(say, room, "%s is on or off", key);
		return PVP_REPLY_ERROR;
	}
	/* The core leaves out events that cannot be switched off at the source. */
	if (!(g->how & ANY_TIME) && active(g) != on && (on || !(g->how & CORE)))
		return refuse_switch(say, room, g, on);
	if ((g->how & ANY_TIME) && active(g) != on) {
		turn_group(g, on);
		pvp_clr_agent_adjust();
	}
	return (g->how & CORE) ? PVP_REPLY_UNKNOWN : PVP_REPLY_OK;
}
