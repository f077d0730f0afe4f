/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/cursor.h"
#include "common/base/estimate.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/base/text/showable.h"
#include "common/base/utf8.h"
#include "tests/kit/suite.h"

static struct pv_cursor over(const void *bytes, size_t n)
{
	return (struct pv_cursor){ .at = bytes, .end = (const uint8_t *)bytes + n };
}

START_TEST(fixed_width_is_little_endian)
{
	const uint8_t b[] = { 1, 2, 3, 4, 5, 6, 7, 0x88 };
	struct pv_cursor c = over(b, 8);
	ck_assert_uint_eq(pv_get_u64(&c), UINT64_C(0x8807060504030201));
	c = over(b, 8);
	ck_assert_uint_eq(pv_get_u16(&c), 0x0201);
	ck_assert_uint_eq(pv_get_u32(&c), 0x06050403);
	ck_assert_uint_eq(pv_get_u32(&c), 0);
	ck_assert(c.short_read);
	ck_assert_uint_eq(pv_cursor_left(&c), 2);
}
END_TEST

START_TEST(leb_vectors)
{
	static const struct {
		uint64_t v;
		size_t n;
		uint8_t b[10];
	} u[] = {
		{ 0, 1, { 0 } },
		{ 127, 1, { 0x7f } },
		{ 128, 2, { 0x80, 1 } },
		{ 624485, 3, { 0xe5, 0x8e, 0x26 } },
		{ UINT64_MAX, 10, { 255, 255, 255, 255, 255, 255, 255, 255, 255, 1 } },
	};
	for (size_t i = 0; i < PV_COUNT_OF(u); i++) {
		struct pv_cursor c = over(u[i].b, u[i].n);
		ck_assert_uint_eq(pv_get_uleb(&c), u[i].v);
		ck_assert(pv_cursor_ok(&c) && c.at == c.end);
		uint8_t out[10];
		ck_assert_uint_eq((size_t)(pv_put_uleb(out, u[i].v) - out), u[i].n);
		ck_assert_mem_eq(out, u[i].b, u[i].n);
	}
	static const struct {
		int64_t v;
		size_t n;
		uint8_t b[10];
	} s[] = {
		{ -1, 1, { 0x7f } },
		{ 63, 1, { 0x3f } },
		{ 64, 2, { 0xc0, 0 } },
		{ -64, 1, { 0x40 } },
		{ -65, 2, { 0xbf, 0x7f } },
		{ -123456, 3, { 0xc0, 0xbb, 0x78 } },
		{ INT64_MIN, 10, { 128, 128, 128, 128, 128, 128, 128, 128, 128, 0x7f } },
	};
	for (size_t i = 0; i < PV_COUNT_OF(s); i++) {
		struct pv_cursor c = over(s[i].b, s[i].n);
		ck_assert_int_eq(pv_get_sleb(&c), s[i].v);
		uint8_t out[10];
		ck_assert_uint_eq((size_t)(pv_put_sleb(out, s[i].v) - out), s[i].n);
		ck_assert_mem_eq(out, s[i].b, s[i].n);
	}
}
END_TEST

START_TEST(leb_longer_than_ten_bytes_is_malformed)
{
	uint8_t b[12];
	memset(b, 0x80, sizeof b);
	struct pv_cursor c = over(b, sizeof b);
	ck_assert_uint_eq(pv_get_uleb(&c), 0);
	ck_assert(c.malformed && !c.short_read);
	ck_assert_uint_eq(pv_get_u8(&c), 0);
	c = over(b, 9);
	pv_get_sleb(&c);
	ck_assert(c.short_read && !c.malformed);
}
END_TEST

START_TEST(strings_stop_at_their_nul_or_fail)
{
	struct pv_cursor c = over("ab\0c", 4);
	size_t len;
	ck_assert_str_eq(pv_get_cstr(&c, &len), "ab");
	ck_assert_uint_eq(len, 2);
	ck_assert_str_eq(pv_get_cstr(&c, &len), "");
	ck_assert(c.short_read);
}
END_TEST

