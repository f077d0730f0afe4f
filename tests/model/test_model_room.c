/* SPDX-License-Identifier: MIT */
/* Room for new things is made beforehand, and much of it comes in parts. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "common/calls/mlpd_summary.h"
#include "common/model/ground/room.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

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

/* --- a segment of many new paths */

enum { LEAVES = 6000, OUTER = 0x8000 };

struct reader {
	struct pv_model *m;
	size_t nodes; /* when the lock was got */
	uint64_t calls;
};

static void *look(void *arg)
{
	struct reader *r = arg;
	pv_model_lock(r->m);
	r->nodes = r->m->calls.node.n;
	for (size_t i = 0; i < r->nodes; i++)
		r->calls += r->m->calls.node.v[i].calls;
	pv_model_unlock(r->m);
	return NULL;
}

static void await_waiter(struct pv_model *m)
{
	while (pthread_mutex_trylock(&m->private->next) == 0) {
		pthread_mutex_unlock(&m->private->next);
		sched_yield();
	}
}

/* The kit's batch once more, its calls summed up. */
static void sum_up(struct logkit *k, struct pv_model *m, struct pv_batch *b)
{
	const struct mlpd_buffer_header h = { .time_base = k->batch.time_base };
	struct mlpd_bases bases;
	size_t used, n = k->batch.bytes_len;
	mlpd_bases_init(&bases, &h);
	ck_assert(pv_reserve(&b->bytes, n + 1));
	memcpy(b->bytes.v, k->batch.bytes.v, n);
	b->bytes.n = b->bytes_len = n;
	b->thread = k->batch.thread;
	b->time_base = k->batch.time_base;
	ck_assert(pv_model_summarises(m, &b->summary));
	ck_assert(mlpd_summarise_batch(b, &bases, &k->format, false, &used));
	ck_assert(pv_paths_register(m, &b, 1));
	ck_assert(!pv_calls_need_order(m, &b, 1));
}

static void apply(struct pv_model *m, const struct pv_batch *b)
{
	for (size_t at = 0; at < b->n;)
		ck_assert(pv_model_apply(m, b, &at, UINT64_MAX));
}

START_TEST(new_paths_of_a_segment_come_in_parts)
{
	struct logkit *k = logkit_new(17), *other = logkit_new(17);
	struct pv_model *m = other->model;
	struct pv_batch b = { 0 };
	struct reader r = { .m = m };
	pthread_t thread;
	logkit_plain(k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(k);
	size_t at = 0;
	ck_assert(pv_model_apply(m, &k->batch, &at, 0)); /* the first one shows how others come */
	logkit_enter(k, 1, OUTER);
	for (uint64_t i = 0; i < LEAVES; i++) {
		logkit_enter(k, 10 + (int64_t)i, METHOD + i * 8);
		logkit_leave(k, 11 + (int64_t)i, METHOD + i * 8);
	}
	logkit_flush(k);
	sum_up(k, m, &b);
	pv_model_lock(m);
	ck_assert_int_eq(pthread_create(&thread, NULL, look, &r), 0);
	await_waiter(m);
	apply(m, &b);
	pv_model_unlock(m);
	pthread_join(thread, NULL);
	/* It got the lock amid all that, before any figure changed. */
	ck_assert_uint_ge(r.nodes, 1000);
	ck_assert_uint_lt(r.nodes, LEAVES / 2);
	ck_assert_uint_eq(r.calls, 0);
	ck_assert_uint_eq(m->calls.node.n, k->model->calls.node.n);
	for (uint32_t i = 1; i < m->calls.node.n; i++) {
		ck_assert_uint_eq(m->calls.node.v[i].calls, 1);
		ck_assert_int_eq(m->calls.node.v[i].total_ns, k->model->calls.node.v[i].total_ns);
	}
	pv_batch_finish(&b);
	logkit_free(other);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model room");
	TCase *t = tcase_create("room");
	tcase_set_timeout(t, 300);
	tcase_add_test(t, large_maps_grow_between_two_batches);
	tcase_add_test(t, new_paths_of_a_segment_come_in_parts);
	suite_add_tcase(s, t);
	return run_suite(s);
}
