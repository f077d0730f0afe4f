/* SPDX-License-Identifier: MIT */
/*
 * Paths that batches name: where some of them were lost, where no more of them can be added, and
 * where their nodes are known.
 */
#include <string.h>

#include "common/calls/summariser.h"
#include "common/calls/mlpd_summary.h"
#include "common/model/ground/model_parts.h"
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x10000 };

struct reader {
	struct logkit *k;
	struct pv_summariser *run;
	int64_t now;
};

/* All the kit was given since, as a buffer and a run: decoded, not applied. */
static void decode_reported(struct reader *r, struct pv_batch *ret)
{
	struct logkit *k = r->k;
	logkit_flush(k);
	const struct mlpd_buffer_header h = { .time_base = k->batch.time_base };
	struct pv_decode_task t = { .format = k->format };
	struct pv_batch *b = &t.batch;
	size_t bytes = k->batch.bytes_len;
	mlpd_bases_init(&t.bases, &h);
	b->thread = k->batch.thread;
	b->time_base = k->batch.time_base;
	ck_assert(pv_reserve(&b->bytes, bytes + 1));
	memcpy(b->bytes.v, k->batch.bytes.v, bytes);
	b->bytes.n = b->bytes_len = bytes;
	ck_assert(pv_model_summarises(k->model, &b->summary));
	ck_assert_uint_eq(pv_summarise_run(r->run, &t, 1), 1);
	ck_assert(!t.nomem);
	*ret = t.batch;
}

/* Calls of `n` methods from number `from` on. */
static void decode(struct reader *r, uint64_t from, uint64_t n, struct pv_batch *ret)
{
	for (uint64_t i = from; i < from + n; i++, r->now += 10) {
		logkit_enter(r->k, r->now, METHOD + i * 8);
		logkit_leave(r->k, r->now + 5, METHOD + i * 8);
	}
	decode_reported(r, ret);
}

/* Paths that the model has of the thread's stream, when the batch has been heard of. */
static size_t registers(struct reader *r, uint64_t from, uint64_t n, bool is_new)
{
	struct pv_batch b, *one = &b;
	size_t at = 0;
	decode(r, from, n, &b);
	ck_assert_uint_gt(b.summary.segment.n, 0);
	ck_assert_int_eq(b.summary.path.n > 0, is_new);
	ck_assert(pv_paths_register(r->k->model, &one, 1));
	ck_assert(pv_model_apply(r->k->model, &b, &at, 0));
	pv_batch_finish(&b);
	return r->k->model->private->segments.stream[0].path.n - PV_PATH_FIRST;
}

