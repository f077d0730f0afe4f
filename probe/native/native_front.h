/* SPDX-License-Identifier: MIT */
/*
 * Whether the program's calls of malloc, free and operator new pass our functions, and which
 * library answers after us. An allocator preloaded before us, linked into the program or linked
 * before libc is called directly: its blocks are not seen, and the log must say so.
 */
#ifndef PV_PROBE_NATIVE_FRONT_H
#define PV_PROBE_NATIVE_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Adds words for the log's header: ",allocator=LIBRARY" after us; ",bypassed=malloc:LIBRARY" (or
 * free) if calls do not pass; ",new-of=LIBRARY" if operator new does not; ",mixed=LIBRARY+LIBRARY"
 * if malloc, free and realloc after us are from different libraries: returns false then, and
 * nothing may be hooked, as no library may get another's block. Allocates and frees a block. Not in
 * a signal's handler. Absent (weak) if no functions are in front.
 */
__attribute__((weak)) bool pvp_front_look(char *words, size_t room);

/*
 * Whether our functions stand in front of the function at the address, so that the time there is
 * the program's. The writer's thread. Absent likewise.
 */
__attribute__((weak)) bool pvp_front_passes(uint64_t address);

/* From now on setting a filter in this process ends the recording first. Absent likewise. */
__attribute__((weak)) void pvp_filter_watch(void);

#endif
