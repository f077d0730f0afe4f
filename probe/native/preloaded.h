/* The library's place in LD_PRELOAD, which the program's children inherit. The thread that changes the root. */
#ifndef PV_PROBE_NATIVE_PRELOADED_H
#define PV_PROBE_NATIVE_PRELOADED_H

/*
 * The program sees other files from here on: where the library is not among them, its name is taken out
 * of this process's LD_PRELOAD, so that the loader does not complain in its children.
 */
void pvp_preloaded_look(void);

/*
 * A filter of system calls is about to be set: the library's name stands in LD_PRELOAD as a plain path
 * from here on, since a loader that expands a path makes a call of its own, for which a filter may kill.
 */
void pvp_preloaded_plain(void);

#endif
