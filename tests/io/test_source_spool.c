/* SPDX-License-Identifier: MIT */
#include <linux/magic.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/vfs.h>

#include "common/io/spool.h"
#include "common/io/spool_place.h"
#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { LIMIT = PV_SPOOL_LEAST, CHUNK = LIMIT / 8 };

static int file_in_dir(const char *name, int flags)
{
	char path[KIT_PATH];
	int fd = open(in_dir(path, name), flags | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static struct pv_spool *new_spool(int record_fd)
{
	struct pv_spool *s = pv_spool_create(file_in_dir("ring", O_RDWR), LIMIT, record_fd);
	ck_assert_ptr_nonnull(s);
	ck_assert_uint_eq(pv_spool_chunk(s), CHUNK);
	return s;
}

/* Both ends of a stream of the pattern: where the writer is, and what the reader got. */
struct stream {
	struct pv_spool *s;
	uint64_t put, seen, gaps, ends;
	bool wrong;
};

static void put(struct stream *st, size_t n)
{
	uint8_t b[CHUNK];
	for (size_t i = 0; i < n; i++)
		b[i] = pattern(st->put + i);
	pv_spool_put(st->s, b, n);
	st->put += n;
}

/* One read; a gap moves the place in the stream on. */
static enum pv_read take(struct stream *st, size_t size)
{
	uint8_t b[4 * CHUNK];
	uint64_t n = 0;
	struct pv_error e;
	enum pv_read what = pv_spool_read(st->s, b, size, &n, &e);
	st->wrong |= what == PV_READ_ERROR;
	st->wrong |= what == PV_READ_BYTES && (n == 0 || n > size || !is_pattern(b, st->seen, n));
	st->wrong |= what == PV_READ_GAP && n == 0;
	if (what == PV_READ_BYTES || what == PV_READ_GAP)
		st->seen += n;
	st->gaps += what == PV_READ_GAP;
	st->ends += what == PV_READ_END;
	return what;
}

static void take_all(struct stream *st)
{
	enum pv_read what, before;
	for (before = what = PV_READ_GAP; what != PV_READ_NOTHING; before = what) {
		what = take(st, 4 * CHUNK);
		if (what == PV_READ_END && before == PV_READ_END)
			return;
	}
}

START_TEST(a_full_ring_drops_whole_chunks_and_counts_them)
{
	struct stream st = { .s = new_spool(-1) };
	for (int i = 0; i < 20; i++)
		put(&st, CHUNK);
	ck_assert_uint_eq(pv_spool_kept(st.s), LIMIT);
	ck_assert_uint_eq(pv_spool_dropped(st.s), 12 * CHUNK);
	take_all(&st);
	ck_assert_uint_eq(st.seen, 20 * CHUNK);
	ck_assert_uint_eq(st.gaps, 1); /* reported although nothing came after it */
	put(&st, 100);
	take_all(&st);
	ck_assert(!st.wrong);
	ck_assert_uint_eq(st.seen, st.put);
	ck_assert_uint_eq(st.gaps, 1);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(a_gap_stands_where_the_bytes_are_missing)
{
	struct stream st = { .s = new_spool(-1) };
	for (int i = 0; i < 10; i++)
		put(&st, CHUNK); /* the last two do not fit */
	while (st.seen < CHUNK)
		take(&st, 1000);
	take(&st, 4 * CHUNK);
	for (int i = 0; i < 3; i++)
		put(&st, 1000);
	while (st.seen < LIMIT) {
		ck_assert_int_eq(take(&st, 4 * CHUNK), PV_READ_BYTES);
		ck_assert_uint_eq(st.gaps, 0);
	}
	ck_assert_int_eq(take(&st, 1), PV_READ_GAP);
	ck_assert_uint_eq(st.seen, 10 * CHUNK);
	take_all(&st);
	ck_assert_uint_eq(st.gaps, 1);
	ck_assert_uint_eq(st.seen, st.put);
	ck_assert(!st.wrong);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(a_slow_reader_meets_few_gaps)
{
	struct stream st = { .s = new_spool(-1) };
	for (int i = 0; i < 9; i++)
		put(&st, CHUNK);
	for (int i = 0; i < 1000; i++) {
		put(&st, 200);
		take(&st, 100);
	}
	while (st.seen < st.put && !st.wrong)
		take(&st, CHUNK);
	ck_assert(!st.wrong);
	ck_assert_uint_le(st.gaps, 100000 / CHUNK + 2);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(ends_stand_in_their_places)
{
	struct stream st = { .s = new_spool(-1) };
	ck_assert_int_eq(take(&st, 10), PV_READ_NOTHING);
	put(&st, 10);
	pv_spool_put_end(st.s);
	put(&st, 20);
	pv_spool_put_end(st.s);
	pv_spool_put_end(st.s);
	ck_assert_int_eq(take(&st, 100), PV_READ_BYTES);
	ck_assert_uint_eq(st.seen, 10);
	ck_assert_int_eq(take(&st, 100), PV_READ_END);
	ck_assert_int_eq(take(&st, 100), PV_READ_BYTES);
	ck_assert_uint_eq(st.seen, 30);
	ck_assert_int_eq(take(&st, 100), PV_READ_END);
	ck_assert_int_eq(take(&st, 100), PV_READ_END);
	put(&st, 5); /* the end was reported already: not once more */
	ck_assert_int_eq(take(&st, 100), PV_READ_BYTES);
	ck_assert_int_eq(take(&st, 100), PV_READ_NOTHING);
	ck_assert(!st.wrong);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(ends_and_gaps_in_one_place_keep_their_order)
{
	struct stream st = { .s = new_spool(-1) };
	for (int i = 0; i < 9; i++)
		put(&st, CHUNK);
	pv_spool_put_end(st.s); /* gap, end */
	put(&st, CHUNK);        /* another writer's, dropped */
	pv_spool_put_end(st.s);
	while (st.seen < LIMIT)
		take(&st, CHUNK);
	ck_assert_int_eq(take(&st, 1), PV_READ_GAP);
	ck_assert_uint_eq(st.seen, 9 * CHUNK);
	ck_assert_int_eq(take(&st, 1), PV_READ_END);
	ck_assert_int_eq(take(&st, 1), PV_READ_GAP);
	ck_assert_uint_eq(st.seen, 10 * CHUNK);
	ck_assert_int_eq(take(&st, 1), PV_READ_END);
	ck_assert_int_eq(take(&st, 1), PV_READ_END);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(countless_ends_are_bounded_and_lose_no_byte)
{
	struct stream st = { .s = new_spool(-1) };
	for (int i = 0; i < 10000; i++) {
		put(&st, 3);
		pv_spool_put_end(st.s);
	}
	for (int i = 0; i < 20; i++)
		put(&st, CHUNK);
	uint64_t dropped = pv_spool_dropped(st.s);
	ck_assert_uint_gt(dropped, 0);
	while (st.seen < st.put && !st.wrong)
		take(&st, CHUNK);
	ck_assert(!st.wrong);
	ck_assert_uint_gt(st.ends, 10);
	ck_assert_uint_eq(st.seen, st.put);
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(any_rhythm_of_two_sides)
{
	uint64_t gaps = 0, ends = 0;
	for (unsigned seed = 1; seed <= 20; seed++) {
		struct stream st = { .s = new_spool(-1) };
		unsigned r = seed;
		for (int i = 0; i < 3000; i++) {
			r = r * 1103515245 + 12345;
			size_t n = (r >> 8) % CHUNK + 1;
			if (r >> 28 == 0)
				pv_spool_put_end(st.s);
			else if ((r >> 24 & 15) < 5 + seed % 7)
				put(&st, n);
			else
				take(&st, n);
		}
		take_all(&st);
		ck_assert(!st.wrong);
		ck_assert_uint_eq(st.seen, st.put);
		ck_assert_uint_eq(pv_spool_kept(st.s) + pv_spool_dropped(st.s), st.put);
		gaps += st.gaps;
		ends += st.ends;
		pv_spool_destroy(st.s);
	}
	ck_assert(gaps > 20 && ends > 1000);
}
END_TEST

static void *put_much(void *arg)
{
	struct stream *st = arg;
	for (int i = 0; i < 4000; i++) {
		put(st, (size_t)(i * 37 % CHUNK + 1));
		if (i % 500 == 499)
			pv_spool_put_end(st->s);
		if (i % 16 == 0)
			sched_yield();
	}
	return NULL;
}

/* The two sides are processes; as threads they can be watched for races. */
START_TEST(both_sides_at_once)
{
	struct stream in = { .s = new_spool(-1) }, out = { .s = in.s };
	pthread_t writer;
	ck_assert_int_eq(pthread_create(&writer, NULL, put_much, &in), 0);
	int64_t end = now_ms() + DEADLINE_MS;
	uint64_t all = 0;
	for (int i = 0; i < 4000; i++)
		all += (uint64_t)(i * 37 % CHUNK + 1);
	while (out.seen < all && !out.wrong && now_ms() < end)
		if (take(&out, 3000) == PV_READ_NOTHING)
			sched_yield();
	pthread_join(writer, NULL);
	take_all(&out);
	ck_assert(!out.wrong);
	ck_assert_uint_eq(out.seen, all);
	ck_assert_uint_eq(in.put, all);
	pv_spool_destroy(in.s);
}
END_TEST

START_TEST(one_wake_until_it_is_cleared)
{
	struct pv_spool *s = new_spool(-1);
	ck_assert(pv_spool_wake(s));
	ck_assert(!pv_spool_wake(s));
	pv_spool_wake_clear(s);
	ck_assert(pv_spool_wake(s));
	pv_spool_destroy(s);
}
END_TEST

START_TEST(a_ring_that_cannot_be_written_is_a_gap_with_a_reason)
{
	int fd = file_in_dir("ring", O_RDONLY);
	struct stream st = { .s = pv_spool_create(fd, LIMIT, -1) };
	put(&st, 500);
	put(&st, 500);
	ck_assert_int_eq(pv_spool_errno(st.s), EBADF);
	ck_assert_uint_eq(pv_spool_dropped(st.s), 1000);
	take_all(&st);
	ck_assert_uint_eq(st.gaps, 1);
	ck_assert_uint_eq(st.seen, 1000);
	pv_spool_destroy(st.s);
}
END_TEST

/* A cache folder in memory is passed over: a gigabyte of it is not ours to take. */
START_TEST(the_ring_is_not_in_memory)
{
	char shm[] = "/dev/shm/pv-spool-XXXXXX";
	struct statfs fs;
	if (!mkdtemp(shm))
		return; /* no such file system here */
	setenv("XDG_CACHE_HOME", shm, 1);
	uint64_t limit = UINT64_C(1) << 30;
	struct pv_error e = { 0 };
	int fd = pv_spool_place(&limit, &e);
	ck_assert_msg(fd >= 0, "%s", e.what);
	ck_assert_int_eq(fstatfs(fd, &fs), 0);
	if (fs.f_type == TMPFS_MAGIC)
		ck_assert_uint_le(limit, UINT64_C(64) << 20); /* there is nothing but memory */
	else
		ck_assert_uint_eq(limit, UINT64_C(1) << 30);
	struct stat was;
	ck_assert_int_eq(fstat(fd, &was), 0);
	ck_assert_uint_eq(was.st_nlink, 0);
	close(fd);
	char made[KIT_PATH];
	snprintf(made, sizeof made, "%s/profview", shm);
	rmdir(made);
	rmdir(shm);
}
END_TEST

START_TEST(room_is_there_until_a_chunk_would_be_dropped)
{
	struct stream st = { .s = new_spool(-1) };
	while (pv_spool_has_room(st.s))
		put(&st, CHUNK);
	ck_assert_uint_eq(pv_spool_kept(st.s), LIMIT);
	ck_assert_uint_eq(pv_spool_dropped(st.s), 0);
	take_all(&st);
	ck_assert(pv_spool_has_room(st.s));
	pv_spool_destroy(st.s);
}
END_TEST

START_TEST(a_ring_that_is_kept_up_with_goes_round)
{
	struct stream st = { .s = new_spool(-1) };
	struct stat was;
	char path[KIT_PATH];
	for (int i = 0; i < 500; i++) {
		put(&st, CHUNK);
		take_all(&st);
	}
	ck_assert_int_eq(stat(in_dir(path, "ring"), &was), 0);
	ck_assert_int_eq(was.st_size, LIMIT);
	ck_assert_uint_eq(st.seen, 500 * CHUNK);
	pv_spool_destroy(st.s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_spool");
	TCase *c = tcase_create("spool");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, a_full_ring_drops_whole_chunks_and_counts_them);
	tcase_add_test(c, a_gap_stands_where_the_bytes_are_missing);
	tcase_add_test(c, a_slow_reader_meets_few_gaps);
	tcase_add_test(c, ends_stand_in_their_places);
	tcase_add_test(c, ends_and_gaps_in_one_place_keep_their_order);
	tcase_add_test(c, countless_ends_are_bounded_and_lose_no_byte);
	tcase_add_test(c, any_rhythm_of_two_sides);
	tcase_add_test(c, both_sides_at_once);
	tcase_add_test(c, one_wake_until_it_is_cleared);
	tcase_add_test(c, a_ring_that_cannot_be_written_is_a_gap_with_a_reason);
	tcase_add_test(c, a_ring_that_is_kept_up_with_goes_round);
	tcase_add_test(c, room_is_there_until_a_chunk_would_be_dropped);
	tcase_add_test(c, the_ring_is_not_in_memory);
	suite_add_tcase(s, c);
	return run_suite(s);
}
