/*
 * Names of code that another runtime makes in this process, from the map that it writes for perf,
 * /tmp/perf-PID.map: lines of start and size, both hexadecimal, and a name. The file is read only if
 * it is a regular one of this user's that no other user may write and that was written since the
 * process began. For the writer's thread.
 */
#ifndef PV_PROBE_PERF_MAP_H
#define PV_PROBE_PERF_MAP_H

#include <stdint.h>

/*
 * Name of the code at the address, with " [jit]" at its end and no control characters; of entries
 * that overlap the newest. NULL: there is none. Valid until the next call.
 */
const char *pvp_perf_map_name(uint64_t address);

#endif
