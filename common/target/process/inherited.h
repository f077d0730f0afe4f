/* SPDX-License-Identifier: MIT */
/*
 * Signals ignored (nohup) or blocked (supervisors) when profview was started: programs it starts
 * get the same. No call fails.
 */
#ifndef PV_TARGET_INHERITED_H
#define PV_TARGET_INHERITED_H

/*
 * Once, before any signal of the process is changed. SIGCHLD is set to its default: children could
 * not be waited for.
 */
void pv_inherited_note(void);

/*
 * In a child between fork and exec: restores the noted signals, all others to their default
 * (without a note: all). Async-signal-safe.
 */
void pv_inherited_restore(void);

#endif
