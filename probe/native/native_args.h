/* SPDX-License-Identifier: MIT */
/* Options of the native host, besides the core's. Pure: any thread. */
#ifndef PV_PROBE_NATIVE_ARGS_H
#define PV_PROBE_NATIVE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/word_limits.h"

enum { PVP_NATIVE_FRAMES = PV_MOST_MAXFRAMES_NATIVE, PVP_NATIVE_TEXT = 1536 };

struct pvp_native_options {
	bool malloc;                /* malloc and its relatives are recorded */
	uint64_t period;            /* bytes between two samples, on average; 0: all are recorded */
	bool frees;                 /* and free, as extension events */
	bool by_site;               /* a block's class is the calling place, not the size */
	bool blocks;                /* living blocks are known, for heap shots */
	bool held;                  /* likewise, summed up by allocating stack */
	bool midway;                /* begun after the program, which may hold blocks by then */
	bool inside;                /* though from outside was asked for */
	bool shot_at_end;           /* a shot when the recording ends */
	unsigned shot_ms;           /* ms between shots; 0: on request */
	unsigned frames;            /* of an allocation's stack */
	unsigned sample_hz;         /* 0: no samples */
	bool sample_real;           /* of what waits, too */
	bool cpu;                   /* with processor time */
	bool kernel;                /* and the kernel's functions */
	char words[256];            /* the log header's text of these options */
	char rest[PVP_NATIVE_TEXT]; /* for pvp_args_parse() */
};

/* False: an option is not understood; options in `rest` are not checked. */
bool pvp_native_parse(const char *text, struct pvp_native_options *ret);

/* Adds an option to `rest`; false: there is no room. */
bool pvp_native_rest(struct pvp_native_options *o, const char *word);

#endif
