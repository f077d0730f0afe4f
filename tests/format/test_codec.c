/* SPDX-License-Identifier: MIT */
/*
 * Every row of mlpd.def against bytes written by hand from the format's description (bases below),
 * its round trip through the encoder, every prefix of it, and its end at an unreadable page.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/format/codec_vectors.h"
#include "tests/kit/event_text.h"
#include "tests/kit/suite.h"

static size_t from_hex(const char *hex, uint8_t *to)
{
	size_t n = 0;
	unsigned byte;
	for (int used; sscanf(hex, " %2x%n", &byte, &used) == 1; hex += used)
		to[n++] = (uint8_t)byte;
	return n;
}

static struct mlpd_format format_of(uint8_t version)
{
	return (struct mlpd_format){ version, version >= 16 ? 3 : 0, 8, 0 };
}

static enum mlpd_status decode(const uint8_t *at, size_t n, uint8_t version, struct pv_batch *pools,
	struct pv_event *e, size_t *ret_used)
{
	struct pv_cursor c = { .at = at, .end = at + n };
	struct mlpd_bases b;
	struct mlpd_format f = format_of(version);
	mlpd_bases_init(&b, &bases_header);
	enum mlpd_status s = mlpd_decode(&c, &b, &f, pools, e);
	*ret_used = (size_t)(c.at - at);
	return s;
}

START_TEST(bytes_written_by_hand_say_what_the_format_says)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes), used;
	struct pv_batch pools = { 0 };
	struct pv_event e;
	char text[512];
	ck_assert_msg(decode(bytes, n, v->version, &pools, &e, &used) == MLPD_OK, "%s", v->text);
	ck_assert_uint_eq(used, n);
	event_text(text, sizeof text, &e, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	pv_batch_finish(&pools);
}
END_TEST

/* Everything above fits into 32 bits, so that a 32-bit program's log holds the same bytes. */
START_TEST(the_same_bytes_of_a_32_bit_program_say_the_same)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes);
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	struct pv_batch pools = { 0 };
	struct mlpd_format f = format_of(v->version);
	struct mlpd_bases b;
	struct pv_event e;
	char text[512];
	f.pointer_size = 4;
	mlpd_bases_init(&b, &bases_header);
	ck_assert_msg(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK, "%s", v->text);
	ck_assert(c.at == c.end);
	event_text(text, sizeof text, &e, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	pv_batch_finish(&pools);
}
END_TEST

/* Bases and values at both ends of the address space: differences of 32 bits, signed. */
START_TEST(differences_of_a_32_bit_program_wrap)
{
	static const struct mlpd_buffer_header h = {
		.ptr_base = 0xfffff000, .obj_base = 0x1ffffff0, .method_base = 0xfffffff0
	};
	/* type +0x2000, object +0x20 in units of 8, method +0x20 */
	const uint8_t bytes[] = { 0x10, 1, 0x80, 0xc0, 0x00, 0x20, 8, 1, 0x20 };
	struct pv_cursor c = { .at = bytes, .end = bytes + sizeof bytes };
	struct mlpd_format f = { 17, 3, 4, 0 };
	struct pv_batch pools = { 0 };
	struct mlpd_bases b, from;
	struct pv_event e;
	uint8_t again[128];
	mlpd_bases_init(&b, &h);
	from = b;
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, 0x1000);
	ck_assert_uint_eq(e.alloc.object, 0x80);
	ck_assert_uint_eq(pools.pool.v[e.alloc.stack.at], 0x10);
	size_t n = mlpd_encode(again, sizeof again, &from, &f, &e, &pools);
	c = (struct pv_cursor){ .at = again, .end = again + n };
	mlpd_bases_init(&b, &h);
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, 0x1000);
	ck_assert_uint_eq(e.alloc.object, 0x80);
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(encoding_gives_an_event_that_decodes_the_same)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64], again[512];
	size_t n = from_hex(v->hex, bytes), used;
	struct pv_batch pools = { 0 };
	struct pv_event e, back;
	struct mlpd_bases b;
	struct mlpd_format f = format_of(v->version);
	char text[512];
	ck_assert(decode(bytes, n, v->version, &pools, &e, &used) == MLPD_OK);
	mlpd_bases_init(&b, &bases_header);
	if (e.kind == PV_KIND_EXT_UNKNOWN || !mlpd_rows[e.row].written ||
		strstr(v->text, "stack=[]")) {
		pv_batch_finish(&pools);
		return; /* undefined values are never written */
	}
	size_t max = mlpd_encode_max(&e, &pools);
	ck_assert_uint_le(max, sizeof again);
	ck_assert_uint_eq(mlpd_encode(again, max - 1, &b, &f, &e, &pools), 0);
	size_t m = mlpd_encode(again, max, &b, &f, &e, &pools);
	ck_assert_uint_ge(m, 1);
	ck_assert_uint_le(m, max);
	ck_assert(decode(again, m, v->version, &pools, &back, &used) == MLPD_OK);
	ck_assert_uint_eq(used, m);
	event_text(text, sizeof text, &back, &pools, v->version);
	ck_assert_str_eq(text, v->text);
	/* Writers emit minimal forms: the same bytes, where the vector is minimal too. */
	bool exact = v->version >= 13 || strncmp(v->text, "HIT", 3) == 0;
	if (exact && !strstr(v->hex, "f8 ff ff ff ff 01") && !strstr(v->hex, "83 00"))
		ck_assert_mem_eq(again, bytes, n);
	pv_batch_finish(&pools);
}
END_TEST

