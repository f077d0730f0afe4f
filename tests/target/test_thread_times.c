/* SPDX-License-Identifier: MIT */
/* How long threads ran goes between the objects of an event stream, wherever its bytes are cut. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/status.h"
#include "common/target/dotnet/event_frames.h"
#include "common/target/dotnet/event_write.h"
#include "common/target/dotnet/thread_times.h"
#include "tests/kit/suite.h"

enum { ROOM = 4096, OBJECTS = 5 };

struct made {
	uint8_t bytes[ROOM];
	size_t n, after[OBJECTS]; /* the end of each object */
};

/* A stream with a trace object and four blocks of odd lengths. */
static void make(struct made *m)
{
	uint8_t *at = m->bytes;
	memcpy(at, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	at = pv_event_put_type(at + 32, "Trace", 4);
	memset(at, 5, 48); /* as an object begins */
	at[48] = PV_EVENT_OBJECT_END;
	m->after[0] = (size_t)(at + 49 - m->bytes);
	for (size_t i = 1; i < OBJECTS; i++) {
		static const char *const name[] = { "EventBlock", "StackBlock", "SPBlock" };
		uint64_t offset = m->after[i - 1];
		at = pv_event_put_object(m->bytes + offset, name[i % 3], 2, 7 * i, offset);
		memset(at, 5, 7 * i);
		at[7 * i] = PV_EVENT_OBJECT_END;
		m->after[i] = (size_t)(at + 7 * i + 1 - m->bytes);
	}
	m->n = m->after[OBJECTS - 1];
	m->bytes[m->n++] = 1;
}

START_TEST(ends_of_objects_are_found_wherever_the_bytes_are_cut)
{
	static struct made m;
	make(&m);
	for (size_t cut = 1; cut <= m.n; cut++) {
		struct pv_event_frames f;
		size_t before, found = 0;
		uint64_t offset;
		pv_event_frames_begin(&f);
		for (size_t at = 0; at < m.n; at += cut) {
			size_t n = m.n - at < cut ? m.n - at : cut;
			if (!pv_event_frames_pass(&f, m.bytes + at, n, &before, &offset))
				continue;
			bool is = false;
			for (size_t i = 0; i < OBJECTS; i++)
				is |= m.after[i] == offset;
			ck_assert(is);
			ck_assert_uint_eq(at + before, offset);
			found++;
		}
		ck_assert_uint_ge(found, cut == 1 ? OBJECTS : 1);
		ck_assert(f.closed);
	}
}
END_TEST

START_TEST(what_is_not_understood_gets_nothing_put_in)
{
	static struct made m;
	for (size_t i = 32; i < 32 + 15; i++) {
		struct pv_event_frames f;
		size_t before;
		uint64_t offset;
		make(&m);
		m.bytes[i] ^= 0xff;
		pv_event_frames_begin(&f);
		bool found = pv_event_frames_pass(&f, m.bytes, m.n, &before, &offset);
		ck_assert(!found || (i >= 35 && i < 43)); /* versions are not looked at */
	}
}
END_TEST

static const struct pv_thread_time *own_row(const struct pv_thread_times *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->row[i].thread == (uint32_t)getpid())
			return &t->row[i];
	return NULL;
}

START_TEST(a_reading_is_a_whole_that_can_be_put_in_anywhere)
{
	static uint8_t to[PV_THREAD_TIMES_BYTES];
	static struct made m;
	struct pv_thread_times *t = calloc(1, sizeof *t);
	make(&m);
	ck_assert_ptr_nonnull(t);
	ck_assert(pv_thread_times_open(t, getpid()));
	for (uint64_t offset = 97; offset < 101; offset++) {
		pv_thread_times_begin(t);
		size_t n = pv_thread_times_put(t, to, offset);
		ck_assert_uint_gt(n, 0);
		ck_assert_uint_eq(n % 4, 0);
		ck_assert_uint_eq(pv_thread_times_put(t, to, offset), 0); /* once */
		struct pv_event_frames f = { .at = offset, .begun = true };
		size_t before;
		uint64_t end;
		ck_assert(pv_event_frames_pass(&f, to, n, &before, &end));
		ck_assert(!f.closed && f.skip == 0 && f.n == 0);
		ck_assert_uint_eq(f.at, offset + n);
	}
	pv_thread_times_close(t);
	free(t);
}
END_TEST

START_TEST(a_thread_that_runs_is_seen_to)
{
	struct pv_thread_times *t = calloc(1, sizeof *t);
	struct timespec now;
	ck_assert_ptr_nonnull(t);
	ck_assert(pv_thread_times_open(t, getpid()));
	pv_thread_times_begin(t);
	ck_assert_ptr_nonnull(own_row(t));
	struct pv_thread_time first = *own_row(t);
	const struct timespec from = { (time_t)(first.ran / 1000000000),
		(long)(first.ran % 1000000000) };
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < 50);
	pv_thread_times_begin(t);
	struct pv_thread_time next = *own_row(t);
	ck_assert_uint_gt(next.time, first.time);
	ck_assert_uint_ge(next.ran - first.ran, 30000000); /* the kernel counts at its ticks */
	ck_assert_uint_le(next.ran - first.ran, next.time - first.time + 20000000);
	pv_thread_times_close(t);
	ck_assert(!pv_thread_times_open(t, -1));
	pv_thread_times_close(t);
	free(t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("thread times");
	TCase *t = tcase_create("thread times");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, ends_of_objects_are_found_wherever_the_bytes_are_cut);
	tcase_add_test(t, what_is_not_understood_gets_nothing_put_in);
	tcase_add_test(t, a_reading_is_a_whole_that_can_be_put_in_anywhere);
	tcase_add_test(t, a_thread_that_runs_is_seen_to);
	suite_add_tcase(s, t);
	return run_suite(s);
}
