/*
 * The life of a job that reads the input again on a thread of its own, while the ingest goes on:
 * it is started, tells that something has changed, may be cancelled, and is waited for.
 */
#ifndef PV_INGEST_READING_H
#define PV_INGEST_READING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pv_reading {
	pthread_t thread;
	bool started;
	int changed_fd; /* an eventfd, readable when there is news; whoever wants them reads it */
	int stop_fd;    /* readable: nobody wants the result any more */
	pthread_mutex_t lock; /* of what the job says of itself */
};

/* False when out of descriptors; it is to be finished in either case. */
bool pv_reading_init(struct pv_reading *j);
/* Calls work(arg) on a thread that takes no signals. False when out of threads. */
bool pv_reading_start(struct pv_reading *j, void *(*work)(void *), void *arg);
/* Cancels it, and waits until it is over. */
void pv_reading_finish(struct pv_reading *j);

/* The thread's own. */
bool pv_reading_stopping(const struct pv_reading *j);
void pv_reading_changed(struct pv_reading *j);

/* Of others. `status`, of `size` bytes, is copied under the lock. */
void pv_reading_cancel(struct pv_reading *j);
void pv_reading_wait(struct pv_reading *j);
void pv_reading_status(struct pv_reading *j, const void *status, void *ret, size_t size);

#endif