/* The event's last byte is the last readable one: a read past it would fault. */
START_TEST(every_prefix_is_short_and_nothing_is_read_past_it)
{
	const struct vector *v = &vectors[_i];
	uint8_t bytes[64];
	size_t n = from_hex(v->hex, bytes), used, page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map =
		mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(map != MAP_FAILED && mprotect(map + page, page, PROT_NONE) == 0);
	struct pv_batch pools = { 0 };
	struct pv_event e;
	for (size_t cut = 0; cut < n; cut++) {
		uint8_t *at = map + page - cut;
		memcpy(at, bytes, cut);
		enum mlpd_status s = decode(at, cut, v->version, &pools, &e, &used);
		ck_assert_msg(s == MLPD_SHORT, "%s cut at %zu: %d", v->text, cut, (int)s);
		ck_assert_uint_eq(used, 0);
		ck_assert_uint_eq(pools.pool.n + pools.descs.n + pools.values.n, 0);
	}
	munmap(map, 2 * page);
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(every_row_has_a_vector_in_a_version_it_is_valid_for)
{
	const struct mlpd_row *r = &mlpd_rows[_i];
	size_t len = strlen(r->symbol);
	if (r->layout)
		return; /* of development builds, which have a test of their own */
	for (size_t i = 0; i < PV_COUNT_OF(vectors); i++) {
		const struct vector *v = &vectors[i];
		if (strncmp(v->text, r->symbol, len) == 0 && v->text[len] == ' ' &&
			v->version >= r->since && v->version <= r->until)
			return;
	}
	ck_abort_msg("row %s has no bytes to be tested with", r->symbol);
}
END_TEST

START_TEST(rows_of_one_byte_stand_together)
{
	for (size_t i = 1; i < mlpd_row_count; i++)
		for (size_t j = 0; j + 1 < i; j++)
			ck_assert_msg(mlpd_rows[i].byte != mlpd_rows[j].byte ||
					      mlpd_rows[i - 1].byte == mlpd_rows[i].byte,
				"%s", mlpd_rows[i].symbol);
}
END_TEST

START_TEST(counts_are_bounded_by_the_bytes_left)
{
	static const char *const liars[] = { "31 01 ff ff ff ff 0f 00", "10 05 10 01 18 ff 7f 00",
		"26 01 01 10 20 01 ff ff 03 00 00", "36 01 ff ff ff ff 0f 00 00",
		"07 01 02 ff ff ff 7f 00", "37 01 ff ff ff ff 0f 00", "2f 01 ff ff ff ff 0f 01" };
	struct pv_batch pools = { 0 };
	struct pv_event e;
	for (size_t i = 0; i < PV_COUNT_OF(liars); i++) {
		uint8_t bytes[64];
		size_t n = from_hex(liars[i], bytes), used;
		ck_assert_msg(
			decode(bytes, n, 17, &pools, &e, &used) == MLPD_SHORT, "%s", liars[i]);
		ck_assert_uint_le(pools.pool.room, 64);
	}
	pv_batch_finish(&pools);
}
END_TEST

START_TEST(unknown_bytes_are_bad_and_unknown_extensions_are_skipped)
{
	struct pv_batch pools = { 0 };
	struct pv_event e;
	size_t used;
	ck_assert(decode((const uint8_t *)"\x6e\x01", 2, 17, &pools, &e, &used) == MLPD_BAD);
	ck_assert(decode((const uint8_t *)"\x0b\x01", 2, 17, &pools, &e, &used) == MLPD_BAD);
	const uint8_t later[] = { 0x9f, 3, 2, 0x63, 1 };
	ck_assert(decode(later, sizeof later, 17, &pools, &e, &used) == MLPD_OK);
	ck_assert_uint_eq(used, sizeof later);
	ck_assert_uint_eq(e.kind, PV_KIND_EXT_UNKNOWN);
	ck_assert_uint_eq(e.time, 1003);
	ck_assert_uint_eq(e.ext.family, 9);
	const uint8_t mark_with_more[] = { 0x2f, 1, 6, 1, 'h', 'i', 0, 9, 9 };
	ck_assert(decode(mark_with_more, 9, 17, &pools, &e, &used) == MLPD_OK);
	ck_assert_uint_eq(used, 9);
	ck_assert_uint_eq(e.kind, PV_KIND_EXT_MARK);
	const uint8_t lying_mark[] = { 0x2f, 1, 2, 1, 'h', 'i', 0 };
	ck_assert(decode(lying_mark, 7, 17, &pools, &e, &used) == MLPD_BAD);
	pv_batch_finish(&pools);
}
END_TEST

/* The worked example of a stock Mono 6.8 log. */
START_TEST(header_of_a_real_log)
{
	static const char hex[] =
		"01 5a 50 4d 03 00 11 08 d8 3a 79 fd a1 01 00 00 4b 09 47 32 80 01 "
		"00 00 16 00 00 00 00 00 00 00 78 1e 00 00 3d 96 19 00 00 00 6c 6f 67 3a 2c 6f 75 74 "
		"70 75 74 3d 64 65 66 61 75 6c 74 2e 6d 6c 70 64 00 07 00 00 00 78 38 36 2d 36 34 00 "
		"06 00 00 00 6c 69 6e 75 78 00";
	uint8_t bytes[128], again[128];
	size_t n = from_hex(hex, bytes);
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	struct mlpd_header h;
	struct pv_error e;
	ck_assert_uint_eq(n, 0x58);
	ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_OK && c.at == c.end);
	ck_assert_uint_eq(h.format.data_version, 17);
	ck_assert_uint_eq(h.format.pointer_size, 8);
	ck_assert_uint_eq(h.timer_overhead_ns, 22);
	ck_assert_uint_eq(h.pid, 7800);
	ck_assert_uint_eq(h.port, 38461);
	ck_assert_uint_eq(h.startup_ns, UINT64_C(0x01803247094b));
	ck_assert_str_eq(h.args.at, "log:,output=default.mlpd");
	ck_assert_str_eq(h.arch.at, "x86-64");
	ck_assert_str_eq(h.os.at, "linux");
	ck_assert_uint_eq(mlpd_put_header(again, sizeof again, &h), n);
	ck_assert_mem_eq(again, bytes, n);
	for (size_t cut = 0; cut < n; cut++) {
		c = (struct pv_cursor){ .at = bytes, .end = bytes + cut };
		ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_SHORT);
	}
	bytes[6] = 0;
	c = (struct pv_cursor){ .at = bytes, .end = bytes + n };
	ck_assert(mlpd_get_header(&c, &h, &e) == MLPD_BAD && e.code == PV_EVERSION);
}
END_TEST

