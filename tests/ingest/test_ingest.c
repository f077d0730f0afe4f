/* SPDX-License-Identifier: MIT */
/* Files and pipes through source, framer, workers and model: the whole way in, without a screen. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/ingest/ingest.h"
#include "common/ingest/ingest_parts.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"

enum { METHOD = 0x5010, DEADLINE_MS = 60000 };

static char folder[] = "/tmp/pv-ingest-XXXXXX";
static char path[64];

static void setup(void)
{
	strcpy(folder + sizeof folder - 7, "XXXXXX");
	ck_assert(mkdtemp(folder) != NULL);
	snprintf(path, sizeof path, "%s/log", folder);
}

static void teardown(void)
{
	unlink(path);
	rmdir(folder);
}

static void append(const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	ck_assert(fd >= 0);
	ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
	close(fd);
}

static struct pv_ingest *start(bool follow, unsigned jobs)
{
	struct pv_error e = { 0 };
	struct pv_source_options so = { .follow = follow };
	struct pv_ingest_options io = { .jobs = jobs, .follow = follow };
	struct pv_source *s = pv_source_open(path, &so, &e);
	ck_assert_msg(s != NULL, "%s", e.what);
	struct pv_ingest *in = pv_ingest_start(s, &io, &e);
	ck_assert_msg(in != NULL, "%s", e.what);
	return in;
}

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Waits for a state (any when < 0) with at least this many events in the newest model. */
static struct pv_ingest_status wait_for(struct pv_ingest *in, int state, uint64_t events)
{
	int64_t deadline = now_ms() + DEADLINE_MS;
	for (;;) {
		struct pv_ingest_status s;
		pv_ingest_status(in, &s);
		struct pv_model *m = pv_ingest_adopt(in);
		pv_model_lock(m);
		uint64_t have = m->events;
		pv_model_unlock(m);
		if ((state < 0 || (int)s.state == state) && have >= events)
			return s;
		ck_assert_msg(now_ms() < deadline,
			"state %d with %llu events, wanted %d with %llu: %s", (int)s.state,
			(unsigned long long)have, state, (unsigned long long)events, s.error.what);
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(in);
	}
}

/* A log of `buffers` buffers of `calls` calls each, on two threads. */
static void make_log(struct wire *w, unsigned buffers, unsigned calls)
{
	wire_init(w);
	wire_header(w, 0, 1000);
	wire_buffer(w, 1);
	wire_name(w, METHOD, "Program.Work()");
	for (unsigned i = 0; i < buffers; i++) {
		wire_buffer(w, 1 + i % 2);
		for (unsigned c = 0; c < calls; c++) {
			wire_enter(w, METHOD);
			wire_leave(w, METHOD);
		}
	}
	wire_end_buffer(w);
}

/* One that fits into the framer's first window, and one of many such windows. */
START_TEST(any_number_of_workers_gives_the_same_model)
{
	struct wire w;
	unsigned buffers = _i ? 1200 : 200, calls = _i ? 1300 : 500;
	make_log(&w, buffers, calls);
	append(w.out.v, w.out.n);
	for (unsigned jobs = 1; jobs <= 4; jobs++) {
		struct pv_ingest *in = start(false, jobs);
		struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 0);
		struct pv_model *m = pv_ingest_adopt(in);
		ck_assert(s.complete && !s.damaged);
		ck_assert_uint_eq(s.recordings, 1);
		ck_assert_uint_eq(s.stream_bytes, w.out.n);
		ck_assert_uint_eq(m->buffers, 1 + buffers);
		ck_assert_uint_eq(m->events, 1 + 2 * buffers * calls);
		ck_assert_uint_eq(m->calls.calls, buffers * calls);
		ck_assert_uint_eq(m->kinds[PV_KIND_METHOD_LEAVE], buffers * calls);
		pv_ingest_destroy(in);
	}
	wire_finish(&w);
}
END_TEST

