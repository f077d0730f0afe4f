/*
 * Whether the program's calls of malloc, free and operator new come by our functions, and who
 * answers after them. An allocator that is preloaded before us, linked into the program or linked
 * before libc is called directly: then nothing of it is seen, and the log has to say so.
 */
#ifndef PV_PROBE_NATIVE_FRONT_H
#define PV_PROBE_NATIVE_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Adds words for the log's header: ",allocator=LIBRARY" after us; ",bypassed=malloc:LIBRARY" (or
 * free) where calls do not come by; ",new-of=LIBRARY" where operator new does not;
 * ",mixed=LIBRARY+LIBRARY" where malloc, free and realloc after us are not of one library. False
 * with the latter: a block of one must not come to the other, so nothing may be hooked. Asks for
 * and gives back one block. Not in a signal's handler. Absent (weak) where nothing is in front.
 */
__attribute__((weak)) bool pvp_front_look(char *words, size_t room);

/*
 * Whether the function at the address is one that ours stand in front of, so that its time is the
 * program's. The writer's thread. Absent likewise.
 */
__attribute__((weak)) bool pvp_front_passes(uint64_t address);

/* From now on a filter that this process sets ends the recording before. Absent likewise. */
__attribute__((weak)) void pvp_filter_watch(void);

#endif
