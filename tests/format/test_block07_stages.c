/* SPDX-License-Identifier: MIT */
/* Whole logs of the draft and of stages A to D, with everything in them; cuts, pieces, flips. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kit/b07_kit.h"
#include "tests/kit/suite.h"

static const char stages[] = { 'x', 'A', 'B', 'C', 'D' };
static const char *const names[] = { "draft", "A", "B", "C", "D" };

static struct b07_kit kit;

static void make(int i, uint64_t rate)
{
	b07_kit_init(&kit, stages[i], rate);
	b07_kit_log(&kit);
}

/* All lines of all stages; the letters in front say which stages have one. */
static const char *const expected[] = {
	"xABCD 111 71 domain.load . of 0 'App.exe' took 10",
	"xABCD 113 71 image.load . of 0 'corlib.dll' took 10",
	"xABCD 114 71 image.load . of 0 'missing.dll' took 10 failed",
	"xABC 112 71 assembly.load 2 of 0 'corlib, Version=2.0.5.0' took 10",
	"D 112 71 assembly.load 2 of 0 'corlib, Version=2.0.5.0' took 10",
	"xABC 200 71 class.name 28 of 0 'App.Main'",
	"D 200 71 class.name 28 of 2 'App.Main'",
	"xABCD 200 71 method.name 1 of 28 'App.Main:Run (int)'",
	"xABCD 200 71 method.name 21 of 28 'App.Main:Leaf ()'",
	"xABCD 301 71 thread.start 71 of 0 ''",
	"xABCD 306 71 method.jit 1 took 4",
	"xABCD 309 71 method.jit_fail 33 took 2",
	"xABC 313 71 class.load 28 of 0 'App.Main' took 3",
	"D 313 71 class.load 28 of 2 'App.Main' took 3",
	"xABCD 314 71 method.enter 1",
	"xAB 314 71 alloc 40 0 24 stack=[]", /* calls are recorded: they say more than a caller */
	"CD 314 71 alloc 40 1000 24 stack=[1]",
	"CD 324 71 alloc 1 1020 32 stack=[1 21]",
	"xABCD 345 71 method.leave 33",
	"xABCD 325 71 exception.throw 40 stack=[]", /* no section is part of it */
	"D 346 71 monitor.contention 40 1000 stack=[]",
	"D 396 71 monitor.done 40 1000 stack=[]",
	"A 346 71 gc.event 0 gen 1 nr 0",
	"A 351 71 gc.event 5 gen 1 nr 0",
	"BC 346 71 gc.event 6 gen 1 nr 7",
	"BC 348 71 gc.event 0 gen 1 nr 7",
	"D 399 71 gc.event 0 gen 1 nr 7",
	"D 406 71 gc.event 9 gen 1 nr 7",
	"x 353 71 gc.resize 1048576 nr 0",
	"D 403 71 gc.resize 1048576 nr 7",
	"x 347 71 sample.hit 7f00 ips=[7f00] frames=[]",
	"B 355 71 alloc 1 0 48 stack=[]",
	"C 355 71 alloc 1 1040 48 stack=[1 800000000000021]",
	"D 406 71 alloc 1 1040 48 stack=[1 800000000000021]",
	"CD 71 method.name 800000000000021 of 0 'App.Main:Leaf () (being compiled)'",
	"D 415 71 thread.end 71 of 0 ''",
	"D 414 71 class.unload 28 of 2 'App.Main' took 1",
	"ABCD sample.binary 7f0000 1000 40 'libc.so.6'",
	"ABCD sample.hit 0 ips=[] frames=[21]",
	"ABCD sample.hit 7f0123 ips=[] frames=[2000000000000002]",
	"ABCD sample.hit 55550000 ips=[55550000] frames=[]",
	"BCD method.name 4000000000000005 of 2000000000000002 'memcpy'",
	"BCD sample.hit 0 ips=[] frames=[4000000000000005 21 1]",
	"BCD sample.hit 0 ips=[] frames=[4000000000000005]",
	"ABCD 1200 0 heap.dead 0 40 24",
	"A 1200 0 heap.object 1000 0 0 unsized refs=[0 1020 0 1040]",
	"BCD 1200 0 heap.object 1000 40 24 refs=[0 1020 0 1040]",
	"BCD 1200 0 heap.start 7",
	"BCD 1210 0 heap.end 0",
	"BCD 1300 0 heap.summary 1: 3 96 2 64",
	"BCD 1300 0 heap.summary 40: 1 24 0 0",
	"xABCD 113 71 image.unload . of 0 'corlib.dll' took 10",
};

