/* SPDX-License-Identifier: MIT */
#include <signal.h>
#include <sys/resource.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { LIMIT = 64 << 10 };

struct recording {
	char pipe[KIT_PATH], record[KIT_PATH];
	struct pv_source *s;
	int writer;
};

static void start(struct recording *r, uint64_t spool_limit)
{
	ck_assert_int_eq(mkfifo(in_dir(r->pipe, "pipe"), 0600), 0);
	in_dir(r->record, "record");
	r->s = open_ok(r->pipe,
		&(struct pv_source_options){ .record = r->record, .spool_limit = spool_limit });
	r->writer = open(r->pipe, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(r->writer, 0);
}

static void write_pattern(const struct recording *r, uint64_t from, size_t n)
{
	uint8_t *b = pattern_bytes(from, n);
	ck_assert(write_all(r->writer, b, n));
	free(b);
}

static void end_writing(struct recording *r)
{
	close(r->writer);
	expect(r->s, PV_READ_END);
	pv_source_close(r->s);
}

/* The record holds `head`, then `n` bytes of the pattern. */
static void check_record(const struct recording *r, const char *head, uint64_t from, size_t n)
{
	size_t head_n = strlen(head);
	char *got = malloc(head_n + n + 1);
	int fd = open(r->record, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	size_t have = 0;
	ssize_t more;
	while (have < head_n + n + 1 && (more = read(fd, got + have, head_n + n + 1 - have)) > 0)
		have += (size_t)more;
	close(fd);
	ck_assert_uint_eq(have, head_n + n);
	ck_assert_mem_eq(got, head, head_n);
	ck_assert(is_pattern((uint8_t *)got + head_n, from, n));
	free(got);
}

static const char *record_error(const struct recording *r)
{
	struct pv_source_info info;
	pv_source_info(r->s, &info);
	return info.record_error;
}

START_TEST(the_whole_stream_from_its_first_byte)
{
	struct recording r;
	start(&r, 0);
	write_pattern(&r, 0, 1000);
	expect_pattern(r.s, 0, 1000);
	ck_assert(pv_source_record(r.s, 0, NULL, 0, NULL));
	ck_assert(!pv_source_record(r.s, 0, NULL, 0, NULL)); /* once */
	write_pattern(&r, 1000, 50000);
	expect_pattern(r.s, 1000, 50000);
	ck_assert_ptr_null(record_error(&r));
	end_writing(&r);
	check_record(&r, "", 0, 51000);
}
END_TEST

START_TEST(after_a_delayed_join_after_a_made_up_header)
{
	struct recording r;
	struct pv_error e;
	start(&r, 0);
	write_pattern(&r, 0, 30000);
	expect_pattern(r.s, 0, 20000);
	ck_assert(!pv_source_record(r.s, 20001, "head", 4, &e)); /* not read yet */
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert(pv_source_record(r.s, 12345, "head", 4, &e));
	expect_pattern(r.s, 20000, 10000);
	write_pattern(&r, 30000, 40000);
	expect_pattern(r.s, 30000, 40000);
	end_writing(&r);
	check_record(&r, "head", 12345, 70000 - 12345);
}
END_TEST

START_TEST(a_record_has_no_limit_and_no_gap)
{
	struct recording r;
	struct pv_source_info info;
	start(&r, LIMIT);
	write_pattern(&r, 0, 5000);
	expect_pattern(r.s, 0, 5000);
	ck_assert(pv_source_record(r.s, 1000, NULL, 0, NULL));
	/* The drainer takes the hint before more bytes: they would not fit into the ring. */
	write_pattern(&r, 5000, 3000);
	expect_pattern(r.s, 5000, 3000);
	write_pattern(&r, 8000, 40 * LIMIT); /* no reader meanwhile */
	expect_pattern(r.s, 8000, 40 * LIMIT);
	pv_source_info(r.s, &info);
	ck_assert_uint_eq(info.dropped, 0);
	end_writing(&r);
	check_record(&r, "", 1000, 7000 + 40 * LIMIT);
}
END_TEST

START_TEST(an_existing_file_is_refused_and_kept)
{
	struct recording r;
	struct pv_error e;
	struct pv_source_options o = { .record = r.record };
	ck_assert_int_eq(mkfifo(in_dir(r.pipe, "pipe"), 0600), 0);
	put_file(in_dir(r.record, "record"), "dear", 4);
	ck_assert_ptr_null(pv_source_open(r.pipe, &o, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	struct pv_source *s = open_plain(r.record, false);
	expect_bytes(s, "dear", 4);
	pv_source_close(s);
	o.record = in_dir(r.record, "no/such/folder");
	ck_assert_ptr_null(pv_source_open(r.pipe, &o, &e));
	ck_assert_int_eq(e.code, PV_EIO);
}
END_TEST

START_TEST(a_record_that_never_began_leaves_no_file)
{
	struct recording r;
	start(&r, 0);
	write_pattern(&r, 0, 100);
	expect_pattern(r.s, 0, 100);
	end_writing(&r);
	ck_assert_int_ne(access(r.record, F_OK), 0);
}
END_TEST

START_TEST(after_its_time_is_said)
{
	struct recording r;
	struct pv_error e;
	start(&r, LIMIT);
	for (uint64_t at = 0; at < 320000; at += 8000) {
		write_pattern(&r, at, 8000);
		expect_pattern(r.s, at, 8000);
	}
	ck_assert(!pv_source_record(r.s, 0, NULL, 0, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert_ptr_nonnull(record_error(&r));
	ck_assert(pv_source_record(r.s, 320000 - LIMIT / 4, NULL, 0, &e));
	ck_assert_ptr_null(record_error(&r));
	end_writing(&r);
}
END_TEST

/* In a child, as the limit holds for all its files and is the drainer's too. */
static int record_on_a_full_disk(void *unused)
{
	(void)unused;
	struct recording r;
	struct pv_source_info info;
	signal(SIGXFSZ, SIG_IGN);
	struct rlimit most = { 98000, 98000 };
	ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &most), 0);
	start(&r, LIMIT);
	write_pattern(&r, 0, 5000);
	expect_pattern(r.s, 0, 5000);
	ck_assert(pv_source_record(r.s, 0, NULL, 0, NULL));
	for (uint64_t at = 5000; at < 500000; at += 5000) {
		write_pattern(&r, at, 5000);
		expect_pattern(r.s, at, 5000);
	}
	pv_source_info(r.s, &info);
	ck_assert_uint_eq(info.dropped, 0);
	ck_assert_ptr_nonnull(info.record_error);
	ck_assert_ptr_nonnull(strstr(info.record_error, strerror(EFBIG)));
	end_writing(&r);
	struct stat st;
	ck_assert_int_eq(stat(r.record, &st), 0);
	ck_assert_int_eq(st.st_size, 98000); /* with a part of what came last */
	check_record(&r, "", 0, (size_t)st.st_size);
	return 0;
}

START_TEST(a_write_error_stops_the_record_and_nothing_else)
{
	end_child(start_child(record_on_a_full_disk, NULL), 0);
}
END_TEST

START_TEST(a_pipe_that_appears_delayed_is_recorded)
{
	struct recording r;
	in_dir(r.pipe, "pipe");
	in_dir(r.record, "record");
	r.s = open_ok(r.pipe, &(struct pv_source_options){ .follow = true, .record = r.record });
	ck_assert_int_ne(access(r.record, F_OK), 0);
	struct pv_error e;
	ck_assert(!pv_source_record(r.s, 0, NULL, 0, &e));
	ck_assert_int_eq(e.code, PV_EUSAGE);
	ck_assert_int_eq(mkfifo(r.pipe, 0600), 0);
	expect_nothing_now(r.s);
	r.writer = open(r.pipe, O_WRONLY | O_CLOEXEC);
	write_pattern(&r, 0, 1000);
	expect_pattern(r.s, 0, 1000);
	ck_assert(pv_source_record(r.s, 0, NULL, 0, NULL));
	end_writing(&r);
	check_record(&r, "", 0, 1000);
}
END_TEST

START_TEST(a_delayed_pipe_whose_record_cannot_be_made_is_still_read)
{
	struct recording r;
	in_dir(r.pipe, "pipe");
	in_dir(r.record, "record");
	r.s = open_ok(r.pipe, &(struct pv_source_options){ .follow = true, .record = r.record });
	put_file(r.record, "dear", 4);
	ck_assert_int_eq(mkfifo(r.pipe, 0600), 0);
	expect_nothing_now(r.s);
	r.writer = open(r.pipe, O_WRONLY | O_CLOEXEC);
	write_pattern(&r, 0, 1000);
	expect_pattern(r.s, 0, 1000);
	ck_assert_ptr_nonnull(record_error(&r));
	ck_assert(!pv_source_record(r.s, 0, NULL, 0, NULL));
	end_writing(&r);
	check_record(&r, "dear", 0, 0);
}
END_TEST

START_TEST(a_file_that_appears_where_a_pipe_was_to_be_recorded_says_so)
{
	struct recording r;
	in_dir(r.pipe, "pipe");
	in_dir(r.record, "record");
	r.s = open_ok(r.pipe, &(struct pv_source_options){ .follow = true, .record = r.record });
	put_file(r.pipe, "hello", 5);
	expect_bytes(r.s, "hello", 5);
	ck_assert_ptr_nonnull(record_error(&r));
	pv_source_close(r.s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_record");
	TCase *c = tcase_create("record");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, the_whole_stream_from_its_first_byte);
	tcase_add_test(c, after_a_delayed_join_after_a_made_up_header);
	tcase_add_test(c, a_record_has_no_limit_and_no_gap);
	tcase_add_test(c, an_existing_file_is_refused_and_kept);
	tcase_add_test(c, a_record_that_never_began_leaves_no_file);
	tcase_add_test(c, after_its_time_is_said);
	tcase_add_test(c, a_write_error_stops_the_record_and_nothing_else);
	tcase_add_test(c, a_pipe_that_appears_delayed_is_recorded);
	tcase_add_test(c, a_delayed_pipe_whose_record_cannot_be_made_is_still_read);
	tcase_add_test(c, a_file_that_appears_where_a_pipe_was_to_be_recorded_says_so);
	suite_add_tcase(s, c);
	return run_suite(s);
}
