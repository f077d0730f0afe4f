/* SPDX-License-Identifier: MIT */
/*
 * Keys that were made to stand in one place of a table, as its hash was known, are spread there:
 * what they met in before is inverted here. Runs of slots in use are as long as the slots that a
 * search reads at.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/calls/mlpd_tree.h"
#include "tests/kit/suite.h"

enum { KEYS = 20000, LONGEST = 600 /* slots in use next to each other, of some 10,000 */ };
#define MIX    UINT64_C(0xd6e8feb86659fd93)
#define PARENT UINT64_C(0x9e3779b97f4a7c15)

/* Of an odd number, modulo 2^64. */
static uint64_t inverse(uint64_t odd)
{
	uint64_t x = odd;
	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* The key of which pv_hash() is that. */
static uint64_t unhashed(uint64_t hash)
{
	for (int i = 0; i < 2; i++) {
		hash ^= hash >> 32;
		hash *= inverse(MIX);
	}
	return hash ^ hash >> 32;
}

static size_t longest_run(const struct pv_map *m)
{
	size_t longest = 0, run = 0;
	for (size_t i = 0; i <= m->mask; i++) {
		run = m->slots[i].value == PV_MAP_NONE ? 0 : run + 1;
		longest = run > longest ? run : longest;
	}
	return longest;
}

START_TEST(keys_of_one_place_in_a_map_are_spread)
{
	struct pv_map m = { 0 };
	for (uint32_t i = 0; i < KEYS; i++) {
		uint64_t key = unhashed((uint64_t)i << 24);
		ck_assert_uint_eq(pv_hash(key), (uint64_t)i << 24);
		ck_assert(pv_map_set(&m, key, i));
	}
	for (uint32_t i = 0; i < KEYS; i++)
		ck_assert_uint_eq(pv_map_get(&m, unhashed((uint64_t)i << 24)), i);
	ck_assert_uint_lt(longest_run(&m), LONGEST);
	pv_map_finish(&m);
}
END_TEST

/* Whatever the distance between keys: runs of them must not pile up next to each other. */
START_TEST(rows_of_keys_are_spread)
{
	for (unsigned shift = 0; shift < 50; shift += 7) {
		struct pv_map m = { 0 };
		for (uint32_t i = 0; i < KEYS / 2; i++)
			ck_assert(pv_map_set(&m, ((uint64_t)i << shift) + 12345, i));
		ck_assert_msg(longest_run(&m) < LONGEST, "%zu at 1 << %u", longest_run(&m), shift);
		pv_map_finish(&m);
	}
}
END_TEST

START_TEST(texts_of_one_hash_are_spread)
{
	struct pv_intern in = { 0 };
	uint32_t id, most = 0, chain;
	for (uint64_t i = 0; in.text.n < KEYS / 10; i++) {
		uint64_t text[2] = { i * PARENT, 0 };
		text[1] = pv_hash(sizeof text ^ text[0]) ^ PARENT;
		if (memchr(text, 0, sizeof text))
			continue;
		ck_assert(pv_intern_add(&in, (const char *)text, sizeof text, &id));
		ck_assert_uint_eq(id, in.text.n - 1);
	}
	for (uint32_t first = 1; first < in.text.n; first++) {
		for (chain = 0, id = first; id; id = in.next.v[id])
			chain++;
		most = chain > most ? chain : most;
	}
	ck_assert_uint_lt(most, 3);
	pv_intern_finish(&in);
}
END_TEST

START_TEST(calls_of_one_place_in_the_tree_are_spread)
{
	struct mlpd_tree t = { 0 };
	size_t longest = 0, run = 0;
	ck_assert(mlpd_tree_begin(&t));
	for (uint64_t i = 0; i < KEYS; i++) {
		uint64_t key = i * inverse(MIX) - MLPD_ROOT * PARENT;
		uint32_t node = mlpd_tree_child(&t, MLPD_ROOT, key);
		ck_assert_uint_eq(mlpd_tree_child(&t, MLPD_ROOT, key), node);
	}
	for (size_t i = 0; i < t.slots; i++) {
		run = t.slot[i] ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	ck_assert_uint_lt(longest, LONGEST);
	mlpd_tree_finish(&t);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("seed");
	TCase *c = tcase_create("all");
	tcase_add_test(c, keys_of_one_place_in_a_map_are_spread);
	tcase_add_test(c, rows_of_keys_are_spread);
	tcase_add_test(c, texts_of_one_hash_are_spread);
	tcase_add_test(c, calls_of_one_place_in_the_tree_are_spread);
	suite_add_tcase(s, c);
	return run_suite(s);
}
