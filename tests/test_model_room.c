/* What is to be added finds its room made beforehand, and not under the lock. */
#include "common/model/room.h"
#include "tests/logkit.h"
#include "tests/suite.h"

enum { METHODS = 250000, AT_ONCE = 5000, METHOD = 0x10000 };

START_TEST(large_maps_grow_between_two_batches)
{
	struct logkit *k = logkit_new(17);
	const struct pv_map *of = &k->model->names.method_of;
	unsigned grown = 0;
	for (uint64_t i = 0; i < METHODS;) {
		for (int n = 0; n < AT_ONCE; n++, i++) {
			logkit_enter(k, (int64_t)i * 10, METHOD + i * 8);
			logkit_leave(k, (int64_t)i * 10 + 5, METHOD + i * 8);
		}
		size_t before = of->mask;
		pv_model_make_room(k->model);
		grown += of->mask != before;
		before = of->mask;
		logkit_flush(k);
		ck_assert(of->mask == before || of->mask + 1 <= PV_MAP_LARGE);
	}
	ck_assert_uint_ge(grown, 2);
	ck_assert_uint_eq(k->model->names.method.n, METHODS + 1);
	ck_assert_uint_eq(of->n, METHODS);
	for (uint64_t i = 0; i < METHODS; i += 997)
		ck_assert_uint_ne(pv_map_get(of, METHOD + i * 8), PV_MAP_NONE);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model room");
	TCase *t = tcase_create("room");
	tcase_set_timeout(t, 300);
	tcase_add_test(t, large_maps_grow_between_two_batches);
	suite_add_tcase(s, t);
	return run_suite(s);
}
