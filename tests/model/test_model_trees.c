/* SPDX-License-Identifier: MIT */
/* Calls that the probe summed up stand in the model as if they had been traced. */
#include "tests/kit/suite.h"

#include "common/query/coverage/lines.h"
#include "tests/kit/logkit.h"

enum { A = 0x100, B = 0x110, C = 0x120 };

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	logkit_method(k, 0, C, "C");
	return k;
}

/* A node: `back` events before it stands its parent. */
static void node(
	struct logkit *k, int64_t t, uint64_t back, uint64_t method, uint64_t calls, int64_t self)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_EXT_TREE_CALL,
			.tree = { .back = back,
				.method = method,
				.calls = calls,
				.self_ns = (uint64_t)self,
				.max_ns = 7 * calls } });
}

static void cpu(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t user, uint64_t kernel)
{
	logkit_event(k, t, (struct pv_event){ .kind = (uint8_t)kind, .cpu = { user, kernel } });
}

START_TEST(differences_add_up)
{
	struct logkit *k = world();
	node(k, 1000, 0, A, 1, 60);
	node(k, 1000, 1, B, 2, 40);
	node(k, 1000, 1, A, 1, 10); /* A/B/A */
	logkit_flush(k);
	node(k, 2000, 0, A, 0, 5);
	node(k, 2000, 1, B, 1, -4); /* it had got too much */
	logkit_flush(k);
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.calls, 2);
	ck_assert_int_eq(a.self_ns, 75);
	ck_assert_int_eq(a.total_ns, 111); /* the outermost */
	ck_assert_int_eq(a.max_ns, 7);
	ck_assert_uint_eq(b.calls, 3);
	ck_assert_int_eq(b.self_ns, 36);
	ck_assert_int_eq(b.total_ns, 46);
	ck_assert_int_eq(b.max_ns, 14);
	ck_assert_uint_eq(k->model->calls.calls, 5);
	ck_assert_uint_ne(logkit_node(k, "A/B/A"), 0);
	ck_assert_uint_eq(logkit_node(k, "B"), 0);
	ck_assert_uint_eq(k->model->tree_sums.lost, 0);
	ck_assert_uint_eq(logkit_thread(k, 1, 1)->calls, 5);
	logkit_free(k);
}
END_TEST

START_TEST(buffers_are_whole_in_themselves)
{
	struct logkit *k = world();
	node(k, 10, 0, A, 1, 1);
	logkit_flush(k);
	node(k, 20, 1, B, 1, 1); /* its parent stands in no buffer of its own */
	logkit_flush(k);
	ck_assert_uint_eq(k->model->tree_sums.lost, 1);
	ck_assert_uint_eq(logkit_sum(k, "B").calls, 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_full_tree_folds_and_loses_no_time)
{
	struct logkit *k = world();
	int64_t self = 0;
	uint64_t calls = 0;
	k->model->calls.cap = 64;
	for (uint64_t i = 0; i < 400; i++) {
		uint64_t key = 0x1000 + 16 * (i % 200);
		node(k, 10 * (int64_t)i, 0, A, 1, 1);
		node(k, 10 * (int64_t)i, 1, key, 3, 5);
		node(k, 10 * (int64_t)i, 1, B, 2, 7);
		self += 13;
		calls += 6;
		if (i % 37 == 36)
			logkit_flush(k);
	}
	logkit_flush(k);
	const struct pv_calls *c = &k->model->calls;
	int64_t have = 0;
	uint64_t have_calls = 0;
	for (size_t i = 1; i < c->node.n; i++) {
		have += c->node.v[i].self_ns;
		have_calls += c->node.v[i].calls;
	}
	ck_assert_uint_gt(c->folded, 0);
	ck_assert_uint_le(c->node.n, 64);
	ck_assert_int_eq(have, self);
	ck_assert_uint_eq(have_calls, calls);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, self);
	logkit_free(k);
}
END_TEST

