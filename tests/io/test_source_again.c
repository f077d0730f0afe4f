/* SPDX-License-Identifier: MIT */
/* A pipe read a second time: from the spool, as far back as it goes, and from the record. */
#include <stdatomic.h>

#include "common/io/spool.h"
#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { LIMIT = PV_SPOOL_LEAST };

struct pipe_log {
	char path[KIT_PATH];
	struct pv_source *s;
	int writer;
	uint64_t written;
};

static void start(struct pipe_log *p, const char *record)
{
	struct pv_source_options o = { .spool_limit = LIMIT, .record = record };
	ck_assert_int_eq(mkfifo(in_dir(p->path, "pipe"), 0600), 0);
	p->s = open_ok(p->path, &o);
	p->writer = open(p->path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(p->writer, 0);
	p->written = 0;
}

/* Written, and read the first time. */
static void pass(struct pipe_log *p, size_t n)
{
	for (size_t piece; n > 0; n -= piece) {
		piece = n < 8000 ? n : 8000;
		uint8_t *b = pattern_bytes(p->written, piece);
		write_all(p->writer, b, piece);
		free(b);
		expect_pattern(p->s, p->written, piece);
		p->written += piece;
	}
}

static void end(struct pipe_log *p)
{
	close(p->writer);
	pv_source_close(p->s);
}

static struct pv_source *again(const struct pv_source *s)
{
	struct pv_error e;
	struct pv_source *a = pv_source_again(s, &e);
	ck_assert_ptr_nonnull(a);
	return a;
}

/* Reads up to its end; where bytes come they are the pattern's. *ret_gap: bytes of gaps. */
static uint64_t read_out(struct pv_source *a, uint64_t at, uint64_t *ret_gap)
{
	uint8_t b[10000];
	uint64_t n = 0, read = 0;
	struct pv_error e;
	*ret_gap = 0;
	for (;;) {
		enum pv_read what = pv_source_read(a, b, sizeof b, &n, &e);
		if (what == PV_READ_END)
			return read;
		ck_assert(what == PV_READ_BYTES || what == PV_READ_GAP);
		if (what == PV_READ_GAP)
			*ret_gap += n;
		else if (!is_pattern(b, at, n))
			ck_abort_msg("not what was written");
		read += what == PV_READ_BYTES ? n : 0;
		at += n;
	}
}

START_TEST(what_came_is_read_again_and_the_first_reading_goes_on)
{
	struct pipe_log p;
	uint64_t gap;
	start(&p, NULL);
	pass(&p, 30000);
	struct pv_source *a = again(p.s);
	ck_assert_uint_eq(pv_source_floor(p.s), 0);
	pass(&p, 10000);
	ck_assert_uint_eq(read_out(a, 0, &gap), 30000); /* the bytes there when it was opened */
	ck_assert_uint_eq(gap, 0);
	ck_assert(pv_source_seek(a, 12345, NULL));
	ck_assert_uint_eq(read_out(a, 12345, &gap), 30000 - 12345);
	struct pv_source *b = again(a); /* the same pipe, as it is now */
	ck_assert_uint_eq(read_out(b, 0, &gap), 40000);
	pv_source_close(a);
	pv_source_close(b);
	end(&p);
}
END_TEST

START_TEST(the_oldest_goes_and_is_a_gap)
{
	struct pipe_log p;
	uint64_t gap;
	struct pv_error e;
	start(&p, NULL);
	pass(&p, 3 * LIMIT + 1000);
	uint64_t floor = pv_source_floor(p.s);
	ck_assert(floor >= 2 * LIMIT && floor <= 2 * LIMIT + 1000);
	struct pv_source *a = again(p.s);
	uint64_t read = read_out(a, 0, &gap);
	ck_assert_uint_eq(read + gap, p.written);
	ck_assert_uint_ge(read, LIMIT - LIMIT / 8);
	ck_assert(!pv_source_seek(a, floor - 1, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert(pv_source_seek(a, floor, &e));
	ck_assert_uint_eq(read_out(a, floor, &gap), p.written - floor);
	ck_assert_uint_eq(gap, 0);
	pv_source_close(a);
	end(&p);
}
END_TEST

START_TEST(overwritten_while_it_is_read)
{
	struct pipe_log p;
	uint64_t gap, n;
	uint8_t b[1000];
	struct pv_error e;
	start(&p, NULL);
	pass(&p, LIMIT);
	struct pv_source *a = again(p.s);
	ck_assert_int_eq(pv_source_read(a, b, sizeof b, &n, &e), PV_READ_BYTES);
	ck_assert(is_pattern(b, 0, n));
	pass(&p, LIMIT / 2);
	uint64_t read = read_out(a, n, &gap);
	ck_assert_uint_eq(read + gap + n, LIMIT);
	ck_assert_uint_ge(gap, LIMIT / 2 - n);
	pv_source_close(a);
	end(&p);
}
END_TEST

START_TEST(a_record_has_all_of_it)
{
	struct pipe_log p;
	uint64_t gap;
	char record[KIT_PATH];
	start(&p, in_dir(record, "record"));
	pass(&p, 5000);
	ck_assert(pv_source_record(p.s, 0, NULL, 0, NULL));
	pass(&p, 10 * LIMIT);
	ck_assert_uint_eq(pv_source_floor(p.s), 0);
	struct pv_source *a = again(p.s);
	ck_assert_uint_eq(read_out(a, 0, &gap), 5000 + 10 * LIMIT);
	ck_assert_uint_eq(gap, 0);
	ck_assert(pv_source_seek(a, 3 * LIMIT, NULL));
	ck_assert_uint_eq(read_out(a, 3 * LIMIT, &gap), 5000 + 7 * LIMIT);
	pv_source_close(a);
	end(&p);
}
END_TEST

START_TEST(a_record_after_a_header_begins_delayed)
{
	struct pipe_log p;
	uint64_t gap;
	char record[KIT_PATH];
	start(&p, in_dir(record, "record"));
	pass(&p, 12000);
	ck_assert(pv_source_record(p.s, 9000, "head", 4, NULL));
	pass(&p, 4 * LIMIT);
	uint64_t floor = pv_source_floor(p.s);
	ck_assert_uint_le(floor, 9000);
	struct pv_source *a = again(p.s);
	ck_assert(pv_source_seek(a, 9000, NULL));
	ck_assert_uint_eq(read_out(a, 9000, &gap), 3000 + 4 * LIMIT);
	pv_source_close(a);
	end(&p);
}
END_TEST

START_TEST(another_writer_is_no_end)
{
	struct pipe_log p;
	uint64_t gap;
	start(&p, NULL);
	pass(&p, 1000);
	close(p.writer);
	expect(p.s, PV_READ_END);
	p.writer = open(p.path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(p.writer, 0);
	pass(&p, 2000);
	struct pv_source *a = again(p.s);
	ck_assert_uint_eq(read_out(a, 0, &gap), 3000);
	ck_assert_uint_eq(gap, 0);
	pv_source_close(a);
	end(&p);
}
END_TEST

/* --- the spool only: gaps between what was kept */

START_TEST(dropped_bytes_stay_where_they_are_missing)
{
	enum { CHUNK = LIMIT / 8 };
	char path[KIT_PATH];
	uint8_t b[CHUNK], got[CHUNK];
	uint64_t n, at = 0, put = 0, gap = 0;
	struct pv_error e;
	int fd = open(in_dir(path, "ring"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct pv_spool *s = pv_spool_create(fd, LIMIT, -1);
	for (int i = 0; i < 12; i++, put += CHUNK) { /* the last four do not fit */
		for (size_t k = 0; k < CHUNK; k++)
			b[k] = pattern(put + k);
		pv_spool_put(s, b, CHUNK);
	}
	for (enum pv_read what = PV_READ_BYTES; what != PV_READ_NOTHING;)
		what = pv_spool_read(s, got, CHUNK, &n, &e);
	for (size_t k = 0; k < 100; k++)
		b[k] = pattern(put + k);
	pv_spool_put(s, b, 100);
	put += 100;
	while (pv_spool_read(s, got, CHUNK, &n, &e) != PV_READ_NOTHING)
		;
	struct pv_spool_again *a = pv_spool_again_create(s);
	ck_assert_uint_eq(pv_spool_floor(s), 100);
	ck_assert_uint_eq(pv_spool_again_size(a), put);
	ck_assert(!pv_spool_again_seek(a, 9 * CHUNK)); /* it was dropped */
	ck_assert(!pv_spool_again_seek(a, 99));        /* it is overwritten */
	ck_assert(pv_spool_again_seek(a, at = 100));
	for (enum pv_read what; (what = pv_spool_again_read(a, got, CHUNK, &n, &e)) != PV_READ_END;
		at += n) {
		ck_assert(what == PV_READ_GAP || is_pattern(got, at, n));
		gap += what == PV_READ_GAP ? n : 0;
	}
	ck_assert_uint_eq(at, put);
	ck_assert_uint_eq(gap, 4 * CHUNK);
	pv_spool_again_destroy(a);
	pv_spool_destroy(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_again");
	TCase *c = tcase_create("again");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, what_came_is_read_again_and_the_first_reading_goes_on);
	tcase_add_test(c, the_oldest_goes_and_is_a_gap);
	tcase_add_test(c, overwritten_while_it_is_read);
	tcase_add_test(c, a_record_has_all_of_it);
	tcase_add_test(c, a_record_after_a_header_begins_delayed);
	tcase_add_test(c, another_writer_is_no_end);
	tcase_add_test(c, dropped_bytes_stay_where_they_are_missing);
	suite_add_tcase(s, c);
	return run_suite(s);
}
