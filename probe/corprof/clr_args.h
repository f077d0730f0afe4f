/* SPDX-License-Identifier: MIT */
/*
 * Options of the .NET module: the Mono module's options (managed_args.h), by the same words, and
 * options of this runtime. With calls traced, or work on files, there are no backtraces: the
 * runtime would walk the stack at every call.
 */
#ifndef PV_PROBE_CLR_ARGS_H
#define PV_PROBE_CLR_ARGS_H

#include "probe/managed/managed_args.h"

enum {
	PVP_CLR_ALLOC_PERIOD = 100 << 10, /* the runtime's own, bytes */
	PVP_CLR_STRING = 1000,            /* characters of a string, most */
};

enum pvp_clr_more {
	PVP_CLR_SAMPLED = 1 << 0,    /* allocsample: some 1 allocation in 100 KB */
	PVP_CLR_EVERY_CALL = 1 << 7, /* everycall: nothing is inlined, no call is missed */
	PVP_CLR_EMPTY = 1 << 8,   /* emptycalls: hooks that note nothing: the runtime's own price */
	PVP_CLR_NO_SDK = 1 << 10, /* nosdk: not the SDK's programs, but programs started by them */
	PVP_CLR_REASONS = 1 << 2, /* suspend: every stop of all threads, with reason */
	PVP_CLR_CROSSINGS = 1 << 3, /* transitions: calls to and from native code; dear */
	PVP_CLR_CONTEXTS = 1 << 4,  /* contexts: assembly load contexts */
	PVP_CLR_SPANS = 1 << 5,     /* spans: work reported by libraries */
	PVP_CLR_FILES = 1 << 11,    /* spans=files: and work on files; start only */
	PVP_CLR_MOVES = 1 << 6,     /* gcmove was given: dear, so "alloc" does not imply moves */
	PVP_CLR_GARBAGE = 1 << 12,  /* heapshot=nogc: with unreachable objects */
	PVP_CLR_LIVE = 1 << 13,     /* heapshot=live, the default: without */
	PVP_CLR_ASK =
		1 << 14, /* ask: only whether a filter lets the runtime write events, and leave */
	PVP_CLR_ROOTS = 1 << 9, /* gcroot: full collections report roots, at a price */
};

struct pvp_clr_options {
	struct pvp_managed_options m;
	unsigned more;    /* enum pvp_clr_more */
	unsigned strings; /* strings=N: N characters of each string in heap shots; 0: none */
	char words[2 * PVP_MANAGED_TEXT]; /* events listed as on in the log's header */
};

enum { PVP_CLR_WHY = 128 };

/*
 * False: an option is unknown, or for Mono only: ret_why has the text. own_period: the runtime
 * samples allocations itself, at its own period, which replaces any period asked for.
 */
bool pvp_clr_parse(
	const char *text, bool own_period, struct pvp_clr_options *ret, char ret_why[PVP_CLR_WHY]);

#endif
