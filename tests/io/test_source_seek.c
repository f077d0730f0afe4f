/* SPDX-License-Identifier: MIT */
/* Reading a file's stream from any place: plain, gzip, with and without access points. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

enum { MANY = 50 << 20 }; /* bytes of the log: two access points apart and more */

/* Compressible, so that blocks end amid a byte. */
static uint8_t letter(uint64_t at)
{
	return 'a' + (pattern(at) & 7);
}

/* The letters, in members of `member` bytes; level 1, which makes many blocks. */
static void put_packed(const char *path, size_t total, size_t member)
{
	gzFile f = NULL;
	enum { PART = 1 << 20 };
	uint8_t *plain = malloc(PART);
	for (size_t at = 0; at < total; at += PART) {
		for (size_t i = 0; i < PART; i++)
			plain[i] = letter(at + i);
		if (at % member == 0) {
			if (f)
				gzclose(f);
			f = gzopen(path, at ? "ab1" : "wb1");
			ck_assert_ptr_nonnull(f);
		}
		ck_assert_int_eq(gzwrite(f, plain, PART), PART);
	}
	gzclose(f);
	free(plain);
}

/* As put_packed(), of MANY bytes: both files are made once, as most of the tests' time went there. */
static void put_large(const char *path, size_t member)
{
	static struct {
		uint8_t *bytes;
		size_t n;
	} made[2]; /* in one member, in several; for as long as the process */
	size_t which = member != MANY;
	if (!made[which].bytes) {
		struct stat st;
		put_packed(path, MANY, member);
		int fd = open(path, O_RDONLY | O_CLOEXEC);
		ck_assert(fd >= 0 && fstat(fd, &st) == 0);
		made[which].n = (size_t)st.st_size;
		made[which].bytes = malloc(made[which].n);
		ck_assert_ptr_nonnull(made[which].bytes);
		ck_assert_int_eq(read(fd, made[which].bytes, made[which].n), st.st_size);
		close(fd);
	} else {
		put_file(path, made[which].bytes, made[which].n);
	}
}

static uint64_t read_from(struct pv_source *s, uint64_t at, uint64_t limit)
{
	uint8_t b[5000];
	uint64_t n, start = at;
	while (at - start < limit && next_read(s, b, sizeof b, &n) == PV_READ_BYTES) {
		for (uint64_t i = 0; i < n; i++)
			if (b[i] != letter(at + i))
				ck_abort_msg("wrong byte at %llu", (unsigned long long)(at + i));
		at += n;
	}
	return at;
}

static void seek_about(struct pv_source *s, uint64_t total)
{
	const uint64_t places[] = { 0, 1, total / 2, total - 1, 17 << 20, 3, (33 << 20) + 12345,
		total };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		struct pv_error e;
		if (places[i] > total)
			continue;
		ck_assert_msg(
			pv_source_seek(s, places[i], &e), "%llu", (unsigned long long)places[i]);
		uint64_t at = read_from(s, places[i], 100000);
		ck_assert_uint_ge(at, places[i] + 100000 < total ? places[i] + 100000 : total);
	}
}

START_TEST(a_plain_file_is_read_from_anywhere)
{
	char path[KIT_PATH];
	uint8_t plain[200000];
	for (size_t i = 0; i < sizeof plain; i++)
		plain[i] = letter(i);
	put_file(in_dir(path, "log"), plain, sizeof plain);
	struct pv_source *s = open_plain(path, false);
	seek_about(s, 200000);
	pv_source_close(s);
}
END_TEST

START_TEST(a_gzip_file_is_read_from_anywhere)
{
	char path[KIT_PATH];
	put_large(in_dir(path, "log"), _i == 0 ? MANY : 20 << 20);
	struct pv_source *s = open_plain(path, false);
	seek_about(s, MANY);
	pv_source_close(s);
}
END_TEST

/* Short ways back and forth are made in what was kept, long ones as without it. */
START_TEST(what_was_read_lately_is_kept)
{
	char path[KIT_PATH];
	struct pv_source_info before, after;
	struct pv_error e;
	put_large(in_dir(path, "log"), MANY);
	struct pv_source *s = open_plain(path, false);
	ck_assert(pv_source_remember(s, 1 << 20, 0));
	seek_about(s, MANY);
	ck_assert(pv_source_seek(s, 10 << 20, &e));
	ck_assert_uint_ge(read_from(s, 10 << 20, 1 << 20), 11 << 20);
	pv_source_info(s, &before);
	for (uint64_t back = 1000; back < 900000; back += 90001) {
		uint64_t from = (11 << 20) - back;
		ck_assert(pv_source_seek(s, from, &e));
		ck_assert_uint_ge(read_from(s, from, 500), from + 500);
	}
	pv_source_info(s, &after);
	ck_assert_uint_eq(before.input_read, after.input_read);
	ck_assert(pv_source_seek(s, (11 << 20) + 300000, &e)); /* on, over what is not read yet */
	ck_assert(pv_source_seek(s, (11 << 20) + 5, &e));
	ck_assert_uint_eq(read_from(s, (11 << 20) + 5, UINT64_MAX), MANY);
	pv_source_close(s);
}
END_TEST

START_TEST(points_of_an_earlier_reading_serve)
{
	char path[KIT_PATH];
	const struct pv_source_point *p;
	struct pv_source_info info;
	struct pv_error e;
	put_large(in_dir(path, "log"), _i == 0 ? MANY : 20 << 20);
	struct pv_source *first = open_plain(path, false);
	ck_assert_uint_eq(read_from(first, 0, UINT64_MAX), MANY);
	size_t n = pv_source_points(first, &p);
	ck_assert_uint_ge(n, 2);
	for (size_t i = 1; i < n; i++)
		ck_assert_uint_ge(p[i].out - p[i - 1].out, 16 << 20);
	struct pv_source *again = open_plain(path, false);
	ck_assert(pv_source_set_points(again, p, n));
	ck_assert(pv_source_seek(again, p[n - 1].out + 5, &e));
	/* Nearly nothing was read on the way. */
	pv_source_info(again, &info);
	ck_assert_uint_ge(info.input_read, p[n - 1].in);
	ck_assert_uint_le(info.input_read, p[n - 1].in + (128 << 10));
	ck_assert_uint_eq(read_from(again, p[n - 1].out + 5, UINT64_MAX), MANY);
	seek_about(again, MANY);
	pv_source_close(again);
	pv_source_close(first);
}
END_TEST

START_TEST(after_the_end_of_gzip_there_is_nothing)
{
	char path[KIT_PATH];
	struct pv_error e;
	put_packed(in_dir(path, "log"), 1 << 20, 1 << 20);
	struct pv_source *s = open_plain(path, false);
	ck_assert(!pv_source_seek(s, (1 << 20) + 1, &e));
	ck_assert_int_eq(e.code, PV_EIO);
	ck_assert(pv_source_seek(s, 5, &e));
	ck_assert_uint_eq(read_from(s, 5, UINT64_MAX), 1 << 20);
	pv_source_close(s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_seek");
	TCase *c = tcase_create("seek");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, a_plain_file_is_read_from_anywhere);
	tcase_add_loop_test(c, a_gzip_file_is_read_from_anywhere, 0, 2);
	tcase_add_test(c, what_was_read_lately_is_kept);
	tcase_add_loop_test(c, points_of_an_earlier_reading_serve, 0, 2);
	tcase_add_test(c, after_the_end_of_gzip_there_is_nothing);
	suite_add_tcase(s, c);
	return run_suite(s);
}
