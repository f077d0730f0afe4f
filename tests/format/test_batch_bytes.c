/* SPDX-License-Identifier: MIT */
/* Payloads that a batch borrows: it decodes the same, and what it says outlives the block. */
#include <sys/mman.h>

#include "common/format/batch_event.h"
#include "common/format/mlpd/batch_fit.h"
#include "common/calls/mlpd_summary.h"
#include "tests/kit/event_text.h"
#include "tests/kit/suite.h"
#include "tests/kit/wire.h"
#include "tests/kit/wire_rows.h"

enum { OFF = 100, AFTER = 0x31, TEXT = 4096 };

/* A buffer with every row of a version, counters among them, in a block with more around it. */
static struct pv_block *make_block(struct wire *w, unsigned version)
{
	struct pv_batch pools = { 0 };
	wire_init(w);
	w->format.data_version = (uint8_t)version;
	w->format.header_major = version >= 16 ? 3 : version >= 14 ? 2 : version == 13;
	wire_header(w, 7, 1000);
	wire_buffer(w, 1);
	for (size_t i = 0; i < 2 * mlpd_row_count; i++) {
		const struct mlpd_row *row = &mlpd_rows[i % mlpd_row_count];
		if (!wire_row_is_written(row, &w->format))
			continue;
		struct pv_event e = wire_row_event(row, &w->format, (unsigned)i, &pools);
		wire_event(w, &e, &pools);
	}
	pv_batch_finish(&pools);
	struct pv_block *block = pv_block_create(w->events.n + 2 * OFF);
	ck_assert_ptr_nonnull(block);
	memset(block->v, AFTER, block->room);
	memcpy(block->v + OFF, w->events.v, w->events.n);
	return block;
}

static void decode(struct pv_batch *b, const struct wire *w)
{
	struct mlpd_bases bases;
	size_t used;
	b->bytes_len = b->bytes.n;
	mlpd_bases_init(&bases, &w->head);
	ck_assert(mlpd_decode_batch(b, &bases, &w->format, false, &used));
	ck_assert(!b->damaged);
	ck_assert_uint_eq(used, w->events.n);
	ck_assert_uint_gt(b->other_events.n, 0);
}

/* The rare events as text, one after the other; to be freed. */
static char *reported(const struct pv_batch *b, unsigned version)
{
	char *all = calloc(b->n + 1, TEXT), *to = all;
	for (size_t i = 0; i < b->n; i++) {
		struct pv_event e;
		if (!pv_batch_event(b, i))
			continue;
		pv_batch_copy_event(b, i, &e);
		event_text(to, TEXT, &e, b, (uint8_t)version);
		to += strlen(to);
	}
	return all;
}

static void expect_reported(const struct pv_batch *b, unsigned version, const char *expect)
{
	char *now = reported(b, version);
	ck_assert_str_eq(now, expect);
	free(now);
}

/* Only those who hold the block's memory may look at it. */
static void damage(struct pv_block *block)
{
	ck_assert_uint_eq(block->holders, 1);
	memset(block->v, 0xee, block->room);
	pv_block_drop(block);
}

START_TEST(a_copy_has_all_its_texts)
{
	struct wire w;
	struct pv_batch b = { 0 };
	struct pv_block *block = make_block(&w, (unsigned)_i);
	pv_batch_borrow(&b, block, block->v + OFF, w.events.n);
	ck_assert_uint_eq(block->holders, 2);
	decode(&b, &w);
	ck_assert(b.bytes.v == block->v + OFF);
	ck_assert_mem_eq(b.bytes.v, w.events.v, w.events.n);
	ck_assert_uint_eq(b.bytes.v[w.events.n], AFTER);
	ck_assert_uint_eq(b.bytes.v[-1], AFTER);
	char *expect = reported(&b, (unsigned)_i);
	ck_assert(pv_batch_own(&b));
	damage(block);
	expect_reported(&b, (unsigned)_i, expect);
	ck_assert_uint_eq(b.bytes.n, w.events.n);
	ck_assert(pv_batch_own(&b));
	pv_batch_again(&b);
	decode(&b, &w);
	expect_reported(&b, (unsigned)_i, expect);
	free(expect);
	pv_batch_finish(&b);
	wire_finish(&w);
}
END_TEST

START_TEST(a_batch_that_is_kept_holds_no_block)
{
	struct wire w;
	struct pv_batch b = { 0 }, kept = { 0 };
	struct pv_block *block = make_block(&w, 17);
	ck_assert(pv_reserve(&b.pool, 20000)); /* one that uses less than half is packed */
	pv_batch_borrow(&b, block, block->v + OFF, w.events.n);
	decode(&b, &w);
	char *expect = reported(&b, 17);
	/* Mostly unused, as after larger buffers: else it is handed over as it is. */
	ck_assert(pv_reserve(&b.other_events, 4 * b.other_events.n));
	ck_assert(pv_batch_keep(&b, &kept));
	ck_assert_ptr_null(kept.block);
	pv_batch_reset(&b);
	damage(block);
	ck_assert_ptr_nonnull(kept.pack);
	pv_batch_trim(&kept, 0); /* a payload in one piece stays */
	expect_reported(&kept, 17, expect);
	free(expect);
	pv_batch_finish(&kept);
	pv_batch_finish(&b);
	wire_finish(&w);
}
END_TEST

