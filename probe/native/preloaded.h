/* SPDX-License-Identifier: MIT */
/* The library's name in LD_PRELOAD, inherited by children. For the thread that changes the root. */
#ifndef PV_PROBE_NATIVE_PRELOADED_H
#define PV_PROBE_NATIVE_PRELOADED_H

/*
 * The program sees other files from here on: if the library is missing there, its name is removed
 * from this process's LD_PRELOAD, so that the loader does not complain in children.
 */
void pvp_preloaded_look(void);

/*
 * A filter of system calls is about to be set: from here on LD_PRELOAD has the library's name as a
 * plain path, since expanding a path costs the loader a system call, and a filter may kill for it.
 */
void pvp_preloaded_plain(void);

#endif
