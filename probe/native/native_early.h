/* SPDX-License-Identifier: MIT */
/*
 * Blocks allocated by constructors of libraries before this library's constructor could begin a
 * recording: usually libstdc++'s reserve for exceptions. Any thread; no lock, no allocation.
 */
#ifndef PV_PROBE_NATIVE_EARLY_H
#define PV_PROBE_NATIVE_EARLY_H

#include <stddef.h>
#include <stdint.h>

/* Blocks beyond the list's length are left out. */
void pvp_early_add(uint64_t object, size_t bytes, uintptr_t site);
void pvp_early_remove(uint64_t object);

/* take: passes each block not freed. Both empty the list. */
void pvp_early_take(void (*each)(uint64_t object, size_t bytes, uintptr_t site));
void pvp_early_drop(void);

#endif
