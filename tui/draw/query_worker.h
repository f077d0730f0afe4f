/* SPDX-License-Identifier: MIT */
/*
 * A thread that asks the model, so that the screen's thread never waits for the model. A job owns
 * everything it needs and touches nothing of the screen; a slot is a place of the screen that wants
 * one answer at a time.
 *
 * All calls on the screen's thread. Without a worker (NULL) a job runs at once, when posted: every
 * frame then has finished answers, as tests and --dump need.
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
	void (*drop)(struct ui_job *j); /* frees the job; on either thread */
	bool urgent;                    /* the user waits: first, never held back */
	struct ui_request *slot;        /* from here on the worker's; NULL: cancelled */
	uint64_t number;
	struct ui_job *next;
};

/* A slot. Zeroed to begin with; call ui_slot_cancel() before a slot goes away. */
struct ui_request {
	struct ui_query_worker *worker;
	struct ui_job *waiting, *running, *done;
};

/* NULL when there are no threads or memory left: then everything is asked at once. */
struct ui_query_worker *ui_query_worker_create(void);
/*
 * Waits for the running job; waiting jobs are dropped. Nothing may be posted afterwards, but slots
 * can still be taken from and cancelled, and data read by jobs may be freed. NULL is fine.
 */
void ui_query_worker_stop(struct ui_query_worker *a);
void ui_query_worker_destroy(struct ui_query_worker *a); /* stops, too; NULL is fine */

/* Takes the job over. An unanswered question of the same slot is forgotten. */
void ui_query_worker_post(struct ui_query_worker *a, struct ui_request *slot, struct ui_job *job);

/* The answer, now the caller's; NULL: none yet. */
struct ui_job *ui_slot_take(struct ui_request *slot);
/*
 * The same, but waits as long as the frame has patience: a quick answer spares a frame without it.
 * ui_query_worker_patience() begins a frame.
 */
struct ui_job *ui_slot_await(struct ui_request *slot);
void ui_query_worker_patience(struct ui_query_worker *a, int64_t ns);
/* Whether an answer is still to come. */
bool ui_slot_pending(const struct ui_request *slot);
/* Nothing will come of what was asked. */
void ui_slot_cancel(struct ui_request *slot);

/*
 * Whether nothing runs, and no waiting job may begin at any moment: only then may a model be
 * destroyed that has open questions.
 */
bool ui_query_worker_idle(struct ui_query_worker *a);
/*
 * Jobs are numbered as they are posted. Once an object is given to no further jobs, note the number
 * of the last; the object may be freed when no job up to this number runs or waits, however many
 * were posted since.
 */
uint64_t ui_query_worker_posted(const struct ui_query_worker *a);
bool ui_query_worker_past(struct ui_query_worker *a, uint64_t number);

/*
 * How long jobs without urgency are held back after such a job, in multiples of the time the job
 * took: reading and decoding get this time.
 */
void ui_query_worker_spare(struct ui_query_worker *a, unsigned share);

/* Readable when there are answers to take; clear() empties the descriptor. -1 without a worker. */
int ui_query_worker_fd(const struct ui_query_worker *a);
void ui_query_worker_clear(struct ui_query_worker *a);

#endif
