/* The stack by its frame pointers, from anywhere, also from a signal handler. */
#ifndef PV_PROBE_NATIVE_WALK_H
#define PV_PROBE_NATIVE_WALK_H

#include <stdint.h>

/*
 * Return addresses, innermost first, from the frame at `frame` on, which lies above `sp`; at most
 * `most`. A frame that cannot be one, because code without frame pointers was met, ends it. No
 * memory is read that might not be there. Async-signal-safe; keeps errno.
 */
unsigned pvp_native_walk(uintptr_t frame, uintptr_t sp, uint64_t *to, unsigned most);

#endif
