/* SPDX-License-Identifier: MIT */
/* Jobs of the query worker: order, replacing, forgetting, holding back. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "common/base/status.h"
#include "tests/kit/suite.h"
#include "tui/draw/query_worker.h"

enum { ORDER_MAX = 32, DEADLINE_MS = 60000 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int dropped, begun;
static int order[ORDER_MAX];
static int64_t began_ns[ORDER_MAX], ended_ns[ORDER_MAX]; /* by name */
static atomic_int ran;

struct job {
	struct ui_job job;
	int name;
	bool gated;
	int64_t cost_ns;
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int64_t now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static int64_t worked_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static void run(struct ui_job *j)
{
	struct job *q = (struct job *)j;
	atomic_fetch_add(&begun, 1);
	began_ns[q->name] = now_ns();
	if (q->gated) {
		pthread_mutex_lock(&gate);
		pthread_mutex_unlock(&gate);
	}
	for (int64_t end = worked_ns() + q->cost_ns; worked_ns() < end;)
		;
	order[atomic_load(&ran)] = q->name;
	ended_ns[q->name] = now_ns();
	atomic_fetch_add(&ran, 1);
}

static void drop(struct ui_job *j)
{
	atomic_fetch_add(&dropped, 1);
	free(j);
}

static struct job *job_of(int name)
{
	struct job *j = calloc(1, sizeof *j);
	ck_assert_ptr_nonnull(j);
	j->job = (struct ui_job){ .run = run, .drop = drop };
	j->name = name;
	return j;
}

/* The answer, as soon as it is there. */
static int take(struct ui_query_worker *a, struct ui_request *slot)
{
	struct ui_job *j;
	while (!(j = ui_slot_take(slot))) {
		struct pollfd p = { .fd = ui_query_worker_fd(a), .events = POLLIN };
		ck_assert_int_eq(poll(&p, 1, DEADLINE_MS), 1);
		ui_query_worker_clear(a);
	}
	int name = ((struct job *)j)->name;
	drop(j);
	return name;
}

static void wait_begun(int n)
{
	for (int64_t end = now_ns() + DEADLINE_MS * INT64_C(1000000); atomic_load(&begun) < n;)
		ck_assert_int_lt(now_ns(), end);
}

static void reset(void)
{
	atomic_store(&dropped, 0);
	atomic_store(&begun, 0);
	atomic_store(&ran, 0);
}

/* Holds the thread in a job until the gate is opened. */
static void occupy(struct ui_query_worker *a, struct ui_request *slot)
{
	int before = atomic_load(&begun);
	pthread_mutex_lock(&gate);
	struct job *j = job_of(0);
	j->gated = true;
	ui_query_worker_post(a, slot, &j->job);
	wait_begun(before + 1);
}

START_TEST(without_a_thread_it_runs_at_once)
{
	struct ui_request slot = { 0 };
	ui_query_worker_post(NULL, &slot, &job_of(1)->job);
	ck_assert_int_eq(atomic_load(&ran), 1);
	ck_assert(!ui_slot_pending(&slot));
	ui_query_worker_post(NULL, &slot, &job_of(2)->job);
	ck_assert_int_eq(atomic_load(&dropped), 1);
	struct job *j = (struct job *)ui_slot_take(&slot);
	ck_assert_int_eq(j->name, 2);
	drop(&j->job);
	ck_assert_ptr_null(ui_slot_take(&slot));
	ui_slot_cancel(&slot);
}
END_TEST

START_TEST(urgent_jobs_go_first)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request busy = { 0 }, slot[4] = { 0 };
	occupy(a, &busy);
	for (int i = 0; i < 4; i++) {
		struct job *j = job_of(i + 1);
		j->job.urgent = i == 2;
		ui_query_worker_post(a, &slot[i], &j->job);
	}
	ck_assert(!ui_query_worker_idle(a));
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < 4; i++)
		ck_assert_int_eq(take(a, &slot[i]), i + 1);
	static const int want[] = { 0, 3, 1, 2, 4 };
	for (size_t i = 0; i < PV_COUNT_OF(want); i++)
		ck_assert_int_eq(order[i], want[i]);
	take(a, &busy);
	ck_assert(ui_query_worker_idle(a));
	ui_query_worker_destroy(a);
}
END_TEST

