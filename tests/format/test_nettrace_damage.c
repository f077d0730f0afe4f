/* SPDX-License-Identifier: MIT */
/*
 * Damage in .nettrace takes time in the order of its bytes: objects of version 4 whose ends are
 * wrong, one in the other, in few and in small pieces. A reader that searches what is left for each
 * of them takes minutes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/nt_kit.h"
#include "tests/kit/suite.h"

enum { BYTES = 4 << 20, SLACK = 1 << 10, TRACE = 48, OBJECT_END = 6, NO_END = 7 };

struct bytes {
	uint8_t *v;
	size_t n;
};

static void put(struct bytes *b, const void *from, size_t n)
{
	memcpy(b->v + b->n, from, n);
	b->n += n;
}

static void put_u32(struct bytes *b, uint32_t v)
{
	put(b, &v, sizeof v);
}

static void put_type(struct bytes *b, const char *name)
{
	put(b, "\5\5\1", 3);
	put_u32(b, 4); /* version */
	put_u32(b, 4); /* least version that a reader knows */
	put_u32(b, (uint32_t)strlen(name));
	put(b, name, strlen(name));
	put(b, "\6", 1);
}

/* The head of a block of `n` bytes, to a multiple of four. */
static void put_block(struct bytes *b, const char *name, uint32_t n)
{
	put_type(b, name);
	put_u32(b, n);
	while (b->n % 4)
		b->v[b->n++] = 0;
}

static void put_trace(struct bytes *b)
{
	uint64_t clock[2] = { 1000000000, 1000000000 }; /* ticks at the start, and in a second */
	uint16_t date[8] = { 2026, 1, 1, 1 };
	put_type(b, "Trace");
	size_t at = b->n;
	put(b, date, sizeof date);
	put(b, clock, sizeof clock);
	put_u32(b, 8); /* bytes of a pointer */
	put_u32(b, 4242);
	put_u32(b, 4);
	put_u32(b, 1000000);
	ck_assert_uint_eq(b->n - at, TRACE);
	put(b, "\6", 1);
}

/* A stream with a large block whose end is wrong, full of small ones whose ends are. */
static struct bytes damaged(void)
{
	struct bytes b = { calloc(1, BYTES + SLACK), 0 };
	static const uint8_t no_end = NO_END;
	ck_assert_ptr_nonnull(b.v);
	put(&b, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put_trace(&b);
	put_block(&b, "EventBlock", BYTES - 256);
	while (b.n < BYTES) {
		put_block(&b, "SPBlock", 0);
		put(&b, &no_end, 1);
	}
	return b;
}

START_TEST(damage_takes_time_by_its_size)
{
	struct bytes b = damaged();
	struct nt_read r = nt_kit_read(b.v, b.n, 64 << 10);
	ck_assert_int_eq(r.failed, PV_OK);
	ck_assert_uint_gt(r.damages, BYTES / 40);
	ck_assert_uint_eq(r.pid, 4242);
	free(r.text);
	free(b.v);
}
END_TEST

/* A stream after the damage is found in pieces of all sizes. */
START_TEST(a_stream_after_damage_is_found)
{
	struct bytes b = { calloc(1, SLACK), 0 };
	ck_assert_ptr_nonnull(b.v);
	put(&b, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put_trace(&b);
	for (int i = 0; i < 3; i++) {
		put(&b, "Nettrace, but none", 18);
		put_block(&b, "SPBlock", 0);
		b.v[b.n++] = NO_END;
	}
	size_t at = b.n;
	put(&b, "Nettrace\x14\0\0\0!FastSerialization.1", 32);
	put_trace(&b);
	put(&b, "\1", 1); /* the end */
	for (size_t step = 1; step <= b.n; step++) {
		struct nt_read r = nt_kit_read(b.v, b.n, step);
		ck_assert_int_eq(r.failed, PV_OK);
		ck_assert_uint_eq(r.damage_offset + r.damage_bytes, at);
		ck_assert(r.over);
		free(r.text);
	}
	free(b.v);
}
END_TEST

/* Small pieces come while much waits: bytes are moved a few times at most. */
START_TEST(bytes_that_wait_are_moved_seldom)
{
	struct pv_stream s = { 0 };
	struct pv_stream_window *w = &s.in;
	ck_assert(pv_stream_start(&s, &pv_reader_nettrace));
	const size_t waiting = 8 << 20, piece = 4096;
	size_t moved = 0, received = 0, room;
	while (received < 4 * waiting) {
		size_t start = w->start, left = w->filled - w->start;
		ck_assert_ptr_nonnull(pv_stream_room(&s, &room));
		ck_assert_uint_ge(room, piece);
		ck_assert_uint_le(w->room, 4 * waiting);
		moved += w->start < start ? left : 0;
		pv_stream_filled(&s, piece);
		received += piece;
		if (w->filled - w->start > waiting)
			w->start += piece;
	}
	ck_assert_uint_le(moved, 4 * received);
	pv_stream_finish(&s);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("nettrace_damage");
	TCase *t = tcase_create("all");
	suite_add_tcase(s, t);
	tcase_add_test(t, damage_takes_time_by_its_size);
	tcase_add_test(t, a_stream_after_damage_is_found);
	tcase_add_test(t, bytes_that_wait_are_moved_seldom);
	return run_suite(s);
}