START_TEST(a_range_takes_what_was_reported_in_it)
{
	const struct pv_restrict only = { .ranged = true, .from_ns = 1500, .to_ns = 3000 };
	struct logkit *k = logkit_new_only(17, &only);
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	node(k, 1000, 0, A, 1, 60);
	node(k, 1000, 1, B, 1, 40);
	logkit_flush(k);
	node(k, 2000, 0, A, 2, 30);
	logkit_flush(k);
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 2);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 30);
	ck_assert_uint_eq(logkit_sum(k, "B").calls, 0);
	logkit_free(k);
}
END_TEST

START_TEST(processor_time_goes_to_what_stands_before_it)
{
	struct logkit *k = world();
	node(k, 10, 0, A, 1, 100);
	cpu(k, 10, PV_KIND_EXT_TREE_CPU, 30, 20);
	node(k, 10, 1, B, 1, 100);
	cpu(k, 10, PV_KIND_EXT_TREE_CPU, 1, 2);
	cpu(k, 10, PV_KIND_EXT_TREE_CPU, 1000, 1000); /* of nothing */
	struct pv_span frames = LOGKIT_LIST(k, B, A); /* innermost first */
	logkit_event(k, 20,
		(struct pv_event){
			.kind = PV_KIND_SAMPLE_HIT, .hit = { .thread = 1, .frames = frames } });
	cpu(k, 20, PV_KIND_EXT_CPU, 500, 600);
	logkit_flush(k);
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.cpu_user_ns, 30);
	ck_assert_uint_eq(a.cpu_kernel_ns, 20);
	ck_assert_uint_eq(b.cpu_user_ns, 501);
	ck_assert_uint_eq(b.cpu_kernel_ns, 602);
	logkit_free(k);
}
END_TEST

START_TEST(samples_fall_on_lines)
{
	struct logkit *k = world();
	logkit_event(k, 1,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			.jit = {
				.method = A, .code = 0x5000, .size = 0x100, .name = { "A", 1 } } });
	struct pv_span pairs = LOGKIT_LIST(k, 0, 10, 0x20, 11, 0x40, 10); /* a loop: 10, 11, 10 */
	logkit_event(k, 1,
		(struct pv_event){ .kind = PV_KIND_EXT_LINES,
			.lines = { .method = A, .file = { "a.cs", 4 }, .pairs = pairs } });
	const uint64_t ips[] = { 0x5000, 0x501f, 0x5020, 0x50ff, 0x6000, 0x4fff };
	for (size_t i = 0; i < 6; i++) {
		struct pv_span both = LOGKIT_LIST(k, ips[i], A);
		logkit_event(k, 10 + (int64_t)i,
			(struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
				.hit = { .thread = 1,
					.ips = { both.at, 1 },
					.frames = { both.at + 1, 1 } } });
	}
	logkit_flush(k);
	struct pv_line_sums sums;
	pv_model_lock(k->model);
	ck_assert(pv_line_sums(k->model, true, &sums));
	pv_model_unlock(k->model);
	ck_assert_uint_eq(sums.line.n, 3);
	ck_assert_uint_eq(sums.line.v[0].self[PV_LINE_SAMPLES], 2);
	ck_assert_uint_eq(sums.line.v[1].line, 10);
	ck_assert_uint_eq(sums.line.v[1].self[PV_LINE_SAMPLES], 3);
	ck_assert_uint_eq(sums.line.v[2].line, 11);
	ck_assert_uint_eq(sums.line.v[2].self[PV_LINE_SAMPLES], 1);
	pv_line_sums_finish(&sums);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model trees");
	TCase *c = tcase_create("all");
	tcase_add_test(c, differences_add_up);
	tcase_add_test(c, buffers_are_whole_in_themselves);
	tcase_add_test(c, a_full_tree_folds_and_loses_no_time);
	tcase_add_test(c, a_range_takes_what_was_reported_in_it);
	tcase_add_test(c, processor_time_goes_to_what_stands_before_it);
	tcase_add_test(c, samples_fall_on_lines);
	suite_add_tcase(s, c);
	return run_suite(s);
}