/* Whether a line of `text` ends like `want`, in which " . " stands for any one word. */
static bool has_line(const char *text, const char *want)
{
	const char *dot = strstr(want, " . ");
	size_t before = dot ? (size_t)(dot - want) + 1 : 0, len = strlen(want);
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "\n");
		if (!dot && n >= len && memcmp(at + n - len, want, len) == 0)
			return true;
		const char *word = at + before;
		if (dot && n > before && memcmp(at, want, before) == 0) {
			word += strcspn(word, " ");
			if (strncmp(word, dot + 2, strlen(dot + 2)) == 0)
				return true;
		}
		at += n + (at[n] == '\n');
	}
	return false;
}

static void check_facts(int i, uint64_t rate)
{
	make(i, rate);
	struct b07_read r = b07_kit_read(kit.bytes, kit.n, kit.n, true);
	ck_assert(!r.failed);
	ck_assert_msg(r.damages + r.damaged_batches == 0, "%s", r.reason);
	ck_assert_str_eq(r.header.stage, names[i]);
	for (size_t k = 0; k < PV_COUNT_OF(expected); k++) {
		size_t letters = strcspn(expected[k], " ");
		if (memchr(expected[k], stages[i], letters))
			ck_assert_msg(has_line(r.text, expected[k] + letters + 1),
				"stage %s lacks \"%s\" in\n%s", names[i], expected[k], r.text);
	}
	free(r.text);
}

START_TEST(facts)
{
	check_facts(_i, 1);
}
END_TEST

/* A time-stamp counter instead of microseconds: the same times come out of it. */
START_TEST(facts_by_fast_counter)
{
	check_facts(_i, 2400);
}
END_TEST

START_TEST(any_pieces)
{
	make(_i, 3);
	struct b07_read whole = b07_kit_read(kit.bytes, kit.n, kit.n, true);
	for (size_t step = 1; step < 40; step++) {
		struct b07_read r = b07_kit_read(kit.bytes, kit.n, step, true);
		ck_assert_str_eq(r.text, whole.text);
		ck_assert_str_eq(r.header.stage, whole.header.stage);
		ck_assert_uint_eq(r.damages + r.damaged_batches, 0);
		free(r.text);
	}
	free(whole.text);
}
END_TEST

/* A hit at the very end may lack the callers that were cut off, so the last line is left out. */
static bool begins_with(const char *whole, const char *part)
{
	size_t n = strlen(part);
	n -= n > 0;
	while (n > 0 && part[n - 1] != '\n')
		n--;
	return strncmp(whole, part, n) == 0;
}

START_TEST(every_cut)
{
	make(_i, 1);
	struct b07_read whole = b07_kit_read(kit.bytes, kit.n, kit.n, false);
	size_t at_end = 0;
	for (size_t n = kit.blocks[1]; n <= kit.n; n++) {
		struct b07_read r = b07_kit_read(kit.bytes, n, kit.n, false);
		bool clean = false;
		for (size_t k = 0; k <= kit.n_blocks; k++)
			clean |= kit.blocks[k] == n;
		ck_assert(!r.failed);
		ck_assert_msg(begins_with(whole.text, r.text), "cut at %zu:\n%s", n, r.text);
		ck_assert_msg((r.damages + r.damaged_batches == 0) == clean,
			"cut at %zu of %zu: %s", n, kit.n, r.reason);
		ck_assert_uint_ge(r.events, at_end);
		at_end = r.events;
		free(r.text);
	}
	ck_assert_uint_eq(at_end, whole.events);
	free(whole.text);
}
END_TEST

