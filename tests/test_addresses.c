/* What is known of objects by their address: two of one place, and what a saved table keeps. */
#include <string.h>

#include "common/model/addresses.h"
#include "tests/bytes_kit.h"
#include "tests/logkit.h"
#include "tests/suite.h"

enum { ONE = 0x8000, MANY = 3000 };

static void put(struct pv_addresses *a, uint64_t object, uint32_t class_use, bool asked)
{
	struct pv_address *slot = pv_addresses_slot(a, object);
	ck_assert_ptr_nonnull(slot);
	pv_address_set(a->ousted, slot, pv_address_of(object, class_use, asked));
}

START_TEST(the_one_that_has_to_go_is_found)
{
	struct pv_addresses a = { 0 };
	const uint64_t other = logkit_same_place(ONE), third = logkit_same_place(other);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE), 0);
	put(&a, ONE, 1, true);
	put(&a, other, 2, false);
	put(&a, third, 3, false);
	ck_assert_uint_eq(pv_addresses_class(&a, ONE), 1);
	ck_assert_uint_eq(pv_addresses_class(&a, other), 2);
	ck_assert_uint_eq(pv_addresses_class(&a, third), 3);
	ck_assert(pv_addresses_find(&a, ONE)->asked);
	ck_assert_ptr_null(pv_addresses_find(&a, logkit_same_place(third)));
	/* It takes its place again, and what it was beside is nobody's. */
	struct pv_address *slot = pv_addresses_slot(&a, ONE);
	ck_assert(slot->object == ONE && slot->class_use == 1 && slot->asked);
	put(&a, ONE, 4, false);
	ck_assert_uint_eq(pv_addresses_class(&a, third), 3);
	put(&a, ONE + 8, 5, false); /* overlaps it, which must be dead */
	ck_assert_uint_eq(pv_addresses_class(&a, ONE), 0);
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

static bool load(struct pv_addresses *a, const bytes *b, size_t n)
{
	const uint8_t *from = b->v;
	struct pv_archive in = { .loading = true, .read = take, .ctx = &from, .left = n };
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
	ck_assert(load(&b, &all, all.n));
	for (uint64_t i = 0; i < MANY; i++) {
		const struct pv_address *one = pv_addresses_find(&b, ONE + 16 * i);
		ck_assert(one && one->class_use == i + 1 && one->asked == (i % 3 == 0));
		uint64_t other = logkit_same_place(ONE + 16 * i);
		ck_assert_uint_eq(pv_addresses_class(&b, other), i + 7);
	}
	pv_addresses_finish(&b);
	for (size_t n = 0; n < all.n; n += 1 + n / 20) {
		ck_assert(!load(&b, &all, n));
		pv_addresses_finish(&b);
	}
	pv_addresses_finish(&a);
	pv_array_finish(&all);
}
END_TEST

START_TEST(an_empty_table_needs_nothing)
{
	struct pv_addresses a = { 0 };
	bytes all = { 0 };
	struct pv_archive out = { .write = bytes_keep, .ctx = &all };
	pv_addresses_archive(&out, &a);
	ck_assert(load(&a, &all, all.n));
	ck_assert_ptr_null(a.slot);
	pv_array_finish(&all);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("addresses");
	TCase *t = tcase_create("addresses");
	tcase_add_test(t, the_one_that_has_to_go_is_found);
	tcase_add_test(t, a_saved_table_keeps_all);
	tcase_add_test(t, an_empty_table_needs_nothing);
	suite_add_tcase(s, t);
	return run_suite(s);
}
