/* SPDX-License-Identifier: MIT */
/* Facts of objects by their address: two of one place, and the contents of a saved table. */
#include <string.h>

#include "common/model/objects/addresses.h"
#include "common/model/persist_parts.h"
#include "tests/kit/bytes_kit.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { ONE = 0x8000, MANY = 3000 };

static int64_t now; /* of what is put and asked */

static void begin(void)
{
	now = 0;
}

static void put(struct pv_addresses *a, uint64_t object, uint32_t class_use, bool asked)
{
	struct pv_address *slot = pv_addresses_slot(a, object);
	ck_assert_ptr_nonnull(slot);
	pv_address_set(
		a->ousted, slot, pv_address_of(object, class_use, pv_addresses_age(a, now), asked));
}

START_TEST(the_one_that_has_to_go_is_found)
{
	struct pv_addresses a = { 0 };
	const uint64_t other = logkit_same_place(ONE), third = logkit_same_place(other);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, now), 0);
	put(&a, ONE, 1, true);
	put(&a, other, 2, false);
	put(&a, third, 3, false);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, now), 1);
	ck_assert_uint_eq(pv_addresses_class(&a, other, now), 2);
	ck_assert_uint_eq(pv_addresses_class(&a, third, now), 3);
	ck_assert(pv_addresses_find(&a, ONE)->asked);
	ck_assert_ptr_null(pv_addresses_find(&a, logkit_same_place(third)));
	/* It takes its place again, and its neighbour has no owner. */
	struct pv_address *slot = pv_addresses_slot(&a, ONE);
	ck_assert(slot->object == ONE && slot->class_use == 1 && slot->asked);
	put(&a, ONE, 4, false);
	ck_assert_uint_eq(pv_addresses_class(&a, third, now), 3);
	put(&a, ONE + 8, 5, false); /* overlaps it, which must be dead */
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, now), 0);
	pv_addresses_finish(&a);
}
END_TEST

static bool take(void *ctx, void *to, size_t n)
{
	const uint8_t **from = ctx;
	memcpy(to, *from, n);
	*from += n;
	return true;
}

static bool load(struct pv_addresses *a, const bytes *b, size_t n, uint64_t classes)
{
	const uint8_t *from = b->v;
	struct pv_archive in = { .mode = PV_ARCHIVE_LOAD,
		.read = take,
		.ctx = &from,
		.left = n,
		.store[PV_CLASS_USES] = classes };
	pv_addresses_archive(&in, a);
	return !in.failed && in.left == 0;
}

START_TEST(a_saved_table_keeps_all)
{
	struct pv_addresses a = { 0 }, b = { 0 };
	bytes all = { 0 };
	struct pv_archive out = { .write = bytes_keep, .ctx = &all };
	for (uint64_t i = 0; i < MANY; i++) {
		put(&a, ONE + 16 * i, (uint32_t)i + 1, i % 3 == 0);
		put(&a, logkit_same_place(ONE + 16 * i), (uint32_t)i + 7, false);
	}
	pv_addresses_archive(&out, &a);
	ck_assert(load(&b, &all, all.n, MANY + 7));
	for (uint64_t i = 0; i < MANY; i++) {
		const struct pv_address *one = pv_addresses_find(&b, ONE + 16 * i);
		ck_assert(one && one->class_use == i + 1 && one->asked == (i % 3 == 0));
		uint64_t other = logkit_same_place(ONE + 16 * i);
		ck_assert_uint_eq(pv_addresses_class(&b, other, now), i + 7);
	}
	pv_addresses_finish(&b);
	for (size_t n = 0; n < all.n; n += 1 + n / 20) {
		ck_assert(!load(&b, &all, n, MANY + 7));
		pv_addresses_finish(&b);
	}
	ck_assert(!load(&b, &all, all.n, MANY + 6)); /* no such class */
	pv_addresses_finish(&b);
	pv_addresses_finish(&a);
	pv_array_finish(&all);
}
END_TEST

