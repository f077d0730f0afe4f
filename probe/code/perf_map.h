/* SPDX-License-Identifier: MIT */
/*
 * Names of code made at run time by another runtime in this process, from the map written for perf,
 * /tmp/perf-PID.map: lines of start and size, both hexadecimal, and a name. Read only if the map is
 * a regular file of this user, writable by no other user, and written since the process began. For
 * the writer's thread.
 */
#ifndef PV_PROBE_PERF_MAP_H
#define PV_PROBE_PERF_MAP_H

#include <stdint.h>

/*
 * Name of the code at the address, with " [jit]" at the end and no control characters; of
 * overlapping entries the newest. NULL: none. Valid until the next call.
 */
const char *pvp_perf_map_name(uint64_t address);

#endif
