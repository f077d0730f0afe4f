/* SPDX-License-Identifier: MIT */
/*
 * Allocations are read by a loop of their own: random ones, with numbers of every length, give what
 * their row gives, wherever their bytes end or are no numbers. So do backtraces that are remembered
 * and references that are only counted.
 */
#include "common/format/mlpd/mlpd_plain.h"
#include "tests/kit/suite.h"

static const struct mlpd_buffer_header bases_header = {
	.time_base = 1000, .ptr_base = 0x1000, .obj_base = 0x200, .method_base = 0x5000
};

static uint64_t seed;

static uint64_t below(uint64_t n)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (seed >> 33) % n;
}

static size_t put_leb(uint8_t *to, bool malformed)
{
	size_t n = malformed ? PV_LEB_MAX + 1 : 1 + below(below(3) ? 4 : PV_LEB_MAX);
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(below(128) | (i + 1 < n ? 0x80 : 0));
	return n;
}

/* Writers pass sizes through an int: one of 2 GiB and more comes with its sign extended. */
static size_t put_large(uint8_t *to)
{
	return (size_t)(pv_put_uleb(to, UINT64_C(0xffffffff80000000) | below(INT32_MAX)) - to);
}

static size_t put_allocations(uint8_t *to, size_t events, bool malformed)
{
	size_t n = 0;
	for (size_t i = 0; i < events; i++) {
		bool bad = malformed && i == events / 2;
		to[n++] = 0;
		for (size_t k = 0; k < 3; k++)
			n += put_leb(to + n, bad && k == i % 4);
		n += bad || below(4) ? put_leb(to + n, bad && i % 4 == 3) : put_large(to + n);
	}
	return n;
}

/* As far as the rows get, the batch has the same; and damage where they have it. */
static void check_allocations(
	const struct pv_batch *fast, const struct mlpd_format *f, bool partial)
{
	struct pv_cursor at = { .at = fast->bytes.v, .end = fast->bytes.v + fast->bytes.n };
	struct pv_batch pools = { 0 };
	struct mlpd_bases b;
	struct pv_event e;
	enum mlpd_status status;
	size_t i = 0;
	mlpd_bases_init(&b, &bases_header);
	for (; (status = mlpd_decode(&at, &b, f, &pools, &e)) == MLPD_OK; i++) {
		ck_assert_uint_lt(i, fast->n);
		const struct pv_alloc *a = &fast->allocs.v[fast->key[i]];
		ck_assert_uint_eq(fast->time[i], e.time);
		ck_assert_uint_eq(a->type, e.alloc.type);
		ck_assert_uint_eq(a->object, e.alloc.object);
		ck_assert_uint_eq(a->size, e.alloc.size);
		ck_assert_uint_eq(a->stack.n, 0);
	}
	ck_assert_uint_eq(i, fast->n);
	ck_assert_int_eq(fast->damaged, at.at != at.end && !(partial && status == MLPD_SHORT));
	if (fast->damaged)
		ck_assert_uint_eq(fast->damage_bytes, pv_cursor_left(&at));
	pv_batch_finish(&pools);
}

START_TEST(fast_allocations_equal_the_rows)
{
	struct mlpd_format f = { 17, 3, 8, 0 };
	struct pv_batch fast = { 0 };
	struct mlpd_bases b;
	uint8_t bytes[2048];
	size_t used;
	seed = (uint64_t)_i;
	f.pointer_size = _i % 2 ? 4 : 8;
	size_t n = put_allocations(bytes, 1 + below(24), _i % 8 == 3);
	ck_assert(pv_reserve(&fast.bytes, n));
	for (size_t len = n > 60 ? n - 60 : 0; len <= n; len++) {
		bool partial = len % 2;
		pv_batch_reset(&fast);
		memcpy(fast.bytes.v, bytes, len);
		fast.bytes.n = len;
		mlpd_bases_init(&b, &bases_header);
		ck_assert(mlpd_decode_batch(&fast, &b, &f, partial, &used));
		check_allocations(&fast, &f, partial);
	}
	pv_batch_finish(&fast);
}
END_TEST