START_TEST(what_is_large_goes)
{
	struct pv_batch b = { 0 };
	ck_assert(pv_batch_reserve(&b, 1000));
	ck_assert(pv_reserve(&b.allocs, 4) && pv_reserve(&b.pool, 5000));
	ck_assert(pv_reserve(&b.other_events, 9) && pv_reserve(&b.summary.number, 5000));
	const void *allocs = b.allocs.v, *rare = b.other_events.v;
	b.n = 1000;
	b.allocs.n = b.other_events.n = 3;
	b.pool.n = b.summary.number.n = 5000;
	size_t all = pv_batch_bytes(&b);
	pv_batch_trim(&b, 1 << 20);
	ck_assert_uint_eq(pv_batch_bytes(&b), all);
	pv_batch_trim(&b, 4096);
	ck_assert(b.allocs.v == allocs && b.allocs.n == 3 && b.other_events.v == rare &&
		  b.other_events.n == 3);
	ck_assert(!b.time && !b.kind && !b.key && !b.pool.v && !b.summary.number.v);
	ck_assert_uint_eq(b.n + b.room + b.pool.n + b.pool.room + b.summary.number.n, 0);
	ck_assert(pv_batch_reserve(&b, 10) && pv_reserve(&b.pool, 1));
	b.time[9] = b.key[9] = b.kind[9] = 1;
	b.pool.v[0] = 1;
	pv_batch_finish(&b);
}
END_TEST

START_TEST(its_own_memory_comes_back)
{
	struct pv_batch b = { 0 };
	struct pv_block *block = pv_block_create(64);
	ck_assert(pv_reserve(&b.bytes, 1000));
	const uint8_t *own = b.bytes.v;
	size_t room = b.bytes.room;
	b.bytes.n = 500;
	for (unsigned i = 0; i < 3; i++) {
		pv_batch_borrow(&b, block, block->v + i, 10);
		ck_assert_uint_eq(block->holders, 2);
		ck_assert_uint_eq(b.bytes.n, 10);
	}
	ck_assert_uint_ge(pv_batch_bytes(&b), room);
	pv_batch_reset(&b);
	ck_assert(b.bytes.v == own && b.bytes.room == room && b.bytes.n == 0);
	memset(block->v, 7, 64);
	pv_batch_borrow(&b, block, block->v, 10);
	ck_assert(pv_batch_own(&b));
	ck_assert(b.bytes.v == own && b.bytes.n == 10 && own[9] == 7);
	pv_batch_borrow(&b, block, block->v, 10);
	pv_batch_finish(&b);
	damage(block);
}
END_TEST

/* Calls that may not be read past: the page after their last byte cannot be read. */
enum { PAGE = 4096, CALLS = 400 };

static void expect_no_look_beyond(const struct wire *w, uint8_t *end, size_t n)
{
	struct pv_batch b = { 0 }, plain = { 0 };
	struct mlpd_bases bases, plain_bases;
	size_t used, plain_used;
	b.summary.wanted = true;
	b.summary.cell_ns = b.summary.segment_ns = PV_SEGMENT_ANY;
	b.bytes.v = memcpy(end - n, w->events.v, n);
	plain.bytes.v = end - n;
	b.bytes.n = b.bytes.room = plain.bytes.n = plain.bytes.room = n;
	mlpd_bases_init(&bases, &w->head);
	mlpd_bases_init(&plain_bases, &w->head);
	ck_assert(mlpd_summarise_batch(&b, &bases, &w->format, true, &used));
	ck_assert(mlpd_decode_batch(&plain, &plain_bases, &w->format, true, &plain_used));
	ck_assert_uint_eq(used, plain_used);
	ck_assert_mem_eq(&bases, &plain_bases, sizeof bases);
	ck_assert_uint_eq(pv_batch_number(&b, b.n), pv_batch_number(&plain, plain.n));
	b.bytes.v = plain.bytes.v = NULL;
	pv_batch_finish(&b);
	pv_batch_finish(&plain);
}

/* At every length that the last event can be cut to. */
START_TEST(nothing_after_a_payload_is_looked_at)
{
	struct wire w;
	uint8_t *pages =
		mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(pages != MAP_FAILED);
	ck_assert_int_eq(mprotect(pages + 3 * PAGE, PAGE, PROT_NONE), 0);
	wire_init(&w);
	w.step = 300;
	wire_header(&w, 7, 1000);
	wire_buffer(&w, 1);
	wire_enter(&w, 0x1000);
	for (uint64_t i = 0; i < CALLS; i++) {
		/* the same few calls, near and far, with and without a call in them */
		uint64_t m = i % 5 ? 0x2000 + i % 3 * 0x100 : UINT64_C(0x7f0000000000);
		wire_enter(&w, m);
		if (i % 2) {
			wire_enter(&w, m + 0x10);
			wire_leave(&w, m + 0x10);
		}
		wire_leave(&w, m);
	}
	ck_assert_uint_lt(w.events.n, 3 * PAGE);
	for (size_t n = w.events.n; n > w.events.n - 100; n--)
		expect_no_look_beyond(&w, pages + 3 * PAGE, n);
	wire_finish(&w);
	munmap(pages, 4 * PAGE);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("batch_bytes");
	TCase *c = tcase_create("all");
	tcase_add_loop_test(c, a_copy_has_all_its_texts, 1, MLPD_NEWEST + 1);
	tcase_add_loop_test(c, a_batch_that_is_kept_holds_no_block, 0, 2);
	tcase_add_test(c, what_is_large_goes);
	tcase_add_test(c, its_own_memory_comes_back);
	tcase_add_test(c, nothing_after_a_payload_is_looked_at);
	suite_add_tcase(s, c);
	return run_suite(s);
}