START_TEST(a_new_question_replaces_the_old)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request slot = { 0 };
	occupy(a, &slot);
	for (int i = 1; i <= 5; i++)
		ui_query_worker_post(a, &slot, &job_of(i)->job);
	ck_assert_int_eq(atomic_load(&dropped), 4);
	ck_assert(ui_slot_pending(&slot));
	pthread_mutex_unlock(&gate);
	ck_assert_int_eq(take(a, &slot), 5);
	ck_assert_int_eq(atomic_load(&ran), 2); /* the one that ran already, and the last */
	ck_assert_int_eq(atomic_load(&dropped), 6);
	ui_query_worker_destroy(a);
}
END_TEST

START_TEST(nothing_comes_of_what_was_cancelled)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request slot = { 0 }, other = { 0 };
	occupy(a, &slot);
	ui_query_worker_post(a, &other, &job_of(1)->job);
	ui_slot_cancel(&slot);
	ui_slot_cancel(&other);
	ck_assert(!ui_slot_pending(&slot) && !ui_slot_pending(&other));
	ck_assert(!ui_query_worker_idle(a)); /* a running job cannot be taken back */
	pthread_mutex_unlock(&gate);
	ui_query_worker_post(a, &other, &job_of(2)->job);
	ck_assert_int_eq(take(a, &other), 2);
	ck_assert_ptr_null(ui_slot_take(&slot));
	ck_assert_int_eq(atomic_load(&dropped), 3);
	ui_query_worker_destroy(a);
}
END_TEST

/* A job that waits may begin at any moment: the model that it asks must not die. */
START_TEST(who_waits_is_not_idle)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request busy = { 0 }, slot = { 0 };
	ui_query_worker_spare(a, 1u << 30);
	occupy(a, &busy);
	ui_query_worker_post(a, &slot, &job_of(1)->job);
	pthread_mutex_unlock(&gate);
	take(a, &busy);
	bool idle = ui_query_worker_idle(a); /* the other one is held back, or has run by now */
	ck_assert(!idle || !ui_slot_pending(&slot));
	ck_assert_int_eq(take(a, &slot), 1);
	ck_assert(ui_query_worker_idle(a));
	ui_query_worker_destroy(a);
}
END_TEST

/* A thing that was put away may go once the jobs before are over, though others were posted since. */
START_TEST(what_no_job_reads_may_go)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request busy = { 0 }, slot[3] = { 0 };
	occupy(a, &busy);
	ui_query_worker_post(a, &slot[0], &job_of(1)->job);
	uint64_t before = ui_query_worker_posted(a);
	ui_query_worker_post(a, &slot[1], &job_of(2)->job);
	ck_assert(!ui_query_worker_past(a, before));
	ui_slot_cancel(&slot[0]);
	ck_assert(!ui_query_worker_past(a, before)); /* the one that runs */
	pthread_mutex_unlock(&gate);
	take(a, &busy);
	take(a, &slot[1]);
	occupy(a, &busy);
	ui_query_worker_post(a, &slot[2], &job_of(3)->job);
	ck_assert(ui_query_worker_past(a, before));
	ck_assert(!ui_query_worker_past(a, ui_query_worker_posted(a)));
	pthread_mutex_unlock(&gate);
	take(a, &busy);
	take(a, &slot[2]);
	ui_query_worker_destroy(a);
	ck_assert(ui_query_worker_past(NULL, 9));
	ck_assert_uint_eq(ui_query_worker_posted(NULL), 0);
}
END_TEST

static pthread_mutex_t freed = PTHREAD_MUTEX_INITIALIZER;

static void drop_slowly(struct ui_job *j)
{
	drop(j);
	pthread_mutex_lock(&freed);
	pthread_mutex_unlock(&freed);
}