START_TEST(map_keeps_every_key)
{
	struct pv_map m = { 0 };
	ck_assert_uint_eq(pv_map_get(&m, 7), PV_MAP_NONE);
	for (uint32_t i = 0; i < 10000; i++)
		ck_assert(pv_map_set(&m, (uint64_t)i << 40, i));
	ck_assert(pv_map_set(&m, 0, 77));
	ck_assert_uint_eq(m.n, 10000);
	ck_assert_uint_eq(pv_map_get(&m, 0), 77);
	for (uint32_t i = 1; i < 10000; i++)
		ck_assert_uint_eq(pv_map_get(&m, (uint64_t)i << 40), i);
	ck_assert_uint_eq(pv_map_get(&m, 1), PV_MAP_NONE);
	pv_map_finish(&m);
}
END_TEST

/* Of keys that share slots, whichever go: the others are still found. */
/* Of a key that is there its own value, of another one a place for it. */
START_TEST(a_value_of_a_map_is_found_or_made)
{
	struct pv_map m = { 0 };
	for (uint32_t i = 0; i < 2000; i++) {
		uint32_t *at = pv_map_at(&m, i % 1000);
		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq(*at, i < 1000 ? PV_MAP_NONE : i - 1000);
		*at = i;
	}
	ck_assert_uint_eq(m.n, 1000);
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(pv_map_get(&m, i), i + 1000);
	pv_map_finish(&m);
}
END_TEST

START_TEST(what_is_removed_from_a_map_is_gone)
{
	enum { KEYS = 2000 };
	struct pv_map m = { 0 };
	pv_map_remove(&m, 7);
	for (uint32_t round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < KEYS; i++)
			ck_assert(pv_map_set(&m, i % 3 ? i : (uint64_t)i << 40, i));
		for (uint32_t i = 0; i < KEYS; i++)
			if (pv_hash(i + round) % 2)
				pv_map_remove(&m, i % 3 ? i : (uint64_t)i << 40);
		pv_map_remove(&m, UINT64_MAX);
		size_t n = 0;
		for (uint32_t i = 0; i < KEYS; i++) {
			bool gone = pv_hash(i + round) % 2;
			uint32_t is = pv_map_get(&m, i % 3 ? i : (uint64_t)i << 40);
			ck_assert_uint_eq(is, gone ? PV_MAP_NONE : i);
			n += !gone;
		}
		ck_assert_uint_eq(m.n, n);
	}
	pv_map_finish(&m);
}
END_TEST

START_TEST(a_large_map_can_grow_beforehand)
{
	struct pv_map m = { 0 }, grown;
	uint32_t n = 0;
	for (; n < 2 * PV_MAP_NEAR || !pv_map_is_near(&m); n++) {
		ck_assert(n < 2 * PV_MAP_NEAR || m.mask < 4 * PV_MAP_LARGE);
		ck_assert(m.mask + 1 >= PV_MAP_LARGE || !pv_map_is_near(&m));
		ck_assert(pv_map_set(&m, (uint64_t)n << 20, n));
	}
	size_t mask = m.mask;
	ck_assert(pv_map_grown(&m, &grown));
	ck_assert_uint_eq(grown.mask, 2 * mask + 1);
	ck_assert_uint_eq(grown.n, n);
	ck_assert(!pv_map_is_near(&grown));
	for (uint32_t i = 0; i < n; i++)
		ck_assert_uint_eq(pv_map_get(&grown, (uint64_t)i << 20), i);
	ck_assert_uint_eq(pv_map_get(&grown, (uint64_t)n << 20), PV_MAP_NONE);
	for (size_t i = 0; i < (mask + 1) / 8; i++, n++) /* not yet */
		ck_assert(pv_map_set(&m, (uint64_t)n << 20, n));
	ck_assert_uint_eq(m.mask, mask);
	pv_map_finish(&grown);
	pv_map_finish(&m);
}
END_TEST

START_TEST(interned_text_is_one_and_never_moves)
{
	struct pv_intern in = { 0 };
	uint32_t a, b, again;
	ck_assert(pv_intern_add(&in, "System.String", 13, &a));
	const char *first = pv_intern_text(&in, a);
	for (int i = 0; i < 5000; i++) {
		char text[16];
		int len = snprintf(text, sizeof text, "name%d", i);
		ck_assert(pv_intern_add(&in, text, (size_t)len, &b));
	}
	ck_assert(pv_intern_add(&in, "System.String", 13, &again));
	ck_assert_uint_eq(a, again);
	ck_assert_ptr_eq(first, pv_intern_text(&in, a));
	ck_assert_str_eq(pv_intern_text(&in, b), "name4999");
	ck_assert(pv_intern_add(&in, "", 0, &b));
	ck_assert_uint_eq(b, 0);
	ck_assert_str_eq(pv_intern_text(&in, 1u << 30), "");
	pv_intern_finish(&in);
}
END_TEST