/* An address holds until the next collection starts, whatever order the buffers come in. */
START_TEST(addresses_have_an_age)
{
	struct pv_addresses a = { 0 };
	put(&a, ONE, 1, false);
	pv_addresses_collected(&a, 100);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, 99), 1);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, 100), 0);
	now = 150;
	put(&a, ONE + 64, 2, false);
	pv_addresses_collected(&a, 200);
	now = 160; /* reported after the start of a collection that came later */
	put(&a, ONE + 128, 3, false);
	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(
			pv_addresses_class(&a, ONE + 64 * (unsigned)(i + 1), 199), (unsigned)i + 2);
		ck_assert_uint_eq(pv_addresses_class(&a, ONE + 64 * (unsigned)(i + 1), 200), 0);
	}
	ck_assert_int_eq(pv_addresses_since(&a, 160), 100);
	ck_assert_int_eq(pv_addresses_until(&a, 160), 200);
	ck_assert_int_eq(pv_addresses_since(&a, 99), INT64_MIN);
	ck_assert_int_eq(pv_addresses_until(&a, 200), INT64_MAX);
	pv_addresses_collected(&a, 50); /* going back: what is known holds no longer, either way */
	now = 300;
	ck_assert_uint_eq(pv_addresses_age(&a, now), 3);
	pv_addresses_finish(&a);
}
END_TEST

START_TEST(ages_are_used_again)
{
	struct pv_addresses a = { 0 };
	put(&a, ONE, 1, false);
	for (int i = 1; i <= 3 * PV_AGE_NONE; i++) {
		pv_addresses_collected(&a, i * 100);
		ck_assert_uint_eq(pv_addresses_class(&a, ONE, i * 100 + 50), 0);
		ck_assert_uint_lt(pv_addresses_age(&a, i * 100), PV_AGE_NONE);
		if (i > PV_AGES) /* so long ago that nothing is known */
			ck_assert_uint_eq(pv_addresses_age(&a, 0), PV_AGE_NONE);
		now = i * 100 + 10;
		put(&a, ONE + 16 * (unsigned)i, 7, false);
		ck_assert_uint_eq(pv_addresses_class(&a, ONE + 16 * (unsigned)i, now), 7);
	}
	now = 0;
	put(&a, ONE, 1, false);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, now), 0);
	pv_addresses_finish(&a);
}
END_TEST

START_TEST(where_moves_are_reported_addresses_are_kept)
{
	struct pv_addresses a = { 0 };
	put(&a, ONE, 1, false);
	pv_addresses_collected(&a, 100);
	pv_addresses_keep(&a);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, 50), 0); /* of ages that are no more */
	now = 120;
	put(&a, ONE, 2, false);
	pv_addresses_collected(&a, 200);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE, 250), 2);
	ck_assert_int_eq(pv_addresses_until(&a, 120), INT64_MAX);
	pv_addresses_finish(&a);
}
END_TEST

START_TEST(an_empty_table_needs_nothing)
{
	struct pv_addresses a = { 0 };
	bytes all = { 0 };
	struct pv_archive out = { .write = bytes_keep, .ctx = &all };
	pv_addresses_archive(&out, &a);
	ck_assert(load(&a, &all, all.n, 1));
	ck_assert_ptr_null(a.slot);
	pv_array_finish(&all);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("addresses");
	TCase *t = tcase_create("addresses");
	tcase_add_checked_fixture(t, begin, NULL);
	tcase_add_test(t, addresses_have_an_age);
	tcase_add_test(t, ages_are_used_again);
	tcase_add_test(t, where_moves_are_reported_addresses_are_kept);
	tcase_add_test(t, the_one_that_has_to_go_is_found);
	tcase_add_test(t, a_saved_table_keeps_all);
	tcase_add_test(t, an_empty_table_needs_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}
