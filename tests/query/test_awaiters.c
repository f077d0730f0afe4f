/* SPDX-License-Identifier: MIT */
/* Awaiters: what is counted, who is usual, what is left of circles. */
#include <stdlib.h>

#include "common/query/awaiters.h"
#include "tests/kit/suite.h"

enum { FIND = 1, CART, SERVE, MAIN, SHARED, ONE, TWO, THREE, N };

static struct pv_usual *usual_of(const struct pv_awaiter *v, size_t n)
{
	struct pv_awaiters a = { 0 };
	for (size_t i = 0; i < n; i++)
		ck_assert(pv_awaiters_add(&a, v[i].awaited, v[i].awaiter, v[i].count));
	struct pv_usual *u = pv_awaiters_usual(&a, NULL, N);
	ck_assert_ptr_nonnull(u);
	pv_awaiters_finish(&a);
	return u;
}

static void is(const struct pv_usual *u, uint32_t awaited, uint32_t awaiter, uint8_t percent)
{
	ck_assert_uint_eq(u[awaited].awaiter, awaiter);
	ck_assert_uint_eq(u[awaited].percent, percent);
}

START_TEST(the_most_frequent_is_usual)
{
	static const struct pv_awaiter v[] = { { FIND, CART, 2, false }, { FIND, SERVE, 3, false },
		{ FIND, CART, 4, false }, { CART, SERVE, 7, false } };
	struct pv_usual *u = usual_of(v, 4);
	is(u, FIND, CART, 66);
	is(u, CART, SERVE, 100);
	is(u, SERVE, 0, 0);
	free(u);
}
END_TEST

START_TEST(less_than_half_is_not_usual)
{
	static const struct pv_awaiter v[] = { { SHARED, ONE, 3, false }, { SHARED, TWO, 2, false },
		{ SHARED, THREE, 2, false }, { FIND, ONE, 5, false }, { FIND, TWO, 5, false } };
	struct pv_usual *u = usual_of(v, 5);
	is(u, SHARED, 0, 0);
	is(u, FIND, ONE, 50);
	free(u);
}
END_TEST

/* 999 of 1,000 is no certainty, and neither rounds to one. */
START_TEST(only_all_is_100_percent)
{
	static const struct pv_awaiter v[] = { { FIND, CART, 999, false },
		{ FIND, SERVE, 1, false } };
	struct pv_usual *u = usual_of(v, 2);
	is(u, FIND, CART, 99);
	free(u);
}
END_TEST

/* A recursion of awaits ends at what awaits the outermost. */
START_TEST(none_awaits_itself)
{
	static const struct pv_awaiter v[] = { { FIND, FIND, 299, false },
		{ FIND, MAIN, 1, false } };
	struct pv_usual *u = usual_of(v, 2);
	is(u, FIND, MAIN, 100);
	free(u);
}
END_TEST

/* Find, Cart and Serve await each other in a circle, Shared one of them. */
START_TEST(a_circle_opens_where_it_is_weakest)
{
	static const struct pv_awaiter v[] = { { FIND, CART, 9, false }, { FIND, MAIN, 1, false },
		{ CART, SERVE, 6, false }, { CART, MAIN, 4, false }, { SERVE, FIND, 8, false },
		{ SERVE, MAIN, 2, false }, { SHARED, FIND, 1, false } };
	struct pv_usual *u = usual_of(v, 7);
	is(u, FIND, CART, 90);
	is(u, CART, 0, 0);
	is(u, SERVE, FIND, 80);
	is(u, SHARED, FIND, 100);
	free(u);
}
END_TEST

START_TEST(another_table_is_asked_for_the_rest)
{
	struct pv_awaiters first = { 0 }, then = { 0 };
	ck_assert(pv_awaiters_add(&first, FIND, CART, 1));
	ck_assert(pv_awaiters_add(&first, SHARED, ONE, 1));
	ck_assert(pv_awaiters_add(&first, SHARED, TWO, 1));
	ck_assert(pv_awaiters_add(&first, SHARED, THREE, 1));
	ck_assert(pv_awaiters_add(&then, FIND, MAIN, 100));
	ck_assert(pv_awaiters_add(&then, SHARED, ONE, 100));
	ck_assert(pv_awaiters_add(&then, CART, SERVE, 3));
	struct pv_usual *u = pv_awaiters_usual(&first, &then, N);
	ck_assert_ptr_nonnull(u);
	is(u, FIND, CART, 100);
	is(u, SHARED, 0, 0); /* the first knows of it, and that it is not clear */
	is(u, CART, SERVE, 100);
	free(u);
	pv_awaiters_finish(&first);
	pv_awaiters_finish(&then);
}
END_TEST

/* Find sets what Serve waits for: seen once, that holds for all that is counted, in either table. */
START_TEST(what_is_set_is_not_awaited)
{
	struct pv_awaiters first = { 0 }, then = { 0 };
	ck_assert(pv_awaiters_add(&first, FIND, SERVE, 9));
	ck_assert(pv_awaiters_add(&first, FIND, MAIN, 1));
	ck_assert(pv_awaiters_add(&first, SHARED, SERVE, 1));
	ck_assert(pv_awaiters_never(&then, FIND, SERVE));
	struct pv_usual *u = pv_awaiters_usual(&first, &then, N);
	ck_assert_ptr_nonnull(u);
	is(u, FIND, MAIN, 100);
	is(u, SHARED, SERVE, 100);
	free(u);
	pv_awaiters_finish(&first);
	pv_awaiters_finish(&then);
}
END_TEST

/* Any table gives ways that end: random ones of few methods are full of circles. */
START_TEST(every_way_ends)
{
	enum { TABLES = 2000, EDGES = 30 };
	uint32_t state = 7;
	for (int t = 0; t < TABLES; t++) {
		struct pv_awaiter v[EDGES];
		for (int i = 0; i < EDGES; i++) {
			state = state * 1664525u + 1013904223u;
			v[i] = (struct pv_awaiter){ (state >> 8) % N, (state >> 16) % N,
				(state >> 24) % 9 + 1, false };
		}
		struct pv_usual *u = usual_of(v, EDGES);
		for (uint32_t from = 1; from < N; from++) {
			int steps = 0;
			for (uint32_t at = from; at; at = u[at].awaiter)
				ck_assert_int_lt(steps++, N);
		}
		free(u);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("awaiters");
	TCase *c = tcase_create("all");
	tcase_add_test(c, the_most_frequent_is_usual);
	tcase_add_test(c, less_than_half_is_not_usual);
	tcase_add_test(c, only_all_is_100_percent);
	tcase_add_test(c, none_awaits_itself);
	tcase_add_test(c, a_circle_opens_where_it_is_weakest);
	tcase_add_test(c, another_table_is_asked_for_the_rest);
	tcase_add_test(c, what_is_set_is_not_awaited);
	tcase_add_test(c, every_way_ends);
	suite_add_tcase(s, c);
	return run_suite(s);
}
