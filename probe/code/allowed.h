/*
 * System calls that a seccomp filter of the program may refuse or kill for: asked about before the
 * probe makes any. A process without a filter is asked nothing.
 *
 * Ownership: nothing is held; one small mapping and a child process exist while the question is
 * asked. Failure: what cannot be asked counts as forbidden.
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
 * The first system call for which a filter kills, or that it refuses although nothing can be recorded
 * without it; or PVP_CALL_NONE. Asked once in a process, by
 * children that make the calls; the calling thread's filter is asked. `makes_threads`: the program
 * is known to live when a thread is made. Any thread, in no signal handler; errno is kept.
 */
int pvp_call_forbidden(bool makes_threads);

/*
 * Likewise of what the .NET runtime calls to write events for us; asked anew each time. Nothing of
 * it is needed for more than that, so no refusal counts.
 */
int pvp_call_forbidden_runtime(void);

/*
 * Whether threads can still be made once `set`, with `ctx`, has set a filter (0: it did): tried in a
 * child. Only where no call kills; any thread.
 */
bool pvp_threads_survive(long (*set)(const void *ctx), const void *ctx);

/* The call's name. */
const char *pvp_call_name(int call);

/* Names of the calls that a filter answers with an error, joined by '+', "" without any. */
const char *pvp_calls_refused(void);

/* Adds them to the words of the log's header, as "filter=NAME+NAME". */
void pvp_calls_say(char *words, size_t room);

#endif
