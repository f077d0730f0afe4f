/* SPDX-License-Identifier: MIT */
/*
 * Finds the ends of the objects of a .nettrace stream of version 4 or 5 as bytes pass: between two
 * objects others can be put in, of a multiple of four bytes. Gives up where the bytes are not
 * understood. Pure; any thread.
 */
#ifndef PV_TARGET_EVENT_FRAMES_H
#define PV_TARGET_EVENT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_event_frames {
	uint64_t at;      /* bytes that have passed */
	uint64_t skip;    /* bytes still to come of the current object */
	uint8_t head[64]; /* of the next object */
	size_t n;
	bool begun;  /* the trace object has passed */
	bool closed; /* the trace has ended, or is not understood */
};

/* Before the first byte of a stream. */
void pv_event_frames_begin(struct pv_event_frames *f);

/*
 * The stream's next bytes. True: an object may be put in before byte *ret_before of them (`n`:
 * after all), the first such place, at *ret_offset in the stream.
 */
bool pv_event_frames_pass(struct pv_event_frames *f, const uint8_t *bytes, size_t n,
	size_t *ret_before, uint64_t *ret_offset);

#endif