START_TEST(pointers_of_a_32_bit_log_wrap_at_32_bits)
{
	const uint8_t bytes[] = { 0x00, 5, 0x7f, 0x7f, 8 };
	struct pv_cursor c = { .at = bytes, .end = bytes + sizeof bytes };
	struct mlpd_bases b = { .time = 0 };
	struct mlpd_format f = { 17, 3, 4, 0 };
	struct pv_batch pools = { 0 };
	struct pv_event e;
	ck_assert(mlpd_decode(&c, &b, &f, &pools, &e) == MLPD_OK);
	ck_assert_uint_eq(e.alloc.type, UINT32_MAX);
	ck_assert_uint_eq(e.alloc.object, UINT32_MAX - 7);
}
END_TEST

/* The fast loop and the rows must say the same of the same bytes. */
START_TEST(fast_loop_equals_the_rows)
{
	static const char hex[] =
		"23 01 10 13 81 01 7f 00 05 10 01 18 33 ff ff ff ff ff ff ff ff ff "
		"01 80 7f 10 05 10 01 18 02 10 7f 23 01 00 0a 01 01 13 05 ff ff 7f";
	struct pv_batch fast = { 0 }, slow = { 0 };
	struct mlpd_format f = format_of(17);
	struct mlpd_bases b, c;
	size_t used;
	uint8_t bytes[128];
	size_t n = from_hex(hex, bytes);
	ck_assert(pv_reserve(&fast.bytes, n));
	memcpy(fast.bytes.v, bytes, n);
	fast.bytes.n = n;
	mlpd_bases_init(&b, &bases_header);
	mlpd_bases_init(&c, &bases_header);
	ck_assert(mlpd_decode_batch(&fast, &b, &f, false, &used) && !fast.damaged);
	ck_assert_uint_eq(used, n);
	struct pv_cursor at = { .at = bytes, .end = bytes + n };
	for (size_t i = 0; i < fast.n; i++) {
		struct pv_event e;
		ck_assert(mlpd_decode(&at, &c, &f, &slow, &e) == MLPD_OK);
		ck_assert_uint_eq(fast.kind[i], e.kind);
		ck_assert_uint_eq(fast.time[i], e.time);
		if (e.kind == PV_KIND_ALLOC)
			ck_assert_uint_eq(fast.allocs.v[fast.key[i]].object, e.alloc.object);
		else if (e.kind != PV_KIND_SYNC_POINT)
			ck_assert_uint_eq(fast.key[i], e.call.method);
	}
	ck_assert(at.at == at.end);
	ck_assert_uint_eq(fast.n, 8);
	for (size_t cut = 0; cut < n; cut++) {
		pv_batch_reset(&fast);
		memcpy(fast.bytes.v, bytes, cut);
		fast.bytes.n = cut;
		mlpd_bases_init(&b, &bases_header);
		ck_assert(mlpd_decode_batch(&fast, &b, &f, true, &used) && !fast.damaged);
		pv_batch_reset(&slow);
		ck_assert_uint_le(used, cut);
	}
	pv_batch_finish(&fast);
	pv_batch_finish(&slow);
}
END_TEST

