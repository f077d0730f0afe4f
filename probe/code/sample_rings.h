/*
 * The threads that are sampled, each with a timer and a ring of samples. A thread arms itself where
 * it begins, if somebody tells of that, and gives its timer back where it ends; others are found by
 * the writer. Samples of ended threads wait in their ring for the writer.
 */
#ifndef PV_PROBE_SAMPLE_RINGS_H
#define PV_PROBE_SAMPLE_RINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/code/kernel_stack.h"
#include "probe/code/native_walk.h"
#include "probe/code/sample_timer.h"
#include "probe/code/thread_usage.h"

enum { PVP_SAMPLE_FRAMES = 128 }; /* callers; of deeper stacks the innermost */

struct pvp_sample {
	uint64_t time; /* ns, of the monotonic clock */
	uint64_t ip;
	uint32_t n;
	uint32_t
		weight; /* periods that it counts for: several may be over before the signal comes */
	struct pvp_walk_stop stop;
	struct pvp_usage used;              /* since the thread's last sample */
	uint64_t caller[PVP_SAMPLE_FRAMES]; /* innermost first */
};

/* One thread's, never unmapped: a signal may still hold it. Used again for other threads. */
struct pvp_ring {
	struct pvp_ring *next;           /* of all */
	_Atomic pid_t owner;             /* 0: none; changed under the lock */
	_Atomic uint64_t written, taken; /* slots, in all: by its thread, by the writer */
	_Atomic uint64_t dropped;
	struct pvp_sample_timer timer;
	struct pvp_kernel_stack kernel;
	struct pvp_usage used; /* at the last sample; the handler's once the timer is armed */
	char name[16];         /* of a thread that has ended */

	/* the writer's */
	uint64_t dropped_written;
	uint64_t began; /* samples that were written when its thread was met */
	bool nameless; /* its thread's name is still to be written; set before the timer is armed */

	/* under the lock */
	bool left;     /* the thread has ended, its timer is gone */
	bool seen;     /* in the last look for threads */
	bool resting;  /* without an owner, but a signal of the last one may still come */
	int64_t *debt; /* of threads of its kind; NULL: found by the writer */
	struct pvp_ring *next_free, *next_of_tid;

	uint64_t slots; /* a power of two */
	struct pvp_sample slot[];
};

/* The first of all, NULL without any; they live for ever. Async-signal-safe. */
struct pvp_ring *pvp_rings_first(void);
/*
 * In a signal's handler: the calling thread's, if the signal is from its timer, else NULL; it lives
 * for ever. A perf event's carries no pointer.
 */
struct pvp_ring *pvp_ring_of_signal(const siginfo_t *info);

/*
 * `rate` samples a second by `signal` from now on, 0: none; 0 or an errno value. Timers that are there
 * are the writer's to change: pvp_rings_each(). Any thread.
 */
int pvp_rings_set(unsigned rate, int signal);

/* Whether the system has refused a timer: of signals that wait the user may have only so many. */
bool pvp_rings_refused(void);

/* Whether threads that begin now are to say so. */
bool pvp_rings_ready(void);
/*
 * The calling thread begins: it has a timer from here to its end. Time that it ends with before a
 * sample came, by the system's ticks, is counted in a later thread of its kind, the function that it
 * begins with: threads that mostly live between two ticks have their samples in those that did not.
 */
void pvp_rings_thread_begins(uintptr_t kind);

/* All for the writer's thread. */

/* False, once: perf events are given up, timers are to be made anew (perf_clock.h). */
bool pvp_rings_watch(void);
/*
 * Threads that have no timer get one; from here on they may arm themselves. `running`: those found
 * may have run for long.
 */
void pvp_rings_look(pid_t writer, bool running);
/*
 * Once the samples that were written are taken. Ends the timer if its thread is gone, makes it anew if the rate has
 * `changed` or the program closed it.
 */
void pvp_ring_update(struct pvp_ring *r, bool changed);
void pvp_rings_stop(void);

/* In a child of fork: there are no timers here. */
void pvp_rings_forget(void);

#endif
