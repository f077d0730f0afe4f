/*
 * Blocks that constructors of libraries got before this library's own could begin a recording:
 * libstdc++'s reserve for exceptions is the usual one. Any thread; no lock, no memory is asked for.
 */
#ifndef PV_PROBE_NATIVE_EARLY_H
#define PV_PROBE_NATIVE_EARLY_H

#include <stddef.h>
#include <stdint.h>

/* Those that do not fit into the list are left out. */
void pvp_early_add(uint64_t object, size_t bytes, uintptr_t site);
void pvp_early_remove(uint64_t object);

/* Each block that was not given back. After both there is none any more. */
void pvp_early_take(void (*each)(uint64_t object, size_t bytes, uintptr_t site));
void pvp_early_drop(void);

#endif
