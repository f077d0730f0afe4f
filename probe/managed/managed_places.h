/* SPDX-License-Identifier: MIT */
/*
 * Places of calls in managed code as frames of events' stacks (`lines`): such a frame has its
 * address as key, and the log says of which method, before its first use.
 */
#ifndef PV_PROBE_MANAGED_PLACES_H
#define PV_PROBE_MANAGED_PLACES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The key of a frame: the address, else, without room or where the address was another method's
 * before, the method's. `note` (may be NULL) is asked at the first time of each address; false: not
 * now. Any thread of the program, outside of signal handlers.
 */
uint64_t pvp_managed_place(
	uint64_t address, uint64_t method, bool (*note)(uint64_t address, uint64_t method));

/* As in struct pvp_host: the method of a key that is a place; 0: the key is none. The writer's. */
uint64_t pvp_managed_place_method(uint64_t key);

void pvp_managed_places_forget(void); /* after the writer's end */

/* Around fork. */
void pvp_managed_places_hold(void);
void pvp_managed_places_release(void);

#endif
