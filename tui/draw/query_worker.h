/*
 * A thread that asks the model, so that the screen's thread never waits for one. A job owns all
 * that it needs and touches nothing of the screen; a slot is a place of the screen that wants one
 * answer at a time.
 *
 * All calls on the screen's thread. Without a worker (NULL) a job runs at once, where it is posted:
 * then every frame is made of finished answers, which tests and --dump need.
 */
#ifndef UI_QUERY_WORKER_H
#define UI_QUERY_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui_query_worker;
struct ui_request;

/* Stands first in what a job is. */
struct ui_job {
	void (*run)(struct ui_job *j);  /* on the worker's thread */
	void (*drop)(struct ui_job *j); /* frees it; on either thread */
	bool urgent;                    /* the user waits: it goes first and is not held back */
	struct ui_request *slot;        /* from here on the worker's; NULL: cancelled */
	uint64_t number;
	struct ui_job *next;
};

/* Zeroed to begin with; ui_slot_cancel() before it goes away. */
struct ui_request {
	struct ui_query_worker *worker;
	struct ui_job *waiting, *running, *done;
};

/* NULL when there are no threads or memory left: then everything is asked at once. */
struct ui_query_worker *ui_query_worker_create(void);
/*
 * Waits for the job that runs; the others are dropped. Nothing may be posted any more, but slots can
 * still be taken from and cancelled, and what jobs read may be freed. NULL is fine.
 */
void ui_query_worker_stop(struct ui_query_worker *a);
void ui_query_worker_destroy(struct ui_query_worker *a); /* stops it; NULL is fine */

/* Takes the job over. A question of the same slot that has no answer yet is forgotten. */
void ui_query_worker_post(struct ui_query_worker *a, struct ui_request *slot, struct ui_job *job);

/* The answer, which is the caller's then; NULL when there is none yet. */
struct ui_job *ui_slot_take(struct ui_request *slot);
/*
 * The same, but waits for it, as long as the frame has patience: an answer that comes at once
 * spares a frame without it. ui_query_worker_patience() begins a frame.
 */
struct ui_job *ui_slot_await(struct ui_request *slot);
void ui_query_worker_patience(struct ui_query_worker *a, int64_t ns);
/* Whether an answer is still to come. */
bool ui_slot_pending(const struct ui_request *slot);
/* Nothing will come of what was asked. */
void ui_slot_cancel(struct ui_request *slot);

/*
 * Whether nothing runs, and nothing waits that may begin to run at any moment: only then may a model
 * be destroyed that questions are still asked of.
 */
bool ui_query_worker_idle(struct ui_query_worker *a);
/*
 * Jobs are numbered as they are posted. When a thing is not given to jobs any more, the number of
 * the last one is noted; the thing may be freed once none up to that one runs or waits, however
 * many were posted since.
 */
uint64_t ui_query_worker_posted(const struct ui_query_worker *a);
bool ui_query_worker_past(struct ui_query_worker *a, uint64_t number);

/*
 * How long jobs that are not urgent are held back after one of them, in multiples of the time that
 * one took: the rest is for reading and decoding.
 */
void ui_query_worker_spare(struct ui_query_worker *a, unsigned share);

/* Readable when there are answers to take; clear() empties it. -1 without a worker. */
int ui_query_worker_fd(const struct ui_query_worker *a);
void ui_query_worker_clear(struct ui_query_worker *a);

#endif
