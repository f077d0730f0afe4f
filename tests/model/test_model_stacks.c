/* SPDX-License-Identifier: MIT */
/* Stacks at their cap: which fold, which never do, and that sums stay. */
#include <stdio.h>
#include <string.h>

#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { OUTER = 0xa0, LEAF = 0x10000, CLASS = 0x500, CAP = 64 };

static void alloc(struct logkit *k, int64_t t, uint64_t leaf, uint64_t size)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_ALLOC,
			.alloc = { CLASS + 1, 0x8000 + (uint64_t)t * 16, size,
				LOGKIT_LIST(k, OUTER, LEAF + leaf * 8) } });
}

static struct logkit *new_kit(void)
{
	struct logkit *k = logkit_new(17);
	k->model->stacks.cap = CAP;
	logkit_class(k, 0, CLASS, "C");
	logkit_method(k, 0, OUTER, "Outer");
	return k;
}

/* Bytes of the sites whose innermost frame is this method; "" is "other". */
static uint64_t bytes_at(struct logkit *k, const char *innermost)
{
	const struct pv_model *m = logkit_model(k);
	uint64_t sum = 0;
	for (size_t i = 1; i < m->allocs.sites.site.n; i++) {
		const struct pv_site *s = &m->allocs.sites.site.v[i];
		uint32_t method = m->stacks.node.v[s->stack].method;
		char buf[24];
		const char *name = method ? pv_names_method_text(&m->names, method, buf) : "";
		sum += strcmp(name, innermost) == 0 ? s->amount : 0;
	}
	return sum;
}

static void is_sound(const struct pv_model *m)
{
	const struct pv_stacks *s = &m->stacks;
	for (uint32_t i = 1; i < s->node.n; i++) {
		const struct pv_stack_node *n = &s->node.v[i];
		ck_assert_uint_lt(n->parent, i);
		ck_assert_uint_eq(pv_map_get(&s->child, (uint64_t)n->parent << 32 | n->method), i);
	}
	for (uint32_t i = 1; i < m->allocs.sites.site.n; i++)
		ck_assert_uint_lt(m->allocs.sites.site.v[i].stack, s->node.n);
}

START_TEST(those_with_least_bytes_fold_until_half_is_free)
{
	struct logkit *k = new_kit();
	uint64_t all = 0;
	for (uint64_t i = 0; i < 58; i++) { /* root, Outer and 58 leaves: a fold is due at 60 */
		alloc(k, (int64_t)i, i, 100 + i);
		all += 100 + i;
	}
	logkit_flush(k);
	ck_assert_uint_eq(k->model->stacks.folded, 0);
	alloc(k, 100, 58, 1000);
	logkit_flush(k);
	is_sound(k->model);
	ck_assert_uint_eq(k->model->stacks.folded, 29); /* 28 go, one becomes "other" */
	ck_assert_uint_eq(k->model->stacks.node.n, CAP / 2 + 1);
	char name[24];
	for (uint64_t i = 0; i < 59; i++) {
		snprintf(name, sizeof name, "0x%x", (unsigned)(LEAF + i * 8));
		ck_assert_uint_eq(bytes_at(k, name), i == 58 ? 1000 : i < 29 ? 0 : 100 + i);
	}
	ck_assert_uint_eq(bytes_at(k, ""), 29 * 100 + 28 * 29 / 2);
	ck_assert_uint_eq(logkit_allocs(k, "C").bytes, all + 1000);
	alloc(k, 200, 40, 7); /* the rest is still found */
	ck_assert_uint_eq(bytes_at(k, "0x10140"), 147);
	logkit_free(k);
}
END_TEST

START_TEST(of_equals_the_newest_go)
{
	struct logkit *k = new_kit();
	for (uint64_t i = 0; i < 59; i++)
		alloc(k, (int64_t)i, i, 8);
	logkit_flush(k);
	ck_assert_uint_eq(bytes_at(k, "0x10000"), 8);
	ck_assert_uint_eq(bytes_at(k, "0x100e8"), 0); /* the first of the 29 newest */
	ck_assert_uint_eq(bytes_at(k, "0x100e0"), 8);
	logkit_free(k);
}
END_TEST

START_TEST(stacks_of_those_who_wait_never_fold)
{
	struct logkit *k = new_kit();
	logkit_on(k, 2);
	logkit_event(k, 0,
		(struct pv_event){ .kind = PV_KIND_MONITOR_CONTENTION,
			.monitor = { .object = 0x9000, .stack = LOGKIT_LIST(k, OUTER, 0x200) } });
	logkit_flush(k);
	logkit_on(k, 1);
	uint64_t all = 0;
	for (uint64_t i = 0; i < 5000; all += 8 + i % 64, i++)
		alloc(k, 10 + (int64_t)i, i, 8 + i % 64);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_object(k, 6000, PV_KIND_MONITOR_DONE, 0x9000);
	const struct pv_model *m = logkit_model(k);
	is_sound(m);
	ck_assert_uint_le(m->stacks.node.n, CAP);
	ck_assert_uint_eq(m->locks.by_lock.site.n, 2);
	const struct pv_site *s = &m->locks.by_lock.site.v[1];
	char buf[24];
	ck_assert_str_eq(
		pv_names_method_text(&m->names, m->stacks.node.v[s->stack].method, buf), "0x200");
	ck_assert_uint_eq(s->amount, 6000);
	uint64_t sum = 0;
	for (size_t i = 1; i < m->allocs.sites.site.n; i++)
		sum += m->allocs.sites.site.v[i].amount;
	ck_assert_uint_eq(sum, all);
	logkit_free(k);
}
END_TEST

START_TEST(paths_of_calls_fold_too)
{
	struct logkit *k = new_kit();
	for (uint64_t i = 0; i < 1000; i++) { /* each at the end of its own path of three calls */
		int64_t t = 10 * (int64_t)i;
		for (uint64_t d = 0; d < 3; d++)
			logkit_enter(k, t, LEAF + i * 24 + d * 8);
		logkit_alloc(k, t + 1, CLASS, 0x8000 + i * 32, 16);
		for (uint64_t d = 3; d-- > 0;)
			logkit_leave(k, t + 2, LEAF + i * 24 + d * 8);
	}
	const struct pv_model *m = logkit_model(k);
	is_sound(m);
	ck_assert_uint_le(m->stacks.node.n, CAP);
	ck_assert_uint_gt(m->stacks.folded, 500);
	ck_assert_uint_eq(logkit_allocs(k, "C").bytes, 16000);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model stacks");
	TCase *t = tcase_create("cap");
	tcase_add_test(t, those_with_least_bytes_fold_until_half_is_free);
	tcase_add_test(t, of_equals_the_newest_go);
	tcase_add_test(t, stacks_of_those_who_wait_never_fold);
	tcase_add_test(t, paths_of_calls_fold_too);
	suite_add_tcase(s, t);
	return run_suite(s);
}