/* Two that differ only in the middle are two, and stay what they are when they come again. */
START_TEST(a_long_text_is_kept_short_and_its_own)
{
	enum { LEN = 1 << 20 };
	struct pv_intern in = { 0 }, other = { 0 };
	uint32_t a, b, again;
	char *text = malloc(LEN);
	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i + 1 < LEN; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	ck_assert(pv_intern_add(&in, text, LEN, &a));
	text[LEN / 2] = '?';
	ck_assert(!pv_intern_is(&in, a, text, LEN));
	ck_assert(pv_intern_add(&in, text, LEN, &b));
	ck_assert(pv_intern_add(&in, text, LEN, &again));
	ck_assert_uint_ne(a, b);
	ck_assert_uint_eq(b, again);
	ck_assert(pv_intern_is(&in, b, text, LEN));
	ck_assert_uint_eq(in.cut, 2);
	const char *kept = pv_intern_text(&in, b);
	ck_assert_uint_le(strlen(kept), PV_INTERN_MOST);
	ck_assert_uint_gt(strlen(kept), PV_INTERN_MOST - 80);
	ck_assert_ptr_nonnull(strstr(kept, "\xc3\xa9…(1048576 bytes, "));
	ck_assert_ptr_nonnull(strstr(kept, ")…\xc3\xa9"));
	ck_assert(pv_intern_add(&in, kept, strlen(kept), &again)); /* as an index gives it */
	ck_assert_uint_eq(b, again);
	ck_assert(pv_intern_add(&other, kept, strlen(kept), &again)); /* as a decoder gives it */
	ck_assert_uint_eq(other.cut, 1);
	pv_intern_finish(&other);
	ck_assert(pv_intern_add(&in, text, PV_INTERN_MOST, &a)); /* that much is kept whole */
	ck_assert_uint_eq(strlen(pv_intern_text(&in, a)), PV_INTERN_MOST);
	ck_assert_uint_eq(in.cut, 2);
	pv_intern_finish(&in);
	free(text);
}
END_TEST

/* Names that were whole stay so, further ones take little. */
START_TEST(very_many_long_texts_are_kept_shorter)
{
	struct pv_intern in = { 0 };
	char text[4000];
	uint32_t first, id, again;
	memset(text, 'x', sizeof text);
	ck_assert(pv_intern_add(&in, text, sizeof text, &first));
	in.arena.bytes += PV_INTERN_MUCH; /* as if it were so */
	ck_assert(pv_intern_add(&in, text, sizeof text, &id));
	ck_assert_uint_eq(first, id);
	text[2000] = 'y';
	ck_assert(pv_intern_add(&in, text, sizeof text, &id));
	ck_assert(pv_intern_add(&in, text, sizeof text, &again));
	ck_assert_uint_ne(first, id);
	ck_assert_uint_eq(again, id);
	ck_assert(pv_intern_is(&in, id, text, sizeof text));
	ck_assert_uint_le(strlen(pv_intern_text(&in, id)), PV_INTERN_LESS);
	ck_assert(pv_intern_add(&in, text, PV_INTERN_LESS, &id));
	ck_assert_uint_eq(strlen(pv_intern_text(&in, id)), PV_INTERN_LESS);
	pv_intern_finish(&in);
}
END_TEST

START_TEST(units_read_like_people_write)
{
	static const struct {
		uint64_t v;
		const char *bytes, *count;
		int64_t ns;
		const char *time;
	} row[] = {
		{ 0, "0 B", "0", 0, "0 ns" },
		{ 999, "999 B", "999", 999, "999 ns" },
		{ 1000, "0.98 KiB", "1 000", 4200, "4.20 us" },
		{ 1536, "1.50 KiB", "1 536", 88000000, "88.0 ms" },
		{ 99999, "97.7 KiB", "99 999", 133000000000, "2 m 13 s" },
		{ 327155712, "312 MiB", "327M", -1500000000, "-1.50 s" },
	};
	char buf[PV_UNIT_MAX];
	for (size_t i = 0; i < PV_COUNT_OF(row); i++) {
		ck_assert_str_eq(pv_units_bytes(buf, sizeof buf, row[i].v), row[i].bytes);
		ck_assert_str_eq(pv_units_count(buf, sizeof buf, row[i].v), row[i].count);
		ck_assert_str_eq(pv_units_ns(buf, sizeof buf, row[i].ns), row[i].time);
	}
	ck_assert_str_eq(pv_units_clock(buf, sizeof buf, 81310000000), "00:01:21.310");
	ck_assert_str_eq(pv_units_percent(buf, sizeof buf, 1, 3), "33.3");
}
END_TEST

