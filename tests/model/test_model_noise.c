/* SPDX-License-Identifier: MIT */
/* Events of every kind with values that make no sense: the model keeps its invariants. */
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"
#include "tests/kit/noise.h"
#include "tests/kit/suite.h"

static void check(struct pv_model *m)
{
	const struct pv_calls *c = &m->calls;
	ck_assert_uint_le(c->node.n, c->cap);
	uint64_t calls = 0, samples = 0, bytes = 0;
	for (uint32_t i = 1; i < c->node.n; i++) {
		ck_assert_uint_lt(c->node.v[i].parent, i);
		ck_assert_uint_lt(c->node.v[i].method, m->names.method.n);
		calls += c->node.v[i].calls;
		samples += c->node.v[i].samples;
	}
	ck_assert_uint_le(calls, c->calls); /* calls too deep for the tree are only counted */
	ck_assert_uint_le(samples, c->samples);
	for (size_t i = 1; i < m->allocs.sites.site.n; i++)
		bytes += m->allocs.sites.site.v[i].amount;
	ck_assert_uint_eq(bytes, m->allocs.bytes);
	pv_gc_sort(&m->gc); /* the model's lock, which is not taken here, does that */
	for (size_t i = 1; i < m->gc.collections.n; i++)
		ck_assert_int_le(
			m->gc.collections.v[i - 1].start_ns, m->gc.collections.v[i].start_ns);
	uint32_t *group = calloc(m->names.method.n, sizeof *group);
	struct pv_method_sum sum[1];
	ck_assert(group && pv_calls_flat(m, group, 1, sum));
	ck_assert_uint_eq(sum[0].calls, calls);
	ck_assert_uint_eq(sum[0].samples_self, samples);
	free(group);
	for (uint32_t i = 0; i < m->names.class_use.n; i++) {
		char buf[24];
		ck_assert_ptr_nonnull(pv_names_class_text(&m->names, i, buf));
		pv_names_class_image(&m->names, i);
	}
	struct pv_window_sums sums;
	ck_assert(pv_window_sum(m, 10000000000, &sums));
	for (size_t i = 0; i < sums.nodes.n; i++)
		ck_assert_uint_lt(sums.nodes.v[i].node, c->node.n);
	pv_window_sums_finish(&sums);
}

/* _i: which world; every other one is restricted, and every third has wild times. */
START_TEST(noise)
{
	noise_seed((uint64_t)_i + 1);
	static const unsigned version[] = { 17, 14, 13, 12 };
	const struct pv_restrict only = { .ranged = true,
		.from_ns = 1000000,
		.to_ns = 60000000,
		.threaded = _i % 4 == 1,
		.thread_id = 8 };
	struct logkit *k = logkit_new_only(version[_i % 4], _i % 2 ? &only : NULL);
	struct pv_batch b = { 0 };
	k->model->calls.cap = 300;
	k->model->stacks.cap = 500;
	k->model->allocs.sites.cap = 60;
	k->model->locks.cap = 8;
	uint64_t time = (uint64_t)LOGKIT_ZERO;
	for (int round = 0; round < 60; round++) {
		noise_batch(&b, 500, &time, _i % 3 == 0);
		size_t at = 0;
		ck_assert(pv_model_apply(k->model, &b, &at, 0));
		ck_assert_uint_eq(at, b.n);
	}
	check(k->model);
	pv_batch_finish(&b);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model noise");
	TCase *t = tcase_create("noise");
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, noise, 0, 24);
	suite_add_tcase(s, t);
	return run_suite(s);
}