/* One that was cancelled is freed before the thread says that it runs no more. */
START_TEST(a_freed_job_is_not_looked_at)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request slot = { 0 };
	pthread_mutex_lock(&freed);
	pthread_mutex_lock(&gate);
	struct job *j = job_of(0);
	j->gated = true;
	j->job.drop = drop_slowly;
	ui_query_worker_post(a, &slot, &j->job);
	wait_begun(1);
	ui_slot_cancel(&slot);
	pthread_mutex_unlock(&gate);
	while (atomic_load(&dropped) == 0)
		poll(NULL, 0, 1);
	ck_assert(!ui_query_worker_past(a, ui_query_worker_posted(a)));
	pthread_mutex_unlock(&freed);
	ui_query_worker_destroy(a);
}
END_TEST

/* The screen goes after the thread has stopped, and its slots are still cancelled. */
START_TEST(slots_outlive_the_thread)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request busy = { 0 }, slot = { 0 };
	occupy(a, &busy);
	ui_query_worker_post(a, &slot, &job_of(1)->job);
	pthread_mutex_unlock(&gate);
	ui_query_worker_stop(a);
	ui_query_worker_stop(a);
	ck_assert(ui_query_worker_idle(a));
	ui_slot_cancel(&busy);
	ui_slot_cancel(&slot);
	ck_assert_ptr_null(ui_slot_take(&slot));
	ck_assert_int_eq(atomic_load(&dropped), 2);
	ui_query_worker_destroy(a);
}
END_TEST

START_TEST(what_waits_dies_with_the_worker)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request busy = { 0 }, slot = { 0 };
	occupy(a, &busy);
	ui_query_worker_post(a, &slot, &job_of(1)->job);
	ui_slot_cancel(&busy);
	pthread_mutex_unlock(&gate);
	ui_slot_cancel(&slot);
	ui_query_worker_destroy(a);
	ck_assert_int_eq(atomic_load(&dropped), 2);
}
END_TEST

/* After a job that takes 20 ms of a processor, and with a share of 4, what is not urgent waits 80. */
START_TEST(jobs_are_held_back)
{
	struct ui_query_worker *a = ui_query_worker_create();
	struct ui_request one = { 0 }, two = { 0 }, three = { 0 };
	ui_query_worker_spare(a, 4);
	struct job *dear = job_of(1), *urgent = job_of(3);
	dear->cost_ns = 20000000;
	dear->gated = urgent->job.urgent = true;
	pthread_mutex_lock(&gate);
	ui_query_worker_post(a, &one, &dear->job);
	ui_query_worker_post(a, &two, &job_of(2)->job);
	ui_query_worker_post(a, &three, &urgent->job);
	pthread_mutex_unlock(&gate);
	ck_assert_int_eq(take(a, &two), 2);
	ck_assert_int_eq(take(a, &one), 1);
	ck_assert_int_eq(take(a, &three), 3);
	ck_assert_int_eq(order[2], 2); /* the urgent one did not wait for it */
	ck_assert_int_ge(began_ns[2] - ended_ns[1], 80000000);
	ui_query_worker_destroy(a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("asker");
	TCase *t = tcase_create("asker");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, reset, NULL);
	tcase_add_test(t, without_a_thread_it_runs_at_once);
	tcase_add_test(t, urgent_jobs_go_first);
	tcase_add_test(t, a_new_question_replaces_the_old);
	tcase_add_test(t, nothing_comes_of_what_was_cancelled);
	tcase_add_test(t, who_waits_is_not_idle);
	tcase_add_test(t, what_no_job_reads_may_go);
	tcase_add_test(t, a_freed_job_is_not_looked_at);
	tcase_add_test(t, slots_outlive_the_thread);
	tcase_add_test(t, what_waits_dies_with_the_worker);
	tcase_add_test(t, jobs_are_held_back);
	suite_add_tcase(s, t);
	return run_suite(s);
}