/* The steps are of the whole program, words are those of profview.conf. */
START_TEST(bytes_in_decimal_steps)
{
	char b[PV_UNIT_MAX];
	enum pv_byte_units units;
	ck_assert(pv_units_of("decimal", &units));
	pv_units_use(units);
	ck_assert_str_eq(pv_units_bytes(b, sizeof b, 999), "999 B");
	ck_assert_str_eq(pv_units_bytes(b, sizeof b, 1000), "1.00 kB");
	ck_assert_str_eq(pv_units_bytes(b, sizeof b, 312000000), "312 MB");
	ck_assert_str_eq(pv_units_bytes(b, sizeof b, UINT64_MAX), "18.4 EB");
	ck_assert(pv_units_of("binary", &units));
	pv_units_use(units);
	ck_assert_str_eq(pv_units_bytes(b, sizeof b, 1024), "1.00 KiB");
	ck_assert(!pv_units_of("metric", &units));
}
END_TEST

START_TEST(typed_times_and_sizes)
{
	static const struct {
		const char *text;
		bool ok;
		int64_t ns;
	} t[] = {
		{ "1.5s", true, 1500000000 },
		{ "200ms", true, 200000000 },
		{ "00:01:12", true, 72000000000 },
		{ "90", true, 90000000000 },
		{ "-10s", true, -10000000000 },
		{ "", false, 0 },
		{ "s", false, 0 },
		{ "1x", false, 0 },
		{ "nan", false, 0 },
		{ "1e99", false, 0 },
	};
	for (size_t i = 0; i < PV_COUNT_OF(t); i++) {
		int64_t ns = 0;
		bool ok = pv_units_parse_time(t[i].text, strlen(t[i].text), &ns);
		ck_assert_msg(ok == t[i].ok, "%s", t[i].text);
		ck_assert_int_eq(ns, t[i].ns);
	}
	uint64_t bytes;
	ck_assert(pv_units_parse_bytes("64MiB", &bytes) && bytes == 64 << 20);
	ck_assert(pv_units_parse_bytes("1g", &bytes) && bytes == 1 << 30);
	ck_assert(!pv_units_parse_bytes("1q", &bytes));
	ck_assert(pv_units_parse_bytes("4096", &bytes) && bytes == 4096);
	ck_assert(!pv_units_parse_bytes("-1", &bytes));
}
END_TEST

START_TEST(utf8_never_fails)
{
	size_t len;
	const char *e = "\xe2\x82\xac";
	ck_assert_uint_eq(pv_utf8_next(e, e + 3, &len), 0x20ac);
	ck_assert_uint_eq(len, 3);
	ck_assert_uint_eq(pv_utf8_next(e, e + 2, &len), PV_UTF8_BAD);
	ck_assert_uint_eq(len, 2);
	const char *bad = "\xc0\xaf";
	ck_assert_uint_eq(pv_utf8_next(bad, bad + 2, &len), PV_UTF8_BAD);
	ck_assert_uint_eq(len, 1);
	ck_assert_int_eq(pv_showable_cells("a\xe4\xb8\xad\xcc\x81"), 3);
	char buf[4];
	ck_assert_uint_eq(pv_utf8_put(buf, 0x1f600), 4);
	ck_assert_uint_eq(pv_utf8_next(buf, buf + 4, &len), 0x1f600);
}
END_TEST