START_TEST(paths_are_named_once_until_they_are_forgotten)
{
	struct reader r = { .k = logkit_new(17), .run = pv_summariser_create(NULL) };
	logkit_plain(r.k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(r.k); /* the first one shows how others come */
	ck_assert_uint_eq(registers(&r, 0, 10, true), 10);
	ck_assert_uint_eq(registers(&r, 0, 10, false), 10);
	ck_assert_uint_eq(registers(&r, 5, 10, true), 15);
	pv_summariser_forget(r.run, true);
	ck_assert_uint_eq(registers(&r, 10, 3, true), 3); /* numbered anew */
	ck_assert_uint_eq(registers(&r, 10, 3, false), 3);
	pv_summariser_destroy(r.run);
	logkit_free(r.k);
}
END_TEST

/* Paths that the decoder drops of a thread, the model drops after the run. */
START_TEST(paths_that_the_decoder_drops_are_dropped)
{
	const struct pv_summariser_limits few = { 100, 200 }; /* 256 nodes are too many */
	struct reader r = { .k = logkit_new(17), .run = pv_summariser_create(&few) };
	logkit_plain(r.k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(r.k);
	ck_assert_uint_eq(registers(&r, 0, 10, true), 10);
	ck_assert_uint_eq(registers(&r, 20, 5, true), 5);
	pv_summariser_destroy(r.run);
	logkit_free(r.k);
}
END_TEST

/* --- at a cap */

/* Whether the run is applied as it is; else event by event. */
static bool takes_batch(struct reader *r, struct pv_model *m, struct pv_batch *b)
{
	(void)r;
	size_t at = 0;
	ck_assert(pv_paths_register(m, &b, 1));
	bool taken = !pv_calls_need_order(m, &b, 1);
	if (!taken) {
		ck_assert(pv_calls_skip_summary(m, &b, 1));
		ck_assert(mlpd_decode_plain(b));
	}
	ck_assert(pv_model_apply(m, b, &at, 0));
	pv_batch_finish(b);
	return taken;
}

static bool takes(struct reader *r, struct pv_model *m, uint64_t from, uint64_t n)
{
	struct pv_batch b;
	decode(r, from, n, &b);
	return takes_batch(r, m, &b);
}

static void same_calls(const struct pv_model *x, const struct pv_model *y)
{
	ck_assert_uint_eq(x->calls.node.n, y->calls.node.n);
	ck_assert_uint_eq(x->names.method.n, y->names.method.n);
	for (size_t i = 1; i < x->calls.node.n; i++) {
		const uint64_t key = x->names.method.v[x->calls.node.v[i].method].key;
		size_t k = 1; /* none calls another: a method has one node */
		while (k < y->calls.node.n &&
			y->names.method.v[y->calls.node.v[k].method].key != key)
			k++;
		ck_assert_uint_lt(k, y->calls.node.n);
		ck_assert_uint_eq(x->calls.node.v[i].calls, y->calls.node.v[k].calls);
		ck_assert_int_eq(x->calls.node.v[i].total_ns, y->calls.node.v[k].total_ns);
	}
}

/* Near a cap of tree or methods: what adds nothing is taken, what might reach the cap is not. */
START_TEST(a_run_of_known_paths_is_taken_near_a_cap)
{
	struct reader r = { .k = logkit_new(17), .run = pv_summariser_create(NULL) };
	struct logkit *other = logkit_new(17);
	struct pv_model *m = other->model;
	size_t at = 0, *cap = _i ? &m->names.method_cap : &m->calls.cap;
	logkit_plain(r.k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(r.k);
	ck_assert(pv_model_apply(m, &r.k->batch, &at, 0)); /* the first one shows how others come */
	*cap = 100;
	ck_assert(takes(&r, m, 0, 60)); /* 61 with the root, or what stands for none */
	ck_assert(takes(&r, m, 0, 60));
	ck_assert(takes(&r, m, 50, 40)); /* 91 */
	ck_assert(takes(&r, m, 0, 90));
	same_calls(r.k->model, m);
	ck_assert(takes(&r, m, 80, 15)); /* 96 */
	ck_assert(!takes(&r, m, 90, 8)); /* 99: with the segment that is one event more, 100 */
	ck_assert_uint_eq(m->calls.folds, 0);
	same_calls(r.k->model, m);
	pv_summariser_destroy(r.run);
	logkit_free(other);
	logkit_free(r.k);
}
END_TEST

/* --- bases */

enum { OUTER = METHOD + 0x8000 };

/* The same run of calls on what is open, by a stream that does not know what that is. */
static uint32_t turn_of_calls(struct reader *r, struct pv_model *m)
{
	pv_summariser_forget(r->run, false);
	ck_assert(takes(r, m, 0, 10));
	return m->private->segments.stream[0].turn;
}

/* Then something begins or ends there. */
static void outer(struct reader *r, struct pv_model *m, bool begins)
{
	struct pv_batch b;
	if (begins)
		logkit_enter(r->k, r->now++, OUTER);
	else
		logkit_leave(r->k, r->now++, OUTER);
	decode_reported(r, &b);
	ck_assert(takes_batch(r, m, &b));
}

static void same_nodes(const struct pv_model *x, const struct pv_model *y)
{
	ck_assert_uint_eq(x->calls.node.n, y->calls.node.n);
	for (size_t i = 1; i < x->calls.node.n; i++) {
		const struct pv_tree_node *a = &x->calls.node.v[i], *b = y->calls.node.v + 1;
		while (b < y->calls.node.v + y->calls.node.n &&
			(b->key != a->key || (b->parent == 0) != (a->parent == 0)))
			b++;
		ck_assert(b < y->calls.node.v + y->calls.node.n);
		ck_assert_uint_eq(a->calls, b->calls);
		ck_assert_int_eq(a->total_ns, b->total_ns);
	}
}

START_TEST(on_a_base_that_comes_again_nodes_are_known)
{
	struct reader r = { .k = logkit_new(17), .run = pv_summariser_create(NULL) };
	struct logkit *other = logkit_new(17);
	struct pv_model *m = other->model;
	size_t at = 0;
	logkit_plain(r.k, 0, PV_KIND_SYNC_POINT);
	logkit_flush(r.k);
	ck_assert(pv_model_apply(m, &r.k->batch, &at, 0));
	uint32_t only = turn_of_calls(&r, m);
	outer(&r, m, true);
	uint32_t within = turn_of_calls(&r, m);
	ck_assert_uint_ne(within, only);
	outer(&r, m, false);
	ck_assert_uint_eq(turn_of_calls(&r, m), only);
	outer(&r, m, true);
	ck_assert_uint_eq(turn_of_calls(&r, m), within);
	ck_assert_uint_eq(m->calls.node.n, 1 + 10 + 1 + 10);
	same_nodes(r.k->model, m);
	m->private->segments.changes++; /* as if nodes had other numbers now */
	ck_assert_uint_gt(turn_of_calls(&r, m), within);
	same_nodes(r.k->model, m);
	pv_summariser_destroy(r.run);
	logkit_free(other);
	logkit_free(r.k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model streams");
	TCase *t = tcase_create("paths");
	tcase_add_test(t, paths_are_named_once_until_they_are_forgotten);
	tcase_add_test(t, paths_that_the_decoder_drops_are_dropped);
	tcase_add_loop_test(t, a_run_of_known_paths_is_taken_near_a_cap, 0, 2);
	tcase_add_test(t, on_a_base_that_comes_again_nodes_are_known);
	suite_add_tcase(s, t);
	return run_suite(s);
}
