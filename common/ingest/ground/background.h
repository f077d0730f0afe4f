/*
 * A background job: reads the input again on a thread of its own, while the ingest goes on. One
 * thread starts it, learns by a descriptor that something has changed, may cancel it, and finishes
 * it.
 */
#ifndef PV_INGEST_BACKGROUND_H
#define PV_INGEST_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct pv_background {
	pthread_t thread;
	bool started;
	int changed_fd; /* an eventfd, readable when something changed; the starter reads it */
	int stop_fd;    /* an eventfd, readable once the job was cancelled */
	pthread_mutex_t lock; /* of the job's status */
};

/* False when out of descriptors; pv_background_finish() is due in either case. */
bool pv_background_init(struct pv_background *j);
/* Calls work(arg) on a thread that takes no signals. False when out of threads. */
bool pv_background_start(struct pv_background *j, void *(*work)(void *), void *arg);
/* Cancels the job, waits until its thread has ended, and closes the descriptors. */
void pv_background_finish(struct pv_background *j);

/* On the job's thread: whether it was cancelled; something has changed. Neither blocks. */
bool pv_background_stopping(const struct pv_background *j);
void pv_background_changed(struct pv_background *j);

/*
 * Called by other threads. `wait` blocks until the job has ended; `status` copies `size` bytes
 * under the lock.
 */
void pv_background_cancel(struct pv_background *j);
void pv_background_wait(struct pv_background *j);
void pv_background_status(struct pv_background *j, const void *status, void *ret, size_t size);

#endif
