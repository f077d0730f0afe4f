/* The options of the native host, besides those of the core. Pure: any thread. */
#ifndef PV_PROBE_NATIVE_ARGS_H
#define PV_PROBE_NATIVE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PVP_NATIVE_FRAMES = 64, PVP_NATIVE_TEXT = 1536 };

struct pvp_native_options {
	bool malloc;        /* malloc and its kin are recorded */
	uint64_t period;    /* bytes between two that are, on average; 0: all are */
	bool frees;         /* and free, as extension events */
	bool by_site;       /* a block's class is the place that asked for it, not its size */
	bool blocks;        /* those alive are known, for heap shots */
	bool held;          /* likewise, summed up by the stacks that got them */
	bool midway;        /* begun after the program, which may hold some by then */
	bool shot_at_end;   /* one when the recording ends */
	unsigned shot_ms;   /* and one each so many; 0: when asked for */
	unsigned frames;    /* of an allocation's stack */
	unsigned sample_hz; /* 0: no samples */
	bool sample_real;   /* of what waits, too */
	bool cpu;           /* with processor time */
	bool kernel;        /* and the kernel's functions */
	char words[256];    /* the log header's text of all that */
	char rest[PVP_NATIVE_TEXT]; /* for pvp_args_parse() */
};

/* False: an option is not understood, though those in `rest` are not looked at. */
bool pvp_native_parse(const char *text, struct pvp_native_options *ret);

/* Adds an option to `rest`; false: there is no room. */
bool pvp_native_rest(struct pvp_native_options *o, const char *word);

#endif
