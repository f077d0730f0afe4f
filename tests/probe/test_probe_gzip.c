/* SPDX-License-Identifier: MIT */
/* The probe's packed pieces are read back whole, each as soon as it is out. */
#include "tests/kit/suite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "probe/sink/gzip.h"

enum { MOST = 1 << 20 };

static uint8_t plain[MOST], packed[2 * MOST], back[MOST];
static struct pvp_gzip *z;
static z_stream in;
static size_t n_packed, n_back;

static void setup(void)
{
	ck_assert_int_eq(pvp_gzip_create(&z), 0);
	memset(&in, 0, sizeof in);
	ck_assert_int_eq(inflateInit2(&in, 16 + MAX_WBITS), Z_OK);
	n_packed = pvp_gzip_begin(z, packed);
	n_back = 0;
}

static void teardown(void)
{
	inflateEnd(&in);
	pvp_gzip_destroy(z);
}

/* All that was packed and not read yet. */
static int take(size_t from)
{
	in.next_in = packed + from;
	in.avail_in = (uInt)(n_packed - from);
	in.next_out = back + n_back;
	in.avail_out = (uInt)(sizeof back - n_back);
	int result = inflate(&in, Z_SYNC_FLUSH);
	n_back = sizeof back - in.avail_out;
	return result;
}

static void put(const uint8_t *from, size_t n)
{
	size_t before = n_packed;
	size_t len = pvp_gzip_put(z, from, n, packed + n_packed);
	ck_assert_uint_le(len, PVP_GZIP_OUT);
	n_packed += len;
	if (before == PVP_GZIP_HEAD)
		before = 0;
	int result = take(before);
	ck_assert_msg(result == Z_OK, "inflate: %d %s", result, in.msg ? in.msg : "");
}

static void finish(const uint8_t *want, size_t n)
{
	size_t before = n_packed;
	n_packed += pvp_gzip_end(z, packed + n_packed);
	ck_assert_int_eq(take(before == PVP_GZIP_HEAD ? 0 : before), Z_STREAM_END);
	ck_assert_uint_eq(n_back, n);
	ck_assert_int_eq(memcmp(back, want, n), 0);
}

static uint32_t seed;

static uint32_t number(void)
{
	return (seed = seed * 1664525 + 1013904223) >> 8;
}

/* Kinds of data: noise, few values, one value, copies of earlier places, all lengths of runs. */
static void make(unsigned kind, size_t n)
{
	seed = kind + 1;
	for (size_t i = 0; i < n; i++) {
		switch (kind) {
		case 0:
			plain[i] = (uint8_t)number();
			break;
		case 1:
			plain[i] = (uint8_t)(number() % 5 * 40);
			break;
		case 2:
			plain[i] = 7;
			break;
		case 3:
			plain[i] = i > 40000 && i / 300 % 2 ? plain[i - 1 - number() % 3 - 32700]
							    : (uint8_t)number();
			break;
		default: /* counts that double: codes longer than allowed */
			plain[i] = (uint8_t)(__builtin_ctz(number() | 1 << 23) * 3);
			break;
		}
	}
}

START_TEST(pieces_of_any_size)
{
	unsigned kind = (unsigned)_i;
	make(kind, MOST);
	size_t at = 0;
	seed = 99;
	while (at < MOST) {
		size_t n = number() % 3 ? number() % 700 : number() % PVP_GZIP_IN + 1;
		n = n < MOST - at ? n : MOST - at;
		put(plain + at, n);
		at += n;
		ck_assert_uint_eq(n_back, at); /* a reader has it at once */
		pvp_gzip_commit(z, true);
	}
	finish(plain, MOST);
	if (kind == 2)
		ck_assert_uint_lt(n_packed, MOST / 50);
	if (kind == 1)
		ck_assert_uint_lt(n_packed, MOST / 2);
	ck_assert_uint_lt(n_packed, MOST + MOST / 50);
}
END_TEST

START_TEST(nothing_and_little)
{
	finish(plain, 0);
	for (size_t n = 0; n < 20; n++) {
		teardown();
		setup();
		make(1, n);
		put(plain, n);
		pvp_gzip_commit(z, true);
		finish(plain, n);
	}
}
END_TEST

/* A piece that could not be written is not in the stream, and nothing later depends on it. */
START_TEST(pieces_that_are_taken_back)
{
	make(1, 50000);
	put(plain, 20000);
	pvp_gzip_commit(z, true);
	size_t before = n_packed;
	pvp_gzip_put(z, plain + 20000, 20000, packed + n_packed);
	pvp_gzip_commit(z, false);
	n_packed = before;
	put(plain + 20000, 20000);
	put(plain + 40000, 10000);
	pvp_gzip_commit(z, true);
	finish(plain, 50000);
}
END_TEST

START_TEST(members_follow_each_other)
{
	make(3, 60000);
	put(plain, 30000);
	pvp_gzip_commit(z, true);
	finish(plain, 30000);
	ck_assert_int_eq(inflateReset(&in), Z_OK);
	n_back = 0;
	n_packed = pvp_gzip_begin(z, packed);
	put(plain, 30000); /* the same bytes, but no window of the first member */
	pvp_gzip_commit(z, true);
	finish(plain, 30000);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("probe_gzip");
	TCase *t = tcase_create("gzip");
	tcase_set_timeout(t, 120);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, pieces_of_any_size, 0, 5);
	tcase_add_test(t, nothing_and_little);
	tcase_add_test(t, pieces_that_are_taken_back);
	tcase_add_test(t, members_follow_each_other);
	suite_add_tcase(s, t);
	return run_suite(s);
}
