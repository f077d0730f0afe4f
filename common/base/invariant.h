/*
 * Conditions that hold by the way in which the program is written, whatever an input says. Builds
 * with buildtype=debug or under a sanitizer trap where one does not; in others it costs nothing, and
 * the code that follows must not crash without it: a mistake of ours does not end a user's session.
 */
#ifndef PV_BASE_INVARIANT_H
#define PV_BASE_INVARIANT_H

#ifdef PV_INVARIANTS
#define PV_INVARIANT(ok) ((ok) ? (void)0 : __builtin_trap())
#else
#define PV_INVARIANT(ok) ((void)sizeof(ok))
#endif

#endif
