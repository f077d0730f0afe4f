/* SPDX-License-Identifier: MIT */
/* The probe's own functions in stacks of the program's. The writer's thread only; times are ns. */
#ifndef PV_PROBE_PROBE_FRAMES_H
#define PV_PROBE_PROBE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * `passes`: whether the program called the function at the address and the probe only stands in
 * front, as for malloc(); all else called by the probe is the probe's own time. NULL: no such
 * functions, as at first. Set for good.
 */
void pvp_probe_frames_pass(bool (*passes)(uint64_t address));

/*
 * Takes the probe's functions out of a stack, innermost first, at[0] as it is, the others return
 * addresses. *ret_own: the time is the probe's, and only return addresses of the program's
 * functions around the probe are left. Else the innermost stays first. Returns the number of frames
 * left; all if the probe is part of the program's own file.
 */
uint32_t pvp_probe_frames_fold(uint64_t *at, uint32_t n, bool *ret_own);

/* The key of the probe's own time, named in the log. 0: no room for the name. */
struct pvp_writer;
uint64_t pvp_probe_frames_key(struct pvp_writer *w, uint64_t time);

/*
 * Does both: writes the keys of the functions, innermost first, at most n + 1; returns their
 * number. `innermost`, `key`: key of the function at an address, named in the log; `key` for a
 * caller. Changes `at`.
 */
typedef uint64_t pvp_frame_key(struct pvp_writer *w, uint64_t address, uint64_t time);
uint32_t pvp_probe_frames_keys(struct pvp_writer *w, uint64_t time, uint64_t *at, uint32_t n,
	pvp_frame_key *innermost, pvp_frame_key *key, uint64_t *ret_keys, bool *ret_own);

#endif