/* Nothing crashes, ends after its time or grows beyond what the bytes can hold. */
START_TEST(every_flip)
{
	static uint8_t bytes[sizeof kit.bytes];
	make(_i, 1);
	memcpy(bytes, kit.bytes, kit.n);
	for (size_t at = 0; at < kit.n; at++)
		for (unsigned bit = 0; bit < 8; bit++) {
			bytes[at] ^= (uint8_t)(1u << bit);
			struct b07_read r = b07_kit_read(bytes, kit.n, kit.n, true);
			ck_assert_uint_le(r.events, kit.n);
			free(r.text);
			bytes[at] ^= (uint8_t)(1u << bit);
		}
}
END_TEST

/* A damaged block costs itself; every event of every other block is still there. */
START_TEST(one_block_lost)
{
	make(_i, 1);
	struct b07_read whole = b07_kit_read(kit.bytes, kit.n, kit.n, false);
	size_t events = 0;
	for (size_t k = 0; k + 1 < kit.n_blocks; k++)
		if (kit.bytes[kit.blocks[k]] == 6)
			events = k;
	size_t from = kit.blocks[events], to = kit.blocks[events + 1];
	memset(kit.bytes + from, 0xee, to - from);
	struct b07_read r = b07_kit_read(kit.bytes, kit.n, kit.n, false);
	ck_assert_uint_eq(r.damages, 1);
	ck_assert_uint_eq(r.damage_offset, from);
	ck_assert_uint_eq(r.damage_bytes, to - from);
	ck_assert(strstr(r.text, "method.enter") == NULL);
	ck_assert(has_line(r.text, "heap.end 0") && has_line(r.text, "'memcpy'") == (_i > 1));
	ck_assert(has_line(r.text, "'App.Main:Leaf ()'"));
	free(whole.text);
	free(r.text);
}
END_TEST

/* Without enters the caller is the stack that there is. */
START_TEST(callers)
{
	b07_kit_init(&kit, 'B', 1);
	b07_kit_intro(&kit, 0);
	b07_kit_directives(&kit, 1);
	b07_kit_begin(&kit, 6);
	b07_kit_clock(&kit, 50);
	B07_VARS(&kit, 0x71, 10);
	b07_kit_byte(&kit, 4 | 3 << 3);
	B07_VARS(&kit, 0, 16, 9);
	b07_kit_byte(&kit, 0);
	b07_kit_clock(&kit, 51);
	b07_kit_end(&kit);
	struct b07_read r = b07_kit_read(kit.bytes, kit.n, kit.n, false);
	ck_assert(has_line(r.text, "alloc 3 0 16 stack=[9]"));
	free(r.text);
	b07_kit_init(&kit, 'B', 1);
}
END_TEST

/* More events than a batch holds, and an object with more references than an event. */
START_TEST(large_blocks)
{
	enum { CALLS = 9000 };
	b07_kit_init(&kit, 'B', 1);
	b07_kit_intro(&kit, 1 << 12);
	b07_kit_begin(&kit, 6);
	b07_kit_clock(&kit, 50000);
	B07_VARS(&kit, 0x71, 10);
	for (unsigned i = 0; i < CALLS; i++) {
		b07_kit_byte(&kit, (i % 2 ? 3 : 1) | 1 << 3);
		B07_VARS(&kit, 0, 1);
	}
	b07_kit_byte(&kit, 0);
	b07_kit_clock(&kit, 50001);
	b07_kit_end(&kit);
	b07_kit_begin(&kit, 8);
	b07_kit_clock(&kit, 50002);
	b07_kit_clock(&kit, 50003);
	b07_kit_var(&kit, 1);
	b07_kit_clock(&kit, 50004);
	B07_VARS(&kit, 0x21, 2, 400000, 20000);
	for (unsigned i = 0; i < 20000; i++)
		b07_kit_var(&kit, 8);
	b07_kit_var(&kit, 0);
	b07_kit_clock(&kit, 50005);
	b07_kit_end(&kit);
	struct b07_read r = b07_kit_read(kit.bytes, kit.n, 4096, true);
	ck_assert_uint_eq(r.events, CALLS + 4);
	ck_assert_uint_ge(r.batches, 3);
	ck_assert_uint_eq(r.damages + r.damaged_batches, 0);
	ck_assert(has_line(r.text, "9010 71 method.leave 1"));
	ck_assert(strstr(r.text, "heap.object 20 2 400000 refs=[") &&
		  strstr(r.text, "heap.object 20 2 0 refs=["));
	free(r.text);
}
END_TEST