START_TEST(a_buffer_of_many_pieces_is_one_buffer)
{
	struct wire w;
	wire_init(&w);
	wire_header(&w, 0, 1000);
	wire_buffer(&w, 1);
	static char name[3 << 20]; /* an event larger than any piece */
	memset(name, 'n', sizeof name - 1);
	unsigned calls = 400000;
	for (unsigned c = 0; c < calls; c++) {
		wire_enter(&w, METHOD);
		if (c == calls / 2)
			wire_name(&w, METHOD, name);
		wire_leave(&w, METHOD);
	}
	wire_end_buffer(&w);
	append(w.out.v, w.out.n);
	struct pv_ingest *in = start(false, 3);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 0);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert(s.complete);
	ck_assert_uint_eq(m->calls.calls, calls);
	ck_assert_uint_eq(m->events, calls * 2 + 1);
	ck_assert_uint_eq(m->calls.stray_leaves, 0);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(damage_costs_a_tail_and_is_listed)
{
	struct wire w;
	make_log(&w, 10, 100);
	size_t last = w.out.n - 600; /* payload of the last buffer: 100 calls of 6 bytes */
	w.out.v[last + 300] = 0x6e;
	append(w.out.v, w.out.n);
	struct pv_ingest *in = start(false, 2);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 0);
	struct pv_model *m = pv_ingest_adopt(in);
	ck_assert(s.damaged && !s.complete);
	ck_assert_uint_eq(m->damaged, 1);
	ck_assert_uint_eq(m->damage.v[0].offset, last + 300);
	ck_assert_uint_eq(m->damage.v[0].bytes, 300);
	ck_assert(strstr(m->damage.v[0].reason, "0x6e") != NULL);
	ck_assert_uint_eq(m->calls.calls, 950);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(a_growing_file_is_read_as_it_grows)
{
	struct wire w;
	make_log(&w, 20, 10);
	struct pv_ingest *in = start(true, 2);
	wait_for(in, PV_INGEST_WAITING, 0);
	for (size_t at = 0; at < w.out.n;) {
		size_t part = w.out.n - at < 777 ? w.out.n - at : 777;
		append(w.out.v + at, part);
		at += part;
	}
	struct pv_ingest_status s = wait_for(in, PV_INGEST_LIVE, 401);
	ck_assert(!s.damaged);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

/* Until it has so many bytes: by what is signalled only. */
static void wait_for_signals(struct pv_ingest *in, uint64_t bytes)
{
	struct pv_ingest_status s;
	for (pv_ingest_status(in, &s); s.stream_bytes < bytes; pv_ingest_status(in, &s)) {
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		ck_assert_msg(poll(&p, 1, DEADLINE_MS) == 1, "no signal for byte %llu",
			(unsigned long long)bytes);
		pv_ingest_clear(in);
	}
}

START_TEST(bytes_that_end_no_buffer_are_signalled_too)
{
	struct wire w;
	make_log(&w, 2, 4);
	struct pv_ingest *in = start(true, 1);
	for (size_t at = 0; at < w.out.n; at++) {
		append(w.out.v + at, 1);
		wait_for_signals(in, at + 1);
	}
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(a_replaced_file_is_a_new_recording_and_the_old_model_lives_until_adopted)
{
	struct wire w, other;
	make_log(&w, 4, 10);
	append(w.out.v, w.out.n);
	struct pv_ingest *in = start(true, 2);
	wait_for(in, PV_INGEST_LIVE, 81);
	struct pv_model *before = pv_ingest_adopt(in);
	make_log(&other, 2, 5);
	ck_assert_int_eq(truncate(path, 0), 0);
	append(other.out.v, other.out.n);
	struct pv_ingest_status s;
	int64_t deadline = now_ms() + DEADLINE_MS;
	do {
		ck_assert(now_ms() < deadline);
		struct pollfd p = { .fd = pv_ingest_fd(in), .events = POLLIN };
		poll(&p, 1, 100);
		pv_ingest_clear(in);
		pv_ingest_status(in, &s);
	} while (s.recordings < 2);
	ck_assert_uint_eq(s.models, 1);
	ck_assert_uint_eq(before->events, 81);
	wait_for(in, PV_INGEST_LIVE, 21);
	const struct pv_model *now = pv_ingest_adopt(in);
	ck_assert_uint_eq(now->calls.calls, 10);
	ck_assert_uint_eq(now->recordings, 1); /* the file has no other one */
	pv_ingest_destroy(in);
	wire_finish(&w);
	wire_finish(&other);
}
END_TEST

START_TEST(a_header_again_continues_and_another_begins)
{
	struct wire w;
	make_log(&w, 3, 10);
	wire_header(&w, 0, 1000); /* the same recording says its header again */
	wire_buffer(&w, 1);
	wire_enter(&w, METHOD);
	wire_end_buffer(&w);
	size_t same = w.out.n;
	wire_header(&w, 0, 9000);
	wire_buffer(&w, 1);
	wire_enter(&w, METHOD);
	wire_leave(&w, METHOD);
	wire_end_buffer(&w);
	append(w.out.v, same);
	struct pv_ingest *in = start(false, 1);
	wait_for(in, PV_INGEST_ENDED, 0);
	ck_assert_uint_eq(pv_ingest_adopt(in)->calls.calls, 31);
	pv_ingest_destroy(in);
	append(w.out.v + same, w.out.n - same);
	in = start(false, 1);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 0);
	ck_assert_uint_eq(s.recordings, 3);
	ck_assert_uint_eq(pv_ingest_adopt(in)->calls.calls, 1);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(a_pipe_is_followed_to_the_end_of_its_writer)
{
	struct wire w;
	make_log(&w, 50, 100);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	struct pv_ingest *in = start(true, 2);
	int fd = open(path, O_WRONLY);
	ck_assert(fd >= 0);
	ck_assert_int_eq(write(fd, w.out.v, w.out.n), (ssize_t)w.out.n);
	wait_for(in, PV_INGEST_LIVE, 1 + 50 * 200);
	close(fd);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 0);
	ck_assert(s.complete && !s.damaged);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

START_TEST(what_is_no_log_fails_with_a_reason)
{
	append("hello, world\n", 13);
	struct pv_ingest *in = start(false, 2);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_FAILED, 0);
	ck_assert(strstr(s.error.what, "text") != NULL);
	pv_ingest_destroy(in);
}
END_TEST

START_TEST(loading_can_be_left_at_once)
{
	struct wire w;
	make_log(&w, 1000, 500);
	append(w.out.v, w.out.n);
	for (int i = 0; i < 20; i++)
		pv_ingest_destroy(start(false, 1 + (unsigned)i % 3));
	wire_finish(&w);
}
END_TEST

/* In the middle of a pipe whose writer goes on, so that there is always more to come. */
/* The length of such a log is unknown; adding up must not go wrong over it. */
START_TEST(a_followed_log_may_say_any_time)
{
	static const uint64_t times[] = { UINT64_C(1) << 63, UINT64_MAX >> 1, UINT64_MAX };
	for (size_t i = 0; i < PV_COUNT_OF(times); i++) {
		struct wire w;
		wire_init(&w);
		wire_header(&w, 0, 1000);
		wire_buffer(&w, 1);
		w.step = 0;
		w.now = times[i];
		wire_enter(&w, 0x5010);
		wire_end_buffer(&w);
		unlink(path);
		append(w.out.v, w.out.n);
		struct pv_ingest *in = start(true, 1);
		struct pv_ingest_status s = wait_for(in, PV_INGEST_LIVE, 1);
		ck_assert_int_eq(s.lag_ns, -1);
		pv_ingest_destroy(in);
		wire_finish(&w);
	}
}
END_TEST

START_TEST(reading_can_be_cut_short)
{
	struct wire w;
	make_log(&w, 10, 500);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	struct pv_ingest *in = start(true, 2);
	int fd = open(path, O_WRONLY);
	ck_assert_int_eq(write(fd, w.out.v, w.out.n / 2), (ssize_t)(w.out.n / 2));
	wait_for(in, PV_INGEST_LIVE, 1);
	pv_ingest_cut(in);
	struct pv_ingest_status s = wait_for(in, PV_INGEST_ENDED, 1);
	ck_assert(!s.complete);
	struct pv_model *m = pv_ingest_adopt(in);
	pv_model_lock(m);
	uint64_t events = m->events;
	ck_assert(m->ended && !m->complete && m->cut);
	ck_assert_uint_eq(m->damaged, 0);
	pv_model_unlock(m);
	ck_assert_int_gt(write(fd, w.out.v + w.out.n / 2, w.out.n / 4), 0);
	poll(NULL, 0, 100); /* long enough for what must not happen */
	ck_assert_uint_eq(m->events, events);
	pv_ingest_destroy(in);
	close(fd);
	wire_finish(&w);
}
END_TEST

START_TEST(a_status_is_reported_at_once_or_not_at_all)
{
	struct wire w;
	make_log(&w, 4, 5);
	append(w.out.v, w.out.n);
	struct pv_ingest *in = start(false, 2);
	struct pv_ingest_status s = { 0 }, before;
	pthread_mutex_lock(&in->lock); /* as the owner has it while it tells of a buffer */
	s.recordings = 77;
	ck_assert(!pv_ingest_status_now(in, &s));
	ck_assert_uint_eq(s.recordings, 77);
	pthread_mutex_unlock(&in->lock);
	before = wait_for(in, PV_INGEST_ENDED, 1);
	for (int64_t deadline = now_ms() + DEADLINE_MS; !pv_ingest_status_now(in, &s);)
		ck_assert(now_ms() < deadline);
	ck_assert_uint_eq(s.recordings, before.recordings);
	ck_assert_int_eq(s.state, PV_INGEST_ENDED);
	pv_ingest_destroy(in);
	wire_finish(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("ingest");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, setup, teardown);
	tcase_add_loop_test(c, any_number_of_workers_gives_the_same_model, 0, 2);
	tcase_add_test(c, a_buffer_of_many_pieces_is_one_buffer);
	tcase_add_test(c, damage_costs_a_tail_and_is_listed);
	tcase_add_test(c, a_growing_file_is_read_as_it_grows);
	tcase_add_test(c, bytes_that_end_no_buffer_are_signalled_too);
	tcase_add_test(c, a_replaced_file_is_a_new_recording_and_the_old_model_lives_until_adopted);
	tcase_add_test(c, a_header_again_continues_and_another_begins);
	tcase_add_test(c, a_pipe_is_followed_to_the_end_of_its_writer);
	tcase_add_test(c, what_is_no_log_fails_with_a_reason);
	tcase_add_test(c, loading_can_be_left_at_once);
	tcase_add_test(c, a_followed_log_may_say_any_time);
	tcase_add_test(c, reading_can_be_cut_short);
	tcase_add_test(c, a_status_is_reported_at_once_or_not_at_all);
	suite_add_tcase(s, c);
	return run_suite(s);
}
