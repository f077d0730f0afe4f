/* SPDX-License-Identifier: MIT */
/*
 * Conditions that hold by the way the program is written, for any input. Builds with
 * buildtype=debug or under a sanitizer trap where a condition fails; other builds pay nothing, and
 * the code that follows must not crash then: a mistake of profview's does not end a user's session.
 */
#ifndef PV_BASE_INVARIANT_H
#define PV_BASE_INVARIANT_H

#ifdef PV_INVARIANTS
#define PV_INVARIANT(ok) ((ok) ? (void)0 : __builtin_trap())
#else
#define PV_INVARIANT(ok) ((void)sizeof(ok))
#endif

#endif
