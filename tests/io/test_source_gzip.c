/* SPDX-License-Identifier: MIT */
#include <zlib.h>

#include "tests/kit/source_kit.h"
#include "tests/kit/suite.h"

/* One gzip member of n bytes of the pattern, flushed every `flush` bytes, as a live writer does. */
struct packed {
	uint8_t *v;
	size_t n;
};

static struct packed pack(uint64_t from, size_t n, size_t flush)
{
	uint8_t *plain = pattern_bytes(from, n);
	struct packed p = { malloc(2 * n + 1000), 0 };
	z_stream z = { 0 };
	ck_assert_int_eq(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
	z.next_out = p.v;
	z.avail_out = (uInt)(2 * n + 1000);
	for (size_t at = 0; at < n; at += flush) {
		z.next_in = plain + at;
		z.avail_in = (uInt)(n - at < flush ? n - at : flush);
		ck_assert_int_eq(deflate(&z, Z_SYNC_FLUSH), Z_OK);
	}
	ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
	p.n = z.total_out;
	deflateEnd(&z);
	free(plain);
	return p;
}

/* Reads to the END; everything must be a prefix of the pattern. Returns its length. */
static uint64_t read_prefix(struct pv_source *s, bool *ret_cut)
{
	uint8_t b[5000];
	uint64_t n, at = 0;
	enum pv_read what;
	while ((what = next_read(s, b, sizeof b, &n)) == PV_READ_BYTES) {
		ck_assert(is_pattern(b, at, n));
		at += n;
	}
	ck_assert_int_eq(what, PV_READ_END);
	struct pv_source_info info;
	pv_source_info(s, &info);
	*ret_cut = info.compressed_cut;
	return at;
}

static uint64_t prefix_of(const void *bytes, size_t n, bool *ret_cut)
{
	char path[KIT_PATH];
	put_file(in_dir(path, "log"), bytes, n);
	struct pv_source *s = open_plain(path, false);
	uint64_t got = read_prefix(s, ret_cut);
	pv_source_close(s);
	return got;
}

START_TEST(a_whole_member_is_inflated)
{
	char path[KIT_PATH];
	struct packed p = pack(0, 400000, 100000);
	put_file(in_dir(path, "log"), p.v, p.n);
	struct pv_source *s = open_plain(path, false);
	bool cut;
	ck_assert_uint_eq(read_prefix(s, &cut), 400000);
	ck_assert(!cut);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert(info.compressed);
	ck_assert_uint_eq(info.file_bytes, p.n);
	ck_assert_uint_eq(info.input_read, p.n);
	pv_source_close(s);
	free(p.v);
}
END_TEST

START_TEST(cut_at_every_byte_of_its_end)
{
	struct packed p = pack(0, 6000, 1000);
	bool cut;
	uint64_t before = 0;
	for (size_t n = p.n - 1500; n <= p.n; n++) {
		uint64_t got = prefix_of(p.v, n, &cut);
		ck_assert_uint_ge(got, before);
		ck_assert(cut == (n < p.n));
		before = got;
	}
	ck_assert_uint_eq(before, 6000);
	ck_assert_uint_eq(prefix_of(p.v, p.n - 8, &cut), 6000); /* only the trailer is missing */
	/* Flushed data is given out as soon as its last byte is there. */
	size_t flushed = 0;
	for (size_t i = 0; i + 4 <= p.n; i++)
		if (memcmp(p.v + i, "\0\0\xff\xff", 4) == 0) {
			flushed += 1000;
			ck_assert_uint_eq(prefix_of(p.v, i + 4, &cut), flushed);
		}
	ck_assert_uint_eq(flushed, 6000);
	free(p.v);
}
END_TEST

START_TEST(cut_in_its_header)
{
	struct packed p = pack(0, 100, 100);
	bool cut;
	for (size_t n = 2; n < 12; n++) {
		ck_assert_uint_eq(prefix_of(p.v, n, &cut), 0);
		ck_assert(cut);
	}
	free(p.v);
}
END_TEST

START_TEST(members_follow_each_other)
{
	uint8_t all[100000];
	size_t n = 0;
	bool cut;
	for (uint64_t i = 0; i < 5; i++) {
		struct packed p = pack(i * 3000, 3000, 3000);
		memcpy(all + n, p.v, p.n);
		n += p.n;
		free(p.v);
	}
	ck_assert_uint_eq(prefix_of(all, n, &cut), 15000);
	ck_assert(!cut);
	ck_assert_uint_eq(prefix_of(all, n - 1, &cut), 15000);
	ck_assert(cut);
	memset(all + n, 0, 700); /* tape blocks end in zeros */
	ck_assert_uint_eq(prefix_of(all, n + 700, &cut), 15000);
	ck_assert(!cut);
	memcpy(all + n, "\x1f\x8b", 2); /* the beginning of another */
	for (size_t more = 1; more <= 2; more++) {
		ck_assert_uint_eq(prefix_of(all, n + more, &cut), 15000);
		ck_assert(cut);
	}
}
END_TEST

/* A flip shows in what comes out or in the member's sum; in padding bits it does not matter. */
START_TEST(damage_gives_what_came_before_it)
{
	struct packed p = pack(0, 20000, 500);
	size_t shorter = 0, unharmed = 0;
	for (size_t at = 20; at < p.n; at += 97) {
		char path[KIT_PATH];
		uint8_t b[512];
		uint64_t n, got = 0, right = 0;
		p.v[at] ^= 0x10;
		put_file(in_dir(path, "log"), p.v, p.n);
		p.v[at] ^= 0x10;
		struct pv_source *s = open_plain(path, false);
		enum pv_read what;
		while ((what = next_read(s, b, sizeof b, &n)) == PV_READ_BYTES)
			for (uint64_t i = 0; i < n; i++, got++)
				right += right == got && b[i] == pattern(got);
		ck_assert_int_eq(what, PV_READ_END);
		struct pv_source_info info;
		pv_source_info(s, &info);
		ck_assert(info.compressed_cut || (got == 20000 && right == 20000));
		ck_assert_uint_ge(right, at < 1000 ? 0 : (at - 1000) * 20000 / p.n);
		shorter += got < 20000;
		unharmed += !info.compressed_cut;
		pv_source_close(s);
	}
	ck_assert_uint_gt(shorter, 0);
	ck_assert_uint_lt(unharmed, 20);
	free(p.v);
}
END_TEST

START_TEST(a_growing_one_byte_by_byte)
{
	char path[KIT_PATH];
	struct packed p = pack(0, 600, 100);
	uint64_t got = 0;
	uint8_t b[64];
	struct pv_source *s = open_plain(in_dir(path, "log"), true);
	for (size_t i = 0; i < p.n; i++) {
		append(path, p.v + i, 1);
		for (;;) {
			struct pv_error e;
			uint64_t n;
			pv_source_wait_clear(s);
			enum pv_read what = pv_source_read(s, b, sizeof b, &n, &e);
			if (what == PV_READ_NOTHING)
				break;
			ck_assert_int_eq(what, PV_READ_BYTES);
			ck_assert(is_pattern(b, got, n));
			got += n;
		}
	}
	ck_assert_uint_eq(got, 600);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert(info.compressed && !info.compressed_cut);
	pv_source_close(s);
	free(p.v);
}
END_TEST

START_TEST(a_followed_one_that_is_damaged_ends)
{
	char path[KIT_PATH];
	struct packed p = pack(0, 6000, 1000);
	memset(p.v + p.n / 2, 0xff, 200);
	put_file(in_dir(path, "log"), p.v, p.n);
	struct pv_source *s = open_plain(path, true);
	bool cut;
	uint8_t b[8000];
	uint64_t n, got = 0;
	enum pv_read what;
	while ((what = next_read(s, b, sizeof b, &n)) == PV_READ_BYTES)
		got += n;
	ck_assert_int_eq(what, PV_READ_END);
	ck_assert(got >= 2000 && got < 6000);
	put_file(path, "plain now", 9);
	expect(s, PV_READ_RESTART);
	expect_bytes(s, "plain now", 9);
	struct pv_source_info info;
	pv_source_info(s, &info);
	ck_assert(!info.compressed && !info.compressed_cut);
	put_file(path, "", 0);
	expect(s, PV_READ_RESTART);
	free(p.v);
	p = pack(0, 6000, 1000);
	append(path, p.v, p.n);
	expect_pattern(s, 0, 6000);
	int life;
	pid_t pid = start_writer(path, &life);
	pv_source_set_target(s, (uint32_t)pid);
	close(life);
	end_child(pid, 0);
	ck_assert_uint_eq(read_prefix(s, &cut), 0);
	ck_assert(!cut);
	pv_source_close(s);
	free(p.v);
}
END_TEST

static void write_pipe(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert(write_all(fd, bytes, n));
	close(fd);
}

START_TEST(on_a_pipe_each_writer_may_differ)
{
	char path[KIT_PATH];
	struct pv_source_options none = { 0 };
	struct pv_source_info info;
	struct packed p = pack(0, 6000, 1000);
	bool cut;
	ck_assert_int_eq(mkfifo(in_dir(path, "pipe"), 0600), 0);
	struct pv_source *s = open_ok(path, &none);
	static const int whole[] = { 1, 0, 1 };
	for (size_t i = 0; i < 3; i++) {
		write_pipe(path, p.v, whole[i] ? p.n : p.n / 2);
		if (i > 0)
			expect_pattern(s, 0, 1); /* passes the END before */
		uint8_t *rest = pattern_bytes(i > 0, 6000);
		expect_bytes(s, rest, whole[i] ? 6000 - (i > 0) : 2000);
		free(rest);
		uint8_t b[6000];
		uint64_t n;
		while (next_read(s, b, sizeof b, &n) == PV_READ_BYTES)
			;
		pv_source_info(s, &info);
		ck_assert(info.compressed);
		ck_assert(info.compressed_cut == !whole[i]);
		write_pipe(path, "\x1fplain", 6);
		expect_bytes(s, "\x1fplain", 6);
		expect(s, PV_READ_END);
		pv_source_info(s, &info);
		ck_assert(!info.compressed && !info.compressed_cut);
	}
	write_pipe(path, "\x1f", 1);
	expect_bytes(s, "\x1f", 1);
	ck_assert_uint_eq(read_prefix(s, &cut), 0);
	pv_source_close(s);
	free(p.v);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("source_gzip");
	TCase *c = tcase_create("gzip");
	tcase_set_timeout(c, 60);
	tcase_add_checked_fixture(c, kit_setup, kit_teardown);
	tcase_add_test(c, a_whole_member_is_inflated);
	tcase_add_test(c, cut_at_every_byte_of_its_end);
	tcase_add_test(c, cut_in_its_header);
	tcase_add_test(c, members_follow_each_other);
	tcase_add_test(c, damage_gives_what_came_before_it);
	tcase_add_test(c, a_growing_one_byte_by_byte);
	tcase_add_test(c, a_followed_one_that_is_damaged_ends);
	tcase_add_test(c, on_a_pipe_each_writer_may_differ);
	suite_add_tcase(s, c);
	return run_suite(s);
}
