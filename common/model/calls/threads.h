/* SPDX-License-Identifier: MIT */
/*
 * Threads as (native id, epoch): native ids are used again. `thread.start`, or the first event
 * after `thread.end`, opens an epoch with an empty call stack. When every buffer of a log has
 * thread id 0 there is one thread with id 0. Part of the model: written by the ingest thread, read
 * under the lock. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_THREADS_H
#define PV_MODEL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/intern.h"
#include "common/model/calls/calls.h"

enum { PV_THREADS_CAP = 65536, PV_WAITS_MAX = 8, PV_EDGES_MAX = 8, PV_THROWS_OPEN = 4 };

/* id of the thread for all threads beyond the cap */
#define PV_THREAD_OTHER UINT64_MAX

/* A contention that has not ended yet. */
struct pv_wait {
	uint64_t object;
	int64_t start_ns;
	uint64_t holder; /* native id of the thread that has the lock; 0: not said */
	uint32_t lock, class_use, stack;
	uint32_t place; /* node in places; 0: none */
};

/* An exception thrown. */
struct pv_thrown {
	uint64_t object;
	int64_t time_ns;
	uint32_t class_use, stack;
	bool left; /* caught only by Mono's own wrapper: ends the process, or throws another one in
		    * the caller */
};

/* A collection's start or end. */
struct pv_gc_edge {
	int64_t time_ns;
	uint8_t generation;
	bool end;
};

struct pv_thread {
	uint64_t id;      /* native */
	uint32_t outside; /* number in our pid namespace, if different; 0: not known */
	uint32_t epoch;   /* of this native id, from 1 */
	uint32_t before;  /* index of the earlier epoch, 0 = none */
	uint32_t index;   /* of this thread */
	uint32_t name;    /* interned in names.text, 0 = none given; without a start or name of its
			   * own from the epoch before: threads write on after their end */
	int64_t start_ns; /* thread.start; PV_NEVER when not seen */
	int64_t end_ns;   /* thread.end; PV_NEVER when not seen */
	int64_t first_ns, last_ns; /* of the events in own buffers; PV_NEVER: none */
	uint64_t events;           /* in own buffers */
	uint64_t allocations, allocated_bytes;
	int64_t lock_wait_ns; /* of ended waits for contended locks */
	uint64_t samples;     /* hits of this thread, in any thread's buffer */
	uint64_t cpu_ns;      /* processor time in the log, of samples or sums of calls */
	uint64_t calls;       /* enters */
	bool own;             /* has buffers of its own (else only named by others) */
	bool named;           /* by an event of this epoch */
	bool selected;        /* passes the model's restriction */
	uint32_t of_requests; /* number in the restriction's requests (request_times.h); 0: none */
	bool touched;         /* is in threads.touched */

	/* private to the model */
	struct pv_thread_calls stack;
	PV_ARRAY(struct pv_wait) wait;     /* open waits, oldest first, at most PV_WAITS_MAX */
	PV_ARRAY(struct pv_thrown) thrown; /* not caught yet, likewise, PV_THROWS_OPEN */
	uint64_t stop;                     /* number of the present stop of the world, 0 = none */
	int64_t stop_ns, stood_ns; /* begin of the stop; all threads stood (PV_NEVER: not yet) */
	PV_ARRAY(struct pv_gc_edge) edge; /* within the stop, at most PV_EDGES_MAX */
	bool began, collected; /* in this stop, since the last heap size: a start, an end */
	uint32_t finalizing;   /* the newest open finalizer: slot + 1 in pv_finalizers; 0: none */
	uint32_t piece;        /* number of the newest piece in pv_works; 0: none */
	bool forces;           /* the next collection that starts here is the profiler's */
	bool forced;           /* that collection has started, and not ended */
	bool stop_forced;      /* the stop is for that collection */
};

struct pv_threads {
	PV_ARRAY(struct pv_thread *) thread; /* by index; [0] is NULL; pointers stay */
	struct pv_map newest;                /* native id -> index */
	PV_ARRAY(uint32_t) touched;          /* may have something open since the last gap */
	uint64_t ended;
	uint64_t ends_out_of_order; /* ends that came after later events */
	uint64_t folded;            /* epochs counted in their predecessor beyond the cap */
	uint32_t other;             /* index of the thread for all ids beyond the cap, 0 = none */
	size_t cap;                 /* PV_THREADS_CAP, less in tests */
};

/*
 * Copies the newest epoch of each id to a fresh model of the same names. False when out of memory.
 */
struct pv_model;
bool pv_threads_know(struct pv_model *m, const struct pv_threads *from);

/* Sets the number in our pid namespace of a running thread; true: it is news. */
bool pv_threads_number(struct pv_threads *t, uint64_t id, uint32_t outside);

/* Index of the epoch of `id` at a time; 0: the id is unknown. */
uint32_t pv_threads_at(const struct pv_threads *t, uint64_t id, int64_t time_ns);
/*
 * The same from a later epoch `at` on: questions for many times, the latest first, do not walk past
 * all later epochs each time.
 */
uint32_t pv_threads_back(const struct pv_threads *t, uint32_t at, int64_t time_ns);

/*
 * The call-tree node of the innermost open frame and its ns between two times; 0 when nothing was
 * open then. Open frames run to their thread's last event.
 */
static inline uint32_t pv_thread_open_between(
	const struct pv_thread *t, int64_t from_ns, int64_t to_ns, int64_t *ret_ns)
{
	const struct pv_thread_calls *s = &t->stack;
	int64_t from = s->last_ns < from_ns ? from_ns : s->last_ns;
	int64_t to = t->last_ns > to_ns ? to_ns : t->last_ns;
	if (s->stack.n == 0 || from >= to)
		return 0;
	*ret_ns = to - from;
	return s->stack.v[s->stack.n - 1].node;
}

/* Open frames between two times, a thread at a time; begins as { 0 }. */
struct pv_open_frame {
	size_t thread; /* index of the epoch */
	uint32_t node;
	int64_t ns;
};

/*
 * The next thread with an open frame; false: none. Under the model lock, or on the ingest thread.
 */
static inline bool pv_threads_next_open(
	const struct pv_threads *t, int64_t from_ns, int64_t to_ns, struct pv_open_frame *at)
{
	while (++at->thread < t->thread.n) {
		at->ns = 0;
		at->node = pv_thread_open_between(t->thread.v[at->thread], from_ns, to_ns, &at->ns);
		if (at->node)
			return true;
	}
	return false;
}

#endif
