/* SPDX-License-Identifier: MIT */
/*
 * System calls of the probe that a seccomp filter of the program may refuse or kill for: tried
 * before the probe makes any. Without a filter nothing is tried.
 *
 * Ownership: nothing is held; a small mapping and a child process exist during the trial. Failure:
 * a call that cannot be tried counts as forbidden.
 */
#ifndef PV_PROBE_ALLOWED_H
#define PV_PROBE_ALLOWED_H

#include <stdbool.h>
#include <stddef.h>

enum {
	PVP_CALL_NONE = -1, /* else a place in common/base/asked_calls.def, or their number */
	PVP_CALL_WRITE      /* the first there */
};

/*
 * The first system call that a filter kills for, or refuses although no recording works without it;
 * or PVP_CALL_NONE. Tried once in a process, by children, under the calling thread's filter.
 * `makes_threads`: the program is known to survive making a thread. Any thread, in no signal
 * handler; errno is kept.
 */
int pvp_call_forbidden(bool makes_threads);

/*
 * Likewise for the calls of the .NET runtime when writing events for the probe; tried anew each
 * time. Only a call that kills counts, no refusal.
 */
int pvp_call_forbidden_runtime(void);

/*
 * Whether threads can still be made once `set`, with `ctx`, has set a filter (`set` returned 0):
 * tried in a child. Only where no call kills; any thread.
 */
bool pvp_threads_survive(long (*set)(const void *ctx), const void *ctx);

/* The call's name. */
const char *pvp_call_name(int call);

/* Names of the calls that a filter refuses with an error, joined by '+'; "": none. */
const char *pvp_calls_refused(void);

/* Adds the refused calls to the words of the log's header, as "filter=NAME+NAME". */
void pvp_calls_say(char *words, size_t room);

#endif
