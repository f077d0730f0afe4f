/* SPDX-License-Identifier: MIT */
/* A call tree that folds again and again: it stays whole, its sums exact, what is heavy in it. */
#include <stdio.h>

#include "common/model/ground/model_parts.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x10000, HEAVY = 0x8000 };

struct dice {
	uint64_t state;
};

static uint64_t roll(struct dice *d, uint64_t sides)
{
	d->state = d->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (d->state >> 33) % sides;
}

static void check_node(const struct pv_calls *c, uint32_t i)
{
	const struct pv_tree_node *v = c->node.v, *x = &v[i];
	int64_t below = 0;
	uint32_t children = 0, other = 0;
	for (uint32_t at = x->first_child; at; at = v[at].next_sibling, children++) {
		ck_assert_uint_gt(at, i);
		ck_assert_uint_eq(v[at].parent, i);
		if (v[at].method == 0) {
			ck_assert_uint_eq(other, 0);
			other = at;
		}
		below += v[at].total_ns;
		if (x->children > PV_CALLS_WIDE)
			ck_assert_uint_eq(
				pv_map_get(&c->wide, (uint64_t)i << 32 | v[at].method), at);
	}
	ck_assert_uint_eq(children, x->children);
	ck_assert_uint_eq(other, x->other);
	if (i > 0)
		ck_assert_int_eq(x->total_ns, x->self_ns + below);
}

static void check_tree(struct logkit *k)
{
	const struct pv_calls *c = &logkit_model(k)->calls;
	uint64_t calls = 0;
	ck_assert_uint_le(c->node.n, c->cap);
	for (uint32_t i = 0; i < c->node.n; i++) {
		check_node(c, i);
		calls += c->node.v[i].calls;
	}
	ck_assert_uint_eq(calls, c->calls);
}

/* A call of a random method, which makes so many others at most, each of which ... */
static void call(struct logkit *k, struct dice *d, int64_t *t, unsigned depth, uint64_t methods)
{
	uint64_t method = METHOD + roll(d, depth == 2 ? methods : 6) * 8;
	logkit_enter(k, *t += 1 + (int64_t)roll(d, 50), method);
	for (uint64_t i = roll(d, 4); depth < 7 && i > 0; i--)
		call(k, d, t, depth + 1, methods);
	logkit_leave(k, *t += 1 + (int64_t)roll(d, 50), method);
}

/* With few methods, and with so many that children are found by hash. */
START_TEST(sums_are_exact_however_often_it_folds)
{
	struct logkit *k = logkit_new(17);
	struct dice d = { 1 + (uint64_t)_i };
	k->model->calls.cap = 300 + 200 * (size_t)_i;
	int64_t t = 0;
	for (int round = 0; round < 30; round++) {
		for (int i = 0; i < 100; i++)
			call(k, &d, &t, 0, _i % 2 ? 90 : 6);
		check_tree(k);
	}
	ck_assert_uint_gt(k->model->calls.folds, 20);
	logkit_free(k);
}
END_TEST

/* One of twenty takes time; those in between come once. */
START_TEST(what_takes_time_stays)
{
	enum { PATHS = 20000, KEPT = 40, TIMES = PATHS / 20 / KEPT };
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 1000;
	int64_t t = 0;
	for (uint64_t i = 0; i < PATHS; i++) {
		bool heavy = i % 20 == 0;
		uint64_t inner = heavy ? HEAVY + i / 20 % KEPT * 8 : METHOD + i * 8;
		logkit_enter(k, t += 1, METHOD);
		logkit_enter(k, t += 1, inner);
		logkit_leave(k, t += heavy ? 1000 : 5, inner);
		logkit_leave(k, t += 1, METHOD);
	}
	check_tree(k);
	ck_assert_uint_gt(k->model->calls.folds, 20);
	for (unsigned i = 0; i < KEPT; i++) {
		char path[40];
		snprintf(path, sizeof path, "0x%x/0x%x", (unsigned)METHOD, HEAVY + i * 8);
		uint32_t node = logkit_node(k, path);
		ck_assert_uint_ne(node, 0);
		ck_assert_uint_eq(k->model->calls.node.v[node].calls, TIMES);
	}
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fold sums");
	TCase *t = tcase_create("fold");
	tcase_set_timeout(t, 30);
	tcase_add_loop_test(t, sums_are_exact_however_often_it_folds, 0, 8);
	tcase_add_test(t, what_takes_time_stays);
	suite_add_tcase(s, t);
	return run_suite(s);
}
