/* SPDX-License-Identifier: MIT */
/* The worker's thread: a queue of jobs, urgent ones first, others spaced to spare the processor. */
#include "tui/draw/query_worker.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/thread.h"

#define SECOND INT64_C(1000000000)
/* Longest delay of a job; a picture whose answers take longer is shown in parts. */
#define HOLD_MAX   SECOND
#define PART_EVERY (SECOND / 10)

struct ui_query_worker {
	pthread_mutex_t lock;
	pthread_cond_t work, ready;
	pthread_t thread;
	int fd;
	struct ui_job *first, *last; /* waiting jobs */
	struct ui_job *running;      /* NULL only after a cancelled job was freed */
	uint64_t running_number;
	int64_t resume_ns; /* until then only urgent jobs run */
	int64_t reported_ns;
	int64_t patient_until_ns;
	unsigned share;
	bool stop;
	uint64_t posted; /* only for the screen's thread */
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

static int64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* Costs of a job to others. Waiting for the model, or for a processor, costs nothing. */
static int64_t cost_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* --- the queue, with the lock held --- */

static void append(struct ui_query_worker *a, struct ui_job *j)
{
	j->next = NULL;
	if (a->last)
		a->last->next = j;
	else
		a->first = j;
	a->last = j;
}

static void unlink_job(struct ui_query_worker *a, struct ui_job *j)
{
	struct ui_job *before = NULL;
	for (struct ui_job *at = a->first; at && at != j; at = at->next)
		before = at;
	if (before)
		before->next = j->next;
	else
		a->first = j->next;
	if (a->last == j)
		a->last = before;
}

/* The next job to run: the first urgent one, else the first unless jobs are held back. */
static struct ui_job *choose_job(const struct ui_query_worker *a, int64_t now)
{
	for (struct ui_job *j = a->first; j; j = j->next)
		if (j->urgent)
			return j;
	return now >= a->resume_ns ? a->first : NULL;
}

static int wait_until(pthread_cond_t *what, struct ui_query_worker *a, int64_t ns)
{
	struct timespec until = { .tv_sec = (time_t)(ns / SECOND), .tv_nsec = (long)(ns % SECOND) };
	return pthread_cond_timedwait(what, &a->lock, &until);
}

static void wait_for_work(struct ui_query_worker *a)
{
	if (!a->first) {
		pthread_cond_wait(&a->work, &a->lock);
		return;
	}
	wait_until(&a->work, a, a->resume_ns);
}

/* --- the worker's thread --- */

static void tell_screen(struct ui_query_worker *a, int64_t now)
{
	uint64_t one = 1;
	a->reported_ns = now;
	while (write(a->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/*
 * Called with the lock, released while the job runs, and before the screen's thread is woken: that
 * thread would take over the processor, then wait for the lock.
 */
static void run_job(struct ui_query_worker *a, struct ui_job *j)
{
	unlink_job(a, j);
	a->running = j;
	a->running_number = j->number;
	j->slot->waiting = NULL;
	j->slot->running = j;
	pthread_mutex_unlock(&a->lock);
	int64_t start = cost_ns();
	j->run(j);
	int64_t end = now_ns(), cost = cost_ns() - start;
	bool urgent = j->urgent;
	pthread_mutex_lock(&a->lock);
	if (j->slot) {
		j->slot->running = NULL;
		j->slot->done = j;
	} else {
		pthread_mutex_unlock(&a->lock);
		j->drop(j);
		pthread_mutex_lock(&a->lock);
	}
	a->running = NULL;
	int64_t hold = cost * a->share;
	if (!urgent)
		a->resume_ns = end + (hold < HOLD_MAX ? hold : HOLD_MAX);
	bool whole = urgent || !a->first || end - a->reported_ns >= PART_EVERY;
	pthread_mutex_unlock(&a->lock);
	pthread_cond_signal(&a->ready);
	if (whole)
		tell_screen(a, end);
	pthread_mutex_lock(&a->lock);
}

static void *serve(void *arg)
{
	struct ui_query_worker *a = arg;
	pv_thread_give_way();
	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		struct ui_job *j = choose_job(a, now_ns());
		if (j)
			run_job(a, j);
		else
			wait_for_work(a);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

/* --- life --- */

static void release(struct ui_query_worker *a)
{
	if (a->fd >= 0)
		close(a->fd);
	pthread_cond_destroy(&a->work);
	pthread_cond_destroy(&a->ready);
	pthread_mutex_destroy(&a->lock);
	free(a);
}

struct ui_query_worker *ui_query_worker_create(void)
{
	struct ui_query_worker *a = calloc(1, sizeof *a);
	pthread_condattr_t attr;
	if (!a)
		return NULL;
	pthread_mutex_init(&a->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&a->work, &attr);
	pthread_cond_init(&a->ready, &attr);
	pthread_condattr_destroy(&attr);
	a->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (a->fd >= 0 && pv_thread_start(&a->thread, serve, a))
		return a;
	release(a);
	return NULL;
}

void ui_query_worker_stop(struct ui_query_worker *a)
{
	if (!a || a->stop)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	pthread_cond_signal(&a->work);
	pthread_mutex_unlock(&a->lock);
	pthread_join(a->thread, NULL);
	while (a->first) {
		struct ui_job *j = a->first;
		a->first = j->next;
		j->slot->waiting = NULL;
		j->drop(j);
	}
	a->last = NULL;
}

void ui_query_worker_destroy(struct ui_query_worker *a)
{
	if (!a)
		return;
	ui_query_worker_stop(a);
	release(a);
}

/* --- slots --- */

/* With the lock held. */
static void forget_slot(struct ui_request *slot)
{
	struct ui_job *waiting = slot->waiting, *done = slot->done;
	if (slot->running)
		slot->running->slot = NULL;
	if (waiting) {
		unlink_job(slot->worker, waiting);
		waiting->drop(waiting);
	}
	if (done)
		done->drop(done);
	slot->waiting = slot->running = slot->done = NULL;
}

void ui_query_worker_post(struct ui_query_worker *a, struct ui_request *slot, struct ui_job *job)
{
	job->slot = slot;
	slot->worker = a;
	if (!a) {
		job->run(job);
		if (slot->done)
			slot->done->drop(slot->done);
		slot->done = job;
		return;
	}
	job->number = ++a->posted;
	pthread_mutex_lock(&a->lock);
	forget_slot(slot);
	slot->waiting = job;
	append(a, job);
	pthread_mutex_unlock(&a->lock);
	pthread_cond_signal(&a->work);
}

struct ui_job *ui_slot_take(struct ui_request *slot)
{
	if (slot->worker)
		pthread_mutex_lock(&slot->worker->lock);
	struct ui_job *j = slot->done;
	slot->done = NULL;
	if (slot->worker)
		pthread_mutex_unlock(&slot->worker->lock);
	return j;
}

struct ui_job *ui_slot_await(struct ui_request *slot)
{
	struct ui_query_worker *a = slot->worker;
	if (!a)
		return ui_slot_take(slot);
	pthread_mutex_lock(&a->lock);
	while (!slot->done && (slot->waiting || slot->running) &&
		wait_until(&a->ready, a, a->patient_until_ns) == 0)
		;
	struct ui_job *j = slot->done;
	slot->done = NULL;
	pthread_mutex_unlock(&a->lock);
	return j;
}

void ui_query_worker_patience(struct ui_query_worker *a, int64_t ns)
{
	if (a)
		a->patient_until_ns = now_ns() + ns; /* read by the screen's thread only */
}

bool ui_slot_pending(const struct ui_request *slot)
{
	if (!slot->worker)
		return false;
	pthread_mutex_lock(&slot->worker->lock);
	bool pending = slot->waiting || slot->running;
	pthread_mutex_unlock(&slot->worker->lock);
	return pending;
}

void ui_slot_cancel(struct ui_request *slot)
{
	struct ui_query_worker *a = slot->worker;
	if (a)
		pthread_mutex_lock(&a->lock);
	forget_slot(slot);
	if (a)
		pthread_mutex_unlock(&a->lock);
}

bool ui_query_worker_idle(struct ui_query_worker *a)
{
	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	bool idle = !a->running && !a->first;
	pthread_mutex_unlock(&a->lock);
	return idle;
}

uint64_t ui_query_worker_posted(const struct ui_query_worker *a)
{
	return a ? a->posted : 0;
}

bool ui_query_worker_past(struct ui_query_worker *a, uint64_t number)
{
	if (!a)
		return true;
	pthread_mutex_lock(&a->lock);
	bool past = !a->running || a->running_number > number;
	for (const struct ui_job *j = a->first; j && past; j = j->next)
		past = j->number > number;
	pthread_mutex_unlock(&a->lock);
	return past;
}

void ui_query_worker_spare(struct ui_query_worker *a, unsigned share)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	if (share < a->share) {
		a->resume_ns = 0;
		pthread_cond_signal(&a->work);
	}
	a->share = share;
	pthread_mutex_unlock(&a->lock);
}

int ui_query_worker_fd(const struct ui_query_worker *a)
{
	return a ? a->fd : -1;
}

void ui_query_worker_clear(struct ui_query_worker *a)
{
	uint64_t n;
	while (a && read(a->fd, &n, sizeof n) < 0 && errno == EINTR)
		;
}
