/* SPDX-License-Identifier: MIT */
/*
 * The queue from the watching thread to the writer: fixed size (4 MiB), a thread at each end, no
 * lock. Times are ns of CLOCK_MONOTONIC.
 */
#ifndef PV_PROBE_OUTSIDE_WATCH_NOTES_H
#define PV_PROBE_OUTSIDE_WATCH_NOTES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/format/event.h"
#include "probe/unwind/native_walk.h"

enum pvo_kind {
	PVO_NOTE_SAMPLE,
	PVO_NOTE_PAGES,
	PVO_NOTE_WAIT,
	PVO_NOTE_LOCK,   /* a wait for a mutex begins, */
	PVO_NOTE_UNLOCK, /* and ends */
	PVO_NOTE_BEGIN,
	PVO_NOTE_NAME,
	PVO_NOTE_END
};

/* The kinds of new pages. */
enum pvo_pages {
	PVO_PAGES_HEAP,
	PVO_PAGES_STACK,
	PVO_PAGES_FILE,
	PVO_PAGES_MISSED, /* without a sample, so without a stack */
	PVO_PAGES_KINDS
};
enum { PVO_PAGES_MASK = 3 };

enum { PVO_FRAMES = 256, PVO_NAME = 16 };

struct pvo_note {
	uint64_t time;
	pid_t tid;
	enum pvo_kind kind;
	struct pvp_walk_stop stop; /* of a sample, and of a wait that has frames */
	enum pv_wait_state state;  /* of a wait, */
	uint32_t times; /* and the samples for which the wait stands; of new pages: how many */
	uint64_t
		object; /* of new pages: the address of one, with the kind, of a lock: the mutex, */
	pid_t holder;   /* and who has it */
	uint32_t n;
	uint64_t at[1 + PVO_FRAMES]; /* innermost first; callers are return addresses */
	char name[PVO_NAME];         /* of a NAME, ends with a NUL */
};

/* False: no memory. */
bool pvo_notes_begin(void);

/* For the watching thread. Without room a note is lost, and counted: false. */
bool pvo_notes_put(const struct pvo_note *n);
void pvo_notes_lose(uint64_t samples);

/* For the writer. False: no note. */
bool pvo_notes_take(struct pvo_note *ret);
/* Samples and notes lost since the last call. */
uint64_t pvo_notes_lost(void);

#endif
