/* The probe's own functions in stacks of the program's. The writer's thread only; times are ns. */
#ifndef PV_PROBE_PROBE_FRAMES_H
#define PV_PROBE_PROBE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * `passes`: whether the function at the address is one that the program called and the probe only
 * stands in front of, such as malloc(); what the probe calls besides is its own time. NULL: none
 * is, as at first. For ever.
 */
void pvp_probe_frames_pass(bool (*passes)(uint64_t address));

/*
 * Takes the probe's functions out of a stack, innermost first, at[0] as it is, the others return
 * addresses. *ret_own: the time is the probe's; what is left are the program's functions around
 * it, return addresses all. Else the innermost stays the first. Returns how many are left; all of
 * them where the probe is part of the program's own file.
 */
uint32_t pvp_probe_frames_fold(uint64_t *at, uint32_t n, bool *ret_own);

/* The key of the probe's own time, named in the log. 0: there is no room for its name. */
struct pvp_writer;
uint64_t pvp_probe_frames_key(struct pvp_writer *w, uint64_t time);

/*
 * Both: the keys of its functions, innermost first, at most n + 1; returns how many. `innermost`,
 * `key`: of the function that holds an address, named in the log; the second in a call of another.
 * Changes `at`.
 */
typedef uint64_t pvp_frame_key(struct pvp_writer *w, uint64_t address, uint64_t time);
uint32_t pvp_probe_frames_keys(struct pvp_writer *w, uint64_t time, uint64_t *at, uint32_t n,
	pvp_frame_key *innermost, pvp_frame_key *key, uint64_t *ret_keys, bool *ret_own);

#endif
