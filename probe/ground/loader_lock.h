/* SPDX-License-Identifier: MIT */
/*
 * The C library's list of loaded files has a lock, which fork(2) copies in its present state. A
 * child made while a thread of the probe walks the list would wait for the lock forever: when
 * loading a library, and with C libraries before 2.35 when throwing. So the probe walks the list,
 * and asks the loader for names, under this lock, and each fork of the program waits for the lock
 * (session.c). Any thread; not recursive, never in a signal handler.
 */
#ifndef PV_PROBE_LOADER_LOCK_H
#define PV_PROBE_LOADER_LOCK_H

/* Waits for other threads of the probe, at most as long as one walk takes. */
void pvp_loader_hold(void);
/* By the thread that called pvp_loader_hold(). */
void pvp_loader_release(void);
/* In a child of fork(2), with a single thread. */
void pvp_loader_forget(void);

#endif
