/*
 * Threads of the probe's own. They block every signal (the program's handlers never run on them),
 * and none of them is starting while the program forks: what runs before a thread's first function
 * may hold a lock of the allocator's that the child would never see released (AddressSanitizer's;
 * glibc's own takes care of itself).
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
	sem_t runs; /* posted by its first instruction */
};

/*
 * stack: bytes, more if the program's thread-local variables need more; 0: as usual. Returns once the thread
 * runs, at the latest after 50 ms: it may have to wait for a lock of the loader's that this
 * thread holds. 0, or an error number. From any thread, one after the other.
 */
int pvp_worker_start(struct pvp_worker *w, size_t stack, void *(*run)(void *), void *arg);

/*
 * The same, detached, on a stack of the caller's, which it never gets back: asks for no memory of the
 * allocator's. Also in a signal's handler that interrupted no allocator, C library or probe.
 */
int pvp_worker_start_at(
	struct pvp_worker *w, void *stack, size_t bytes, void *(*run)(void *), void *arg);

/* Waits until it has ended, and the system has forgotten it: only then does no call meet it any more. */
void pvp_worker_join(struct pvp_worker *w);
/* The same for one that is detached, and about to end; for a tenth of a second at most. */
void pvp_worker_gone(struct pvp_worker *w);

/*
 * Whether the program's last thread has ended without ending the process, so that nothing but workers
 * keeps it: they are to end then. False where the system does not tell. A worker's.
 */
bool pvp_workers_only(void);

/* Ends the others, at that; the session's, which the writer does not know. May be NULL. */
extern void (*pvp_workers_end)(void);

/*
 * The calling worker is the last to end: the C library runs the program's exit handlers on it, and
 * they take signals again. Does not return where the program's last thread ended by exit(2) with a
 * code of its own, which becomes the process's.
 */
void pvp_worker_is_last(void);

/* Around a fork, on the thread that forks: no worker is starting meanwhile. */
void pvp_workers_hold(void);
void pvp_workers_release(void);
/* In a child of fork: the lock is free, also where another thread held it. */
void pvp_workers_forget(void);

#endif
