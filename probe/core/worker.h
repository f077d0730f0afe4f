/* SPDX-License-Identifier: MIT */
/*
 * Threads of the probe's own. They block every signal (the program's handlers never run on them),
 * and none of them is starting while the program forks: code before a thread's first function may
 * hold a lock of the allocator's (AddressSanitizer's), never released in the child; glibc's own
 * takes care of itself.
 */
#ifndef PV_PROBE_WORKER_H
#define PV_PROBE_WORKER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Lives until the thread is joined, or for ever where it is detached. */
struct pvp_worker {
	pthread_t thread;
	_Atomic pid_t tid;
	void *(*run)(void *);
	void *arg;
	sem_t runs; /* posted by the thread's first instruction */
};

/*
 * stack: bytes, more if the program's thread-local variables need more; 0: as usual. Returns once
 * the thread runs, or after 50 ms: the new thread may have to wait for a lock of the loader's held
 * by the caller. 0, or an error number. From any thread, not at the same time.
 */
int pvp_worker_start(struct pvp_worker *w, size_t stack, void *(*run)(void *), void *arg);

/*
 * The same, detached, on a stack given by the caller for good: allocates no memory. Also in a
 * signal handler that interrupted no allocator, C library or probe.
 */
int pvp_worker_start_at(
	struct pvp_worker *w, void *stack, size_t bytes, void *(*run)(void *), void *arg);

/* Waits until the thread has ended and is unknown to the system: no call meets it any more. */
void pvp_worker_join(struct pvp_worker *w);
/* The same for a detached thread about to end; waits for at most a tenth of a second. */
void pvp_worker_gone(struct pvp_worker *w);

/*
 * Whether the program's last thread has ended without ending the process: only workers keep the
 * process then, and must end. False if the system does not tell. On a worker.
 */
bool pvp_workers_only(void);

/* Ends the other workers then, known to the session but not to the writer. May be NULL. */
extern void (*pvp_workers_end)(void);

/*
 * The calling worker is the last to end: on this thread, with signals unblocked, the C library runs
 * the program's exit handlers. Does not return if the program's last thread ended by exit(2) with a
 * code of its own, which becomes the process's code.
 */
void pvp_worker_is_last(void);

/* Around a fork, on the forking thread: no worker is starting meanwhile. */
void pvp_workers_hold(void);
void pvp_workers_release(void);
/* In a child of fork: the lock is free, also if another thread held the lock. */
void pvp_workers_forget(void);

#endif
