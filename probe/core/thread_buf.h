/* SPDX-License-Identifier: MIT */
/*
 * Event buffers of threads: each thread encodes events into its own chunk and publishes them with a
 * single release store. Full chunks wait in the thread's queue for the writer. If the fixed pool of
 * chunks is empty, the thread drops its events and counts them (but see backpressure.h). Times are
 * ns.
 */
#ifndef PV_PROBE_THREAD_BUF_H
#define PV_PROBE_THREAD_BUF_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/ground/chunk_pool.h"
#include "probe/ground/probe_clock.h"

enum {
	PVP_NAME_MAX = 64,
	PVP_HOT_MAX = 64,    /* no hot event needs more bytes */
	PVP_ROOM_MAX = 2048, /* most bytes of any event */
	PVP_FENCES = 256,    /* fences that a round can distinguish */
};

struct pvp_thread {
	/* The thread's own; others only set the limits to NULL, to send it to pvp_room(). */
	_Alignas(64) _Atomic(uint8_t *) cursor; /* end of the published events */
	_Atomic(uint8_t *) call_limit, alloc_limit;
	uint64_t time, method; /* of the last event */
	struct pvp_calibration clock;
	uint64_t obj_base;
	struct pvp_chunk *chunk;       /* changed under the lock */
	struct pvp_frames *frames;     /* the native host's */
	struct pvp_tree *_Atomic tree; /* call_tree.h; the writer reads the tree */
	_Atomic bool tree_ready;       /* likewise; other threads clear the flag at news */
	_Atomic uint64_t lost;         /* events of this session */

	/* under the lock */
	uint32_t session; /* the last session joined */
	struct pvp_pool *pool;
	struct pvp_chunk *queue, **queue_end;
	struct pvp_thread *next, *before;
	_Atomic bool poked;
	bool exited, name_new;
	_Atomic unsigned char *inside; /* the thread's guard; NULL once the thread has exited */
	uint64_t tid, exit_time;
	uint64_t since; /* start time, written without events, too; 0: with the first event */
	char name[PVP_NAME_MAX];

	/* the writer's: taken in this pass, and written so far */
	struct {
		struct pvp_thread *next;
		struct pvp_chunk *queue, *chunk;
		uint8_t *to;
		uint64_t lost, lost_before, lost_written, dropped;
		uint64_t last; /* time of the last event */
		uint32_t gaps; /* said so far */
		bool exited, name_new, begun, started, busy, named, wrote;
	} w;
};

struct pvp_tls {
	struct pvp_thread *thread;
	_Atomic unsigned char inside; /* re-entry guard */
	bool closed, muted;     /* never records again; nothing on it is an event: the writer */
	bool hurried, hopeless; /* waits little for the core's lock: the holder may stand still */
	uint64_t vain;          /* no room is waited for until so many chunks were given back */
	unsigned char rounds;   /* of pthread key destructors */
	bool alloc_begun;       /* the next two mean something: alloc_period.h */
	int64_t alloc_left;     /* bytes to the next sample */
	uint64_t alloc_random;
};
extern _Thread_local struct pvp_tls pvp_tls __attribute__((tls_model("initial-exec")));

struct pvp_core {
	pthread_mutex_t lock;     /* of all that is not atomic; never held over a call that waits */
	pthread_cond_t wake;      /* the writer's */
	_Atomic uint32_t session; /* 0: not recording */
	_Atomic bool calls, alloc, marks, paused, hurry; /* hurry: the writer's next round is due */
	_Atomic bool block, sending;   /* threads wait for room; the writer is at the sink */
	_Atomic uint32_t pauses, gaps; /* begun in this session; ended: calls are seen anew */
	_Atomic uint64_t orphans;      /* events lost on threads without a struct pvp_thread */
	struct pvp_pool *pool;
	struct pvp_thread *threads; /* newest first */
	uint32_t writing;           /* session of the running writer, sole remover of its threads */
	struct pvp_calibration clock;
	/* Times when all threads stood still: events before come first. A single thread adds. */
	_Atomic uint64_t fences, fence[PVP_FENCES];
	size_t queued, wake_at; /* chunks handed over since the writer looked */
};
extern struct pvp_core pvp_core;

/* Marks the thread as inside the probe; false: inside already. Undone by pvp_guard_off(). */
static inline bool pvp_guard_on(void)
{
	if (atomic_load_explicit(&pvp_tls.inside, memory_order_relaxed))
		return false;
	atomic_store_explicit(&pvp_tls.inside, 1, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	return true;
}
static inline void pvp_guard_off(void)
{
	atomic_store_explicit(&pvp_tls.inside, 0, memory_order_release);
}

/* Whether events are left out for now; a mark in the log says so. */
static inline bool pvp_paused(void)
{
	return atomic_load_explicit(&pvp_core.paused, memory_order_relaxed);
}

/* Locks the core for a thread not known to hold the guard; false: the thread is inside already. */
bool pvp_lock(void);
void pvp_unlock(void);

/* Room for `need` bytes (at most PVP_ROOM_MAX) at the calling thread's cursor, with the guard
 * held. Registers the thread, takes a newer calibration, changes chunks. NULL: not recording, or
 * the event is dropped and was counted. */
struct pvp_thread *pvp_room(size_t need);
/* Without a chunk: joins the session, takes a newer calibration. Likewise. NULL: not recording. */
struct pvp_thread *pvp_thread_refresh(void);

/* All threads stand still at this time. Allocates and locks nothing. */
void pvp_fence(uint64_t time);
/* Counts an event that came while the thread was inside the probe. */
void pvp_nested(void);

/* --- under the lock --- */
/* The calling thread's struct, made if need be; or NULL. */
struct pvp_thread *pvp_thread_here(void);
/* The calling thread begins now: the log has the thread's start even without any other event. */
void pvp_thread_began(void);

/* Sends every thread through pvp_room() at the next event. */
void pvp_poke_all(void);
/* Turns a switch of the core's; what was left out is marked, in threads' streams if calls were. */
void pvp_switch(_Atomic bool *which, bool on);
void pvp_thread_remove(struct pvp_thread *t);

/* The writer's, without the lock: hands over chunks that no thread writes into at this moment. */
void pvp_take_back(void);

/* Once, before all else; an errno value. */
int pvp_threads_init(void);
/* In a child of fork: forgets every thread. all: the calling thread's frames too. */
void pvp_threads_forget(bool all);
#endif
