/*
 * The signals that we were started with ignored (nohup) or blocked (supervisors): a program that we
 * start has to be started with the same. Neither fails.
 */
#ifndef PV_TARGET_INHERITED_H
#define PV_TARGET_INHERITED_H

/*
 * Once, before any signal of the process is changed. SIGCHLD is set to its default: children could
 * not be waited for.
 */
void pv_inherited_note(void);

/*
 * In a child before exec, after fork: ignored and blocked are those noted, all others have their
 * default. Nothing was noted: none are. Async-signal-safe.
 */
void pv_inherited_restore(void);

#endif