enum { DEEP = 300, ALLOCATIONS = 8600 };

/* One stack, and at the end another frame on top of it. */
static void write_deep(void)
{
	b07_kit_init(&kit, 'C', 1);
	b07_kit_intro(&kit, 1 << 7);
	b07_kit_directives(&kit, 2);
	b07_kit_begin(&kit, 6);
	b07_kit_clock(&kit, 900);
	b07_kit_var(&kit, 0x71);
	b07_kit_at(&kit, 300);
	b07_kit_byte(&kit, 0x4f);
	B07_VARS(&kit, 0, DEEP);
	for (uint64_t i = DEEP; i > 0; i--)
		b07_kit_var(&kit, i << 1);
	for (unsigned i = 0; i < ALLOCATIONS; i++) {
		if (i + 1 == ALLOCATIONS) {
			b07_kit_byte(&kit, 0x4f);
			B07_VARS(&kit, DEEP - 1, 1, 1000 << 1);
		}
		b07_kit_packed(&kit, 4, 1, 24);
		B07_VARS(&kit, 1, 8);
	}
	b07_kit_byte(&kit, 0);
	b07_kit_clock(&kit, 902);
	b07_kit_end(&kit);
}

static void check_deep(const struct pv_batch *b, bool last)
{
	uint64_t key[DEEP];
	for (size_t i = 0; i < b->allocs.n; i++) {
		struct pv_span stack = b->allocs.v[i].stack;
		bool other = last && i + 1 == b->allocs.n;
		ck_assert_uint_eq(stack.n, DEEP);
		pv_batch_stack(b, stack, key);
		for (size_t k = 0; k < DEEP; k++)
			ck_assert_uint_eq(key[k], other && k + 1 == DEEP ? 1000 : k + 1);
	}
	ck_assert_uint_eq(b->frames.n, b->allocs.n ? DEEP + last : 0);
}

/* However many allocations have it, each frame stands once in a batch, and again in the next. */
START_TEST(deep_stacks)
{
	struct pv_stream s = { 0 };
	size_t room, seen = 0, batches = 0;
	enum pv_piece p;
	write_deep();
	ck_assert(pv_stream_start(&s, &pv_reader_block07));
	uint8_t *to = pv_stream_room(&s, &room);
	ck_assert(to && room >= kit.n);
	memcpy(to, kit.bytes, kit.n);
	pv_stream_filled(&s, kit.n);
	pv_stream_end(&s);
	while ((p = pv_stream_next(&s)) != PV_PIECE_MORE) {
		ck_assert(p == PV_PIECE_HEADER || p == PV_PIECE_BATCH);
		seen += p == PV_PIECE_BATCH ? s.batch.allocs.n : 0;
		if (p == PV_PIECE_BATCH)
			check_deep(&s.batch, seen == ALLOCATIONS);
		batches += p == PV_PIECE_BATCH && s.batch.allocs.n > 0;
	}
	ck_assert_uint_eq(seen, ALLOCATIONS);
	ck_assert_uint_eq(batches, 2);
	pv_stream_finish(&s);
}
END_TEST

enum { DRIBBLE = 600000, ITEM = 3, BLOCK = 7 };

/*
 * A log of the draft is read byte by byte; where `left_of_kit` bytes are left of it, these `item_n`
 * are put in again and again.
 */