/* The probe begins in a constructor of its library, from where its writer's thread tells of itself. */
static uint8_t early[64];
static size_t early_n;

static size_t encode_start(uint8_t to[64])
{
	struct mlpd_format f = format_of(17);
	struct mlpd_bases b = { 0 };
	struct pv_event e = { .kind = PV_KIND_THREAD_START, .meta = { .key = 0x2712 } };
	return mlpd_encode(to, 64, &b, &f, &e, NULL);
}

__attribute__((constructor)) static void write_early(void)
{
	early_n = encode_start(early);
}

START_TEST(an_event_written_before_main_is_the_same)
{
	uint8_t now[64];
	size_t n = encode_start(now);
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(early_n, n);
	ck_assert_mem_eq(early, now, n);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("codec");
	TCase *c = tcase_create("rows");
	int n = (int)PV_COUNT_OF(vectors);
	tcase_add_loop_test(c, bytes_written_by_hand_say_what_the_format_says, 0, n);
	tcase_add_loop_test(c, the_same_bytes_of_a_32_bit_program_say_the_same, 0, n);
	tcase_add_test(c, differences_of_a_32_bit_program_wrap);
	tcase_add_loop_test(c, encoding_gives_an_event_that_decodes_the_same, 0, n);
	tcase_add_loop_test(c, every_prefix_is_short_and_nothing_is_read_past_it, 0, n);
	tcase_add_loop_test(
		c, every_row_has_a_vector_in_a_version_it_is_valid_for, 0, (int)mlpd_row_count);
	tcase_add_test(c, rows_of_one_byte_stand_together);
	tcase_add_test(c, counts_are_bounded_by_the_bytes_left);
	tcase_add_test(c, unknown_bytes_are_bad_and_unknown_extensions_are_skipped);
	tcase_add_test(c, header_of_a_real_log);
	tcase_add_test(c, pointers_of_a_32_bit_log_wrap_at_32_bits);
	tcase_add_test(c, fast_loop_equals_the_rows);
	tcase_add_test(c, an_event_written_before_main_is_the_same);
	suite_add_tcase(s, c);
	return run_suite(s);
}
