/*
 * The life of a job that reads the input again on a thread of its own, while the ingest goes on:
 * it is started, tells that something has changed, may be cancelled, and is waited for.
 */
#ifndef PV_INGEST_BACKGROUND_H
#define PV_INGEST_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pv_background {
	pthread_t thread;
	bool started;
	int changed_fd; /* an eventfd, readable when there is news; whoever wants them reads it */
	int stop_fd;    /* readable: nobody wants the result any more */
	pthread_mutex_t lock; /* of what the job says of itself */
};

/* False when out of descriptors; it is to be finished in either case. */
bool pv_background_init(struct pv_background *j);
/* Calls work(arg) on a thread that takes no signals. False when out of threads. */
bool pv_background_start(struct pv_background *j, void *(*work)(void *), void *arg);
/* Cancels it, and waits until it is over. */
void pv_background_finish(struct pv_background *j);

/* The thread's own. */
bool pv_background_stopping(const struct pv_background *j);
void pv_background_changed(struct pv_background *j);

/* Of others. `status`, of `size` bytes, is copied under the lock. */
void pv_background_cancel(struct pv_background *j);
void pv_background_wait(struct pv_background *j);
void pv_background_status(struct pv_background *j, const void *status, void *ret, size_t size);

#endif