START_TEST(a_sampled_allocation_stands_for_many)
{
	ck_assert_uint_eq(pv_alloc_period("profview:mono,gc,alloc=512k,output=x"), 512 << 10);
	ck_assert_uint_eq(pv_alloc_period("profview:mono,alloc"), 0);
	ck_assert_uint_eq(pv_alloc_period("log:nodefaults,alloc"), 0);
	ck_assert_uint_eq(pv_bytes_of("3m", 2), 3 << 20);
	ck_assert_uint_eq(pv_bytes_of("3x", 2), 0);
	ck_assert_uint_eq(pv_bytes_of("", 0), 0);
	/* 1 - exp(-1/4): 4.5208 objects a sample; rounding keeps the sum. */
	double carry = 0;
	uint64_t count = 0, bytes = 0;
	for (int i = 0; i < 10000; i++) {
		struct pv_estimate e = pv_estimate_alloc(1024, 4096, &carry);
		count += e.count;
		bytes += e.bytes;
	}
	ck_assert_uint_eq(count, 45208);
	ck_assert_uint_eq(bytes, 46290000);
	struct pv_estimate all = pv_estimate_alloc(24, 0, &carry);
	ck_assert_uint_eq(all.count, 1);
	ck_assert_uint_eq(all.bytes, 24);
	ck_assert(all.variance == 0);
}
END_TEST

START_TEST(tables_grow_with_what_is_in_them)
{
	size_t size = 1000 * sizeof(uint64_t), n = 0;
	uint64_t *v = NULL;
	for (size_t was = 0; size < (size_t)20 << 20; was = size, size *= 3) {
		v = pv_table_grow(v, was, size);
		ck_assert_ptr_nonnull(v);
		size_t wrong = 0;
		for (size_t i = 0; i < n; i++)
			wrong += v[i] != i + 1;
		for (; n < size / sizeof *v; n++) {
			wrong += v[n] != 0;
			v[n] = n + 1;
		}
		ck_assert_uint_eq(wrong, 0);
	}
	pv_table_free(v, n * sizeof *v);
}
END_TEST

START_TEST(arrays_that_become_tables_keep_what_is_in_them)
{
	struct odd {
		uint64_t number;
		char rest[80];
	}; /* 88 bytes: no page is full of them */
	PV_ARRAY(struct odd) a = { 0 };
	size_t wrong = 0, moved = 0;
	for (size_t i = 0; i < 200000; i++) {
		const struct odd *was = a.v;
		ck_assert(pv_table_reserve(&a, 1));
		ck_assert_uint_gt(a.room, a.n);
		moved += a.v != was;
		if (a.v != was)
			memset(&a.v[a.n], 0xff, (a.room - a.n) * sizeof *a.v); /* all is there */
		a.v[a.n++].number = i;
	}
	for (size_t i = 0; i < a.n; i++)
		wrong += a.v[i].number != i;
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_lt(moved, 64);
	ck_assert(!pv_table_reserve(&a, SIZE_MAX / 2));
	ck_assert(!pv_table_reserve(&a, SIZE_MAX / sizeof *a.v - a.n));
	ck_assert_uint_eq(a.v[a.n - 1].number, 199999);
	pv_table_finish(&a);
	ck_assert_ptr_null(a.v);
	ck_assert(pv_table_reserve(&a, 100000)); /* at once */
	memset(a.v, 1, a.room * sizeof *a.v);
	pv_table_finish(&a);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("base");
	TCase *c = tcase_create("all");
	tcase_add_test(c, fixed_width_is_little_endian);
	tcase_add_test(c, leb_vectors);
	tcase_add_test(c, leb_longer_than_ten_bytes_is_malformed);
	tcase_add_test(c, strings_stop_at_their_nul_or_fail);
	tcase_add_test(c, map_keeps_every_key);
	tcase_add_test(c, a_value_of_a_map_is_found_or_made);
	tcase_add_test(c, what_is_removed_from_a_map_is_gone);
	tcase_add_test(c, a_large_map_can_grow_beforehand);
	tcase_add_test(c, interned_text_is_one_and_never_moves);
	tcase_add_test(c, a_long_text_is_kept_short_and_its_own);
	tcase_add_test(c, very_many_long_texts_are_kept_shorter);
	tcase_add_test(c, units_read_like_people_write);
	tcase_add_test(c, bytes_in_decimal_steps);
	tcase_add_test(c, typed_times_and_sizes);
	tcase_add_test(c, utf8_never_fails);
	tcase_add_test(c, a_sampled_allocation_stands_for_many);
	tcase_add_test(c, tables_grow_with_what_is_in_them);
	tcase_add_test(c, arrays_that_become_tables_keep_what_is_in_them);
	suite_add_tcase(s, c);
	return run_suite(s);
}
