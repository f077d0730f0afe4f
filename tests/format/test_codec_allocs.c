/*
 * Allocations are read by a loop of their own: random ones, with numbers of every length, give what
 * their row gives, wherever their bytes end or are no numbers.
 */
#include "common/format/mlpd/mlpd.h"
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

int main(void)
{
	Suite *s = suite_create("codec of allocations");
	TCase *c = tcase_create("allocations");
	tcase_add_loop_test(c, fast_allocations_equal_the_rows, 0, 64);
	suite_add_tcase(s, c);
	return run_suite(s);
}
