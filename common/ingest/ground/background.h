/* SPDX-License-Identifier: MIT */
/*
 * A background job: reads the input again on a thread of its own, while the ingest goes on. One
 * thread starts the job, learns of changes by a descriptor, may cancel the job, and destroys it.
 * Each kind of reading (ingest/again) contains a job, and returns it by a function `..._job()`.
 */
#ifndef PV_INGEST_BACKGROUND_H
#define PV_INGEST_BACKGROUND_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/base/status.h"

struct pv_background_status {
	bool over;             /* done, cancelled or failed */
	bool done;             /* everything asked for is there */
	const char *phase;     /* a constant; NULL if there is only one phase */
	uint64_t step, steps;  /* bytes or objects of the phase; steps 0: unknown */
	struct pv_error error; /* code PV_OK unless failed */
};

struct pv_background {
	pthread_t thread;
	bool started;
	int changed_fd; /* an eventfd, readable when something changed; the starter reads it */
	int stop_fd;    /* an eventfd, readable once the job was cancelled */
	pthread_mutex_t lock; /* of `status` */
	struct pv_background_status status;
	/* Frees the structure that contains the job; begins with pv_background_finish(). */
	void (*destroy)(struct pv_background *j);
};

/* --- for the reading that contains the job */

/* False when out of descriptors; call pv_background_finish() in either case. */
bool pv_background_init(
	struct pv_background *j, const char *first_phase, void (*destroy)(struct pv_background *j));
/* Calls work(arg) on a thread that takes no signals. False when out of threads. */
bool pv_background_start(struct pv_background *j, void *(*work)(void *), void *arg);
/* Cancels the job, waits until its thread has ended, and closes the descriptors. */
void pv_background_finish(struct pv_background *j);

/* On the job's thread: whether the job was cancelled. Does not block. */
bool pv_background_stopping(const struct pv_background *j);
/* On the job's thread: reports progress. The starter is woken if `wake`. */
void pv_background_report(
	struct pv_background *j, const char *phase, uint64_t step, uint64_t steps, bool wake);
/* On the job's thread, at its end: everything is there, or the error (PV_OK: cancelled). */
void pv_background_end(struct pv_background *j, bool done, const struct pv_error *error);

/* --- for the starter */

void pv_background_cancel(struct pv_background *j);        /* over soon, and not done */
void pv_background_wait(struct pv_background *j);          /* until over; blocks */
void pv_background_await(struct pv_background *j, int ms); /* the same, at most `ms` long */
/* Cancels the job, waits for its thread, and frees the reading with all results. NULL is fine. */
void pv_background_destroy(struct pv_background *j);
/* A copy of the status. Any thread. */
void pv_background_status(struct pv_background *j, struct pv_background_status *ret);
/* False until everything is there, and for ever after a cancel or failure. */
bool pv_background_done(struct pv_background *j);

#endif
