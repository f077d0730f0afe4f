/* SPDX-License-Identifier: MIT */
/* The stream before the readers: which one the first bytes choose, in any cut, and what a gap or an end does before. */
#include <string.h>

#include "common/format/mlpd/framer.h"
#include "common/format/readers/readers.h"
#include "tests/kit/suite.h"

static const struct {
	const char *bytes;
	size_t n, least; /* bytes after which it is known; 0: at the end */
	const struct pv_reader *reader;
} inputs[] = {
#define INPUT(bytes, least, reader) { bytes, sizeof(bytes) - 1, least, &pv_reader_##reader }
	INPUT("\1ZPM\3\0\17\10", 2, mlpd),
	INPUT("\1\0\20\0\0\0\1\2\3\4\201mono\0\200", 16, block07),
	INPUT("Nettrace\24\0\0\0", 8, nettrace),
	INPUT("main;a;b 12\nmain;c 3\n", 0, stacks),
	INPUT("\1\0", 0, mlpd),
	INPUT("", 0, mlpd),
};

static void give(struct pv_stream *s, const char *bytes, size_t n)
{
	size_t room;
	uint8_t *to = pv_stream_room(s, &room);
	ck_assert(to && room >= n && room >= 64 << 10);
	if (n)
		memcpy(to, bytes, n);
	pv_stream_filled(s, n);
}

START_TEST(first_bytes_choose)
{
	const char *bytes = inputs[_i].bytes;
	struct pv_stream s = { 0 };
	ck_assert(pv_stream_start(&s, NULL));
	for (size_t n = 1; n <= inputs[_i].n; n++) {
		give(&s, bytes + n - 1, 1);
		bool known = inputs[_i].least && n >= inputs[_i].least;
		ck_assert_ptr_eq(s.reader, known ? inputs[_i].reader : NULL);
		ck_assert(known || pv_stream_next(&s) == PV_PIECE_MORE);
	}
	pv_stream_end(&s);
	ck_assert_str_eq(s.reader->name, inputs[_i].reader->name);
	ck_assert_uint_eq(s.received, inputs[_i].n);
	ck_assert((s.framer != NULL) == (s.reader == &pv_reader_mlpd));
	ck_assert_int_ne(pv_stream_next(&s), PV_PIECE_BUFFER);
	pv_stream_finish(&s);
	ck_assert_ptr_null(s.reader);
}
END_TEST

/* Bytes after a gap can only be those of a log that is joined in its middle. */
START_TEST(gap_chooses_the_log)
{
	struct pv_stream s = { 0 };
	uint64_t rests;
	ck_assert(pv_stream_start(&s, NULL));
	give(&s, "N", 1);
	pv_stream_gap(&s, 100, "lost");
	ck_assert_ptr_eq(s.reader, &pv_reader_mlpd);
	ck_assert_uint_eq(s.received, 101);
	ck_assert_int_eq(pv_stream_next(&s), PV_PIECE_DAMAGE);
	ck_assert_str_eq(s.damage.reason, "lost");
	ck_assert_uint_eq(s.damage.bytes, 101);
	ck_assert(!pv_stream_resting(&s, &rests));
	pv_stream_finish(&s);
}
END_TEST

START_TEST(a_log_goes_on)
{
	const struct mlpd_header h = { .format = { 14, 2, 8, 0 } };
	struct pv_stream s = { 0 };
	uint64_t rests = 0;
	ck_assert(pv_stream_go_on(&s, &h, 5000));
	ck_assert(pv_stream_resting(&s, &rests));
	ck_assert_uint_eq(rests, 5000);
	ck_assert_uint_eq(s.received, 5000);
	pv_stream_end(&s);
	pv_stream_resume(&s);
	ck_assert(!s.framer->ended);
	pv_stream_finish(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("readers");
	TCase *t = tcase_create("all");
	suite_add_tcase(s, t);
	tcase_add_loop_test(t, first_bytes_choose, 0, sizeof inputs / sizeof *inputs);
	tcase_add_test(t, gap_chooses_the_log);
	tcase_add_test(t, a_log_goes_on);
	return run_suite(s);
}
