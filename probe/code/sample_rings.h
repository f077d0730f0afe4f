/* SPDX-License-Identifier: MIT */
/*
 * Sampled threads, each with a timer and a ring of samples. A thread arms itself at its beginning,
 * if the host reports the beginning, and disarms at its end; the writer finds other threads.
 * Samples of ended threads wait in the ring for the writer.
 */
#ifndef PV_PROBE_SAMPLE_RINGS_H
#define PV_PROBE_SAMPLE_RINGS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "probe/code/kernel_stack.h"
#include "probe/unwind/native_walk.h"
#include "probe/code/sample_timer.h"
#include "probe/code/thread_usage.h"

/* Callers; of deeper stacks the innermost. ASP.NET's middleware and runners of tests pass 128. */
enum { PVP_SAMPLE_FRAMES = 512 };

struct pvp_sample {
	uint64_t time; /* ns, of the monotonic clock */
	uint64_t ip;
	uint32_t n;
	uint32_t weight; /* periods counted: several may pass before the signal comes */
	struct pvp_walk_stop stop;
	struct pvp_usage used; /* since the thread's last sample */
	uint64_t *caller;      /* innermost first; in the ring */
};

/* A thread's, never unmapped: a signal may still hold a ring. Reused for other threads. */
struct pvp_ring {
	struct pvp_ring *next;           /* of all */
	_Atomic pid_t owner;             /* 0: none; changed under the lock */
	_Atomic uint64_t written, taken; /* slots, in all: by the thread, by the writer */
	_Atomic uint64_t dropped;
	struct pvp_sample_timer timer;
	struct pvp_kernel_stack kernel;
	struct pvp_usage used; /* at the last sample; the handler's once the timer is armed */
	char name[16];         /* of an ended thread */

	/* the writer's */
	uint64_t dropped_written;
	uint64_t began; /* samples already written when the thread was found */
	bool nameless;  /* the thread's name is not written yet; set before the timer is armed */

	/* under the lock */
	bool left;     /* the thread has ended, and the timer with it */
	bool seen;     /* in the last look for threads */
	bool resting;  /* without an owner, but a signal of the last owner may come */
	int64_t *debt; /* of threads of the same kind; NULL: found by the writer */
	struct pvp_ring *next_free, *next_of_tid;

	/*
	 * The callers of a sample lie together, as many as the stack is deep. An empty ring starts
	 * again at its first word, so no more pages are touched than waiting samples need.
	 */
	uint64_t next_caller; /* the handler's: words from the first, end of the last sample */
	uint64_t callers;     /* words */
	uint64_t *caller;     /* the first of them */
	uint64_t slots;       /* a power of two */
	struct pvp_sample slot[];
};

/*
 * On the ring's thread, async-signal-safe: the sample to fill, good until pvp_ring_close(). NULL:
 * no room, counted as dropped.
 */
struct pvp_sample *pvp_ring_open(struct pvp_ring *r);
/* The sample is filled; the writer may read from here on. */
void pvp_ring_close(struct pvp_ring *r, const struct pvp_sample *s);

/* The first of all, NULL without any; they live for ever. Async-signal-safe. */
struct pvp_ring *pvp_rings_first(void);
/*
 * In a signal's handler: the calling thread's ring, if the signal is from its timer, else NULL;
 * lives forever. A perf event's signal carries no pointer.
 */
struct pvp_ring *pvp_ring_of_signal(const siginfo_t *info);

/*
 * Sets `rate` samples a second by `signal` from now on, 0: none; 0 or an errno value. The writer
 * changes existing timers: pvp_ring_update(). Any thread.
 */
int pvp_rings_set(unsigned rate, int signal);

/* Whether the system has refused a timer: a user may have only so many pending signals. */
bool pvp_rings_refused(void);

/* Whether threads that begin now are to call pvp_rings_thread_begins(). */
bool pvp_rings_ready(void);
/*
 * The calling thread begins: sampled from here to its end. Time at the end without a sample, due to
 * the system's ticks, counts in a later thread of the same kind (`kind`: the function the thread
 * begins with): threads that mostly live between two ticks have their samples in longer ones.
 */
void pvp_rings_thread_begins(uintptr_t kind);

/* All for the writer's thread. */

/* False, once: perf events are given up, timers are to be made anew (perf_clock.h). */
bool pvp_rings_watch(void);
/*
 * Arms threads without a timer; from here on threads may arm themselves. `running`: threads found
 * now may have run for long.
 */
void pvp_rings_look(pid_t writer, bool running);
/*
 * After the written samples are taken. Ends the timer of a thread that is gone; makes the timer
 * anew if the rate has `changed` or the program closed the descriptor.
 */
void pvp_ring_update(struct pvp_ring *r, bool changed);
void pvp_rings_stop(void);

/* In a child of fork: there are no timers here. */
void pvp_rings_forget(void);

#endif