static struct b07_read dribble(const uint8_t *item, size_t item_n, size_t left_of_kit)
{
	struct b07_read r;
	uint8_t *bytes = malloc(kit.n + DRIBBLE + kit.n);
	ck_assert_ptr_nonnull(bytes);
	size_t head = kit.n - left_of_kit, n = head;
	memcpy(bytes, kit.bytes, head);
	for (; n + item_n <= head + DRIBBLE; n += item_n)
		memcpy(bytes + n, item, item_n);
	memcpy(bytes + n, kit.bytes + head, left_of_kit);
	r = b07_kit_read(bytes, n + left_of_kit, 1, false);
	free(bytes);
	return r;
}

/* Nothing is looked through again for each byte that comes: this would take minutes. */
START_TEST(a_large_block_of_the_draft_comes_byte_by_byte)
{
	static const uint8_t enter[ITEM] = { 0x20, 0x81, 0x80 };
	b07_kit_init(&kit, 'x', 1);
	b07_kit_intro(&kit, 0);
	b07_kit_begin(&kit, 6);
	b07_kit_at(&kit, 50000);
	b07_kit_var(&kit, 0x71);
	b07_kit_at(&kit, 50000);
	size_t head = kit.n;
	b07_kit_byte(&kit, 0);
	b07_kit_at(&kit, 50001);
	b07_kit_end(&kit);
	b07_kit_begin(&kit, 8);
	b07_kit_var(&kit, 1);
	b07_kit_clock(&kit, 50002);
	b07_kit_end(&kit);
	struct b07_read r = dribble(enter, ITEM, kit.n - head);
	ck_assert_uint_eq(r.events, DRIBBLE / ITEM);
	ck_assert_uint_eq(r.damages + r.damaged_batches, 0);
	free(r.text);
}
END_TEST

START_TEST(a_long_text_of_the_draft_comes_byte_by_byte)
{
	b07_kit_init(&kit, 'x', 1);
	b07_kit_intro(&kit, 0);
	b07_kit_begin(&kit, 3);
	b07_kit_byte(&kit, 1);
	b07_kit_at(&kit, 5);
	b07_kit_at(&kit, 6);
	b07_kit_var(&kit, 0x71);
	size_t head = kit.n;
	b07_kit_text(&kit, "");
	b07_kit_end(&kit);
	struct b07_read r = dribble((const uint8_t *)"dll", ITEM, kit.n - head);
	ck_assert_uint_eq(r.events, 1);
	ck_assert_uint_eq(r.damages + r.damaged_batches, 0);
	free(r.text);
}
END_TEST

/* None of them has a clock, so that the next one is looked for. */
START_TEST(small_blocks_of_the_draft_come_byte_by_byte)
{
	static const uint8_t mapping[BLOCK] = { 5, 0, 0x80, 0xf1, 0x80, 0x80, 0x80 };
	b07_kit_init(&kit, 'x', 1);
	b07_kit_intro(&kit, 0);
	size_t head = kit.n;
	b07_kit_begin(&kit, 8);
	b07_kit_var(&kit, 1);
	b07_kit_clock(&kit, 50002);
	b07_kit_end(&kit);
	struct b07_read r = dribble(mapping, BLOCK, kit.n - head);
	ck_assert_uint_ge(r.batches, DRIBBLE / BLOCK);
	ck_assert_uint_eq(r.damages + r.damaged_batches, 0);
	free(r.text);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("block07 stages");
	TCase *t = tcase_create("stages");
	const int n = PV_COUNT_OF(stages);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, facts, 0, n);
	tcase_add_loop_test(t, facts_by_fast_counter, 0, n);
	tcase_add_loop_test(t, any_pieces, 0, n);
	tcase_add_loop_test(t, every_cut, 0, n);
	tcase_add_loop_test(t, every_flip, 0, n);
	tcase_add_loop_test(t, one_block_lost, 1, n);
	tcase_add_test(t, callers);
	tcase_add_test(t, large_blocks);
	tcase_add_test(t, deep_stacks);
	tcase_add_test(t, a_large_block_of_the_draft_comes_byte_by_byte);
	tcase_add_test(t, a_long_text_of_the_draft_comes_byte_by_byte);
	tcase_add_test(t, small_blocks_of_the_draft_come_byte_by_byte);
	suite_add_tcase(s, t);
	return run_suite(s);
}