/* --- lists that are not taken apart */

enum { LISTS = 6, LIST_MAX = 40, LISTED_EVENTS = 60 };

/* Backtraces of a few places and heap objects, each with a byte changed now and then. */
static size_t put_lists(uint8_t *to)
{
	uint8_t list[LISTS][LIST_MAX * (PV_LEB_MAX + 1)];
	size_t bytes[LISTS], values[LISTS], n = 0;
	for (size_t i = 0; i < LISTS; i++) {
		values[i] = 2 * below(LIST_MAX / 2);
		bytes[i] = 0;
		for (size_t k = 0; k < values[i]; k++)
			bytes[i] += put_leb(list[i] + bytes[i], below(400) == 0);
	}
	for (size_t i = 0; i < LISTED_EVENTS; i++) {
		bool object = below(2);
		size_t of = below(LISTS);
		const uint8_t alloc[] = { 0x10, 1, 2, 3, 4, (uint8_t)values[of] },
			      shot[] = { 0x26, 1, 2, 3, 4, 0, (uint8_t)(values[of] / 2) };
		memcpy(to + n, object ? shot : alloc, object ? sizeof shot : sizeof alloc);
		n += object ? sizeof shot : sizeof alloc;
		if (values[of] && below(3) == 0)
			list[of][below(bytes[of])] ^= (uint8_t)(1 + below(127));
		memcpy(to + n, list[of], bytes[of]);
		n += bytes[of];
	}
	return n;
}

static void check_listed(const struct pv_event *fast, const struct pv_batch *of,
	const struct pv_event *row, const struct pv_batch *pools)
{
	ck_assert_uint_eq(fast->kind, row->kind);
	ck_assert_uint_eq(fast->time, row->time);
	if (row->kind == PV_KIND_HEAP_OBJECT)
		ck_assert_uint_eq(fast->heap_object.refs.n, row->heap_object.refs.n);
	if (row->kind != PV_KIND_ALLOC)
		return;
	ck_assert_uint_eq(fast->alloc.stack.n, row->alloc.stack.n);
	for (uint32_t i = 0; i < row->alloc.stack.n; i++)
		ck_assert_uint_eq(of->pool.v[fast->alloc.stack.at + i],
			pools->pool.v[row->alloc.stack.at + i]);
}

START_TEST(lists_equal_the_rows)
{
	struct mlpd_format f = { 17, 3, 8, 0 };
	static uint8_t bytes[LISTED_EVENTS * LIST_MAX * (PV_LEB_MAX + 2)];
	struct pv_batch pools = { 0 }, fast_pools = { 0 };
	struct mlpd_stack_seen seen[MLPD_STACKS] = { 0 };
	struct mlpd_decoder d;
	struct mlpd_bases b;
	struct pv_event fast, row;
	enum mlpd_status status;
	seed = (uint64_t)_i;
	struct pv_cursor at = { .at = bytes, .end = bytes + put_lists(bytes) };
	at.end -= _i % 2 ? below((size_t)(at.end - at.at)) : 0;
	mlpd_bases_init(&b, &bases_header);
	mlpd_decoder_begin(&d, &at, &b, &f, &fast_pools);
	d.seen = seen;
	d.counts_refs = true;
	do {
		status = mlpd_decode(&at, &b, &f, &pools, &row);
		ck_assert_int_eq(mlpd_decode_next(&d, &fast), status);
		ck_assert_ptr_eq(d.c.at, at.at);
		ck_assert_uint_eq(d.b.method, b.method);
		if (status == MLPD_OK)
			check_listed(&fast, &fast_pools, &row, &pools);
	} while (status == MLPD_OK);
	ck_assert_uint_le(fast_pools.pool.n, pools.pool.n);
	pv_batch_finish(&pools);
	pv_batch_finish(&fast_pools);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("codec of allocations");
	TCase *c = tcase_create("allocations");
	tcase_add_loop_test(c, fast_allocations_equal_the_rows, 0, 64);
	tcase_add_loop_test(c, lists_equal_the_rows, 0, 2000);
	suite_add_tcase(s, c);
	return run_suite(s);
}
