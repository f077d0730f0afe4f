/* SPDX-License-Identifier: MIT */
/* Folding in parts: who reads meanwhile finds everything in its place, and the end is the same. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/ground/least.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { CAP = 100000, CALLS = 140000, CHUNK = 2000, OUTER = 0xa0, LEAF = 0x10000, HELD = 1 << 16 };

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* (value, then, last first) as one number that grows with them; all of them small. */
static uint64_t rank(const uint64_t *value, const uint64_t *then, size_t i)
{
	return value[i] << 40 | (then ? then[i] : 0) << 20 | (uint64_t)(0xfffff - i);
}

START_TEST(the_least_are_those_that_sorting_finds)
{
	enum { MOST = 300 };
	uint64_t value[MOST], then[MOST], order[MOST], dice = 7;
	bool chosen[MOST];
	for (size_t round = 0; round < 400; round++) {
		size_t n = round % MOST, k = n ? round * 7 % (n + 1) : 0;
		const uint64_t *second = round % 3 ? then : NULL;
		for (size_t i = 0; i < n; i++) {
			dice = pv_hash(dice + i);
			value[i] = dice % (1 + round % 40);
			then[i] = dice >> 32 & 3;
		}
		pv_least(value, second, n, k, chosen);
		for (size_t i = 0; i < n; i++)
			order[i] = rank(value, second, i);
		if (n)
			qsort(order, n, sizeof *order, compare);
		for (size_t i = 0; i < n; i++)
			ck_assert_int_eq(
				chosen[i], k > 0 && rank(value, second, i) <= order[k - 1]);
	}
	const uint64_t far[] = { UINT64_MAX, 0, pv_least_signed(-1), pv_least_signed(1) };
	pv_least(far, NULL, 4, 2, chosen);
	ck_assert(!chosen[0] && chosen[1] && chosen[2] && !chosen[3]);
}
END_TEST

/* --- a reader next to the owner */

struct reader {
	struct pv_model *m;
	atomic_bool stop;
	atomic_ulong views;
	unsigned long unlike; /* views in which something did not fit */
};

static bool fits(const struct pv_model *m)
{
	struct pv_window_sums w;
	const struct pv_tree_node *v = m->calls.node.v;
	uint64_t tree = 0, window = 0;
	bool ok = pv_window_sum(m, 10 * (uint64_t)LOGKIT_S, &w);
	for (size_t i = 1; i < m->calls.node.n; i++) {
		tree += v[i].calls;
		ok &= v[i].parent < i;
	}
	for (size_t i = 0; i < w.nodes.n; i++)
		window += w.nodes.v[i].calls;
	pv_window_sums_finish(&w);
	uint64_t sites = 0;
	for (size_t i = 1; i < m->allocs.sites.site.n; i++) {
		sites += m->allocs.sites.site.v[i].count;
		ok &= m->allocs.sites.site.v[i].stack < m->stacks.node.n;
	}
	/* The allocation at hand may be counted, and its site not made yet. */
	ok &= sites <= m->allocs.count && sites + 1 >= m->allocs.count;
	return ok && tree == window;
}

static void *read_on(void *arg)
{
	struct reader *r = arg;
	while (!r->stop) {
		pv_model_lock(r->m);
		r->unlike += !fits(r->m);
		pv_model_unlock(r->m);
		r->views++;
	}
	return NULL;
}

/* A batch of calls of ever new leaves, and of allocations with ever new stacks. */
static void fill(struct logkit *k, size_t from, size_t n)
{
	for (size_t i = from; i < from + n; i++) {
		int64_t t = (int64_t)i * 1000;
		uint64_t leaf = LEAF + pv_hash(i) % (4 * CAP) * 8;
		logkit_enter(k, t, OUTER);
		logkit_enter(k, t + 1, leaf);
		logkit_leave(k, t + 2 + (int64_t)(i % 300), leaf);
		logkit_leave(k, t + 900, OUTER);
		if (i % 4 == 0)
			logkit_event(k, t + 950,
				(struct pv_event){ .kind = PV_KIND_ALLOC,
					.alloc = { logkit_type(k, 0x500), 0x8000, 8 + i % 100,
						LOGKIT_LIST(k, OUTER, leaf) } });
	}
}

static void limit(struct pv_model *m)
{
	m->calls.cap = CAP;
	m->stacks.cap = CAP / 4;
	m->allocs.sites.cap = CAP / 5;
}

/* As the owner does it: in slices, and the lock can be released within them. */
static void apply_locked(struct pv_model *m, const struct pv_batch *b)
{
	for (size_t at = 0; at < b->n;) {
		pv_model_lock(m);
		ck_assert(pv_model_apply(m, b, &at, 1000000));
		pv_model_unlock(m);
	}
}

static void same_end(const struct pv_model *x, const struct pv_model *y)
{
	ck_assert_uint_eq(x->calls.node.n, y->calls.node.n);
	ck_assert_mem_eq(
		x->calls.node.v, y->calls.node.v, x->calls.node.n * sizeof *x->calls.node.v);
	ck_assert_uint_eq(x->stacks.node.n, y->stacks.node.n);
	ck_assert_mem_eq(
		x->stacks.node.v, y->stacks.node.v, x->stacks.node.n * sizeof *x->stacks.node.v);
	ck_assert_uint_eq(x->allocs.sites.site.n, y->allocs.sites.site.n);
}

/* Whether somebody takes the lock that is released changes nothing. */
START_TEST(readers_find_everything_in_its_place)
{
	struct logkit *k = logkit_new(17);
	struct pv_model *m = pv_model_create(NULL);
	struct reader r = { .m = m };
	pthread_t thread;
	ck_assert(m && pv_model_begin(m, &k->model->target));
	limit(k->model);
	limit(m);
	ck_assert_int_eq(pthread_create(&thread, NULL, read_on, &r), 0);
	for (size_t i = 0; i < CALLS; i += CHUNK) {
		fill(k, i, CHUNK);
		logkit_flush(k);
		apply_locked(m, &k->batch);
	}
	r.stop = true;
	pthread_join(thread, NULL);
	ck_assert_uint_gt(r.views, 0);
	ck_assert_uint_eq(r.unlike, 0);
	ck_assert_uint_gt(m->calls.folds, 0);
	ck_assert_uint_gt(m->stacks.fold_at, 0);
	ck_assert_uint_gt(m->allocs.sites.folded, 0);
	same_end(k->model, m);
	/* In no hold more than its part was gone through. */
	ck_assert_uint_le(m->private->yield.most, HELD);
	ck_assert_uint_ge(m->private->yield.most, HELD / 8);
	pv_model_destroy(m);
	logkit_free(k);
}
END_TEST

/* If nothing can fold, it is not tried again for each call. */
START_TEST(what_cannot_fold_is_not_tried_at_every_call)
{
	struct logkit *k = logkit_new(17);
	k->model->calls.cap = 5000;
	for (uint64_t i = 0; i < 30000; i++)
		logkit_enter(k, (int64_t)i, LEAF + i % 700 * 8);
	const struct pv_calls *c = &logkit_model(k)->calls;
	ck_assert_uint_eq(c->calls, 30000);
	ck_assert_uint_le(c->node.n, 5000);
	ck_assert_uint_le(c->folds, 1);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model folds");
	TCase *t = tcase_create("folds");
	tcase_set_timeout(t, 120);
	tcase_add_test(t, the_least_are_those_that_sorting_finds);
	tcase_add_test(t, readers_find_everything_in_its_place);
	tcase_add_test(t, what_cannot_fold_is_not_tried_at_every_call);
	suite_add_tcase(s, t);
	return run_suite(s);
}
