/* SPDX-License-Identifier: MIT */
/* Calls in small worlds; every figure below is worked out by hand. */
#include "tests/kit/logkit.h"
#include "tests/kit/suite.h"

enum { A = 0xa0, B = 0xb0, C = 0xc0, D = 0xd0 };

static struct logkit *world(void)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 9);
	logkit_method(k, 0, A, "A");
	logkit_method(k, 0, B, "B");
	logkit_method(k, 0, C, "C");
	logkit_method(k, 0, D, "D");
	logkit_flush(k);
	logkit_on(k, 1);
	return k;
}

START_TEST(self_and_total)
{
	struct logkit *k = world();
	logkit_enter(k, 100, A); /* A 100..200: B 120..150, B 160..170 */
	logkit_enter(k, 120, B);
	logkit_leave(k, 150, B);
	logkit_enter(k, 160, B);
	logkit_leave(k, 170, B);
	logkit_leave(k, 200, A);
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.calls, 1);
	ck_assert_int_eq(a.total_ns, 100);
	ck_assert_int_eq(a.self_ns, 60);
	ck_assert_int_eq(a.max_ns, 100);
	ck_assert_uint_eq(b.calls, 2);
	ck_assert_int_eq(b.total_ns, 40);
	ck_assert_int_eq(b.self_ns, 40);
	ck_assert_int_eq(b.max_ns, 30);
	ck_assert_uint_eq(k->model->calls.calls, 3);
	ck_assert_uint_eq(k->model->kinds[PV_KIND_METHOD_ENTER], 3);
	ck_assert_uint_ne(logkit_node(k, "A/B"), 0);
	ck_assert_uint_eq(logkit_node(k, "B"), 0);
	logkit_free(k);
}
END_TEST

START_TEST(recursion_takes_the_outermost)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A); /* A 0..100, inside it B 10..90, inside that A 20..60 */
	logkit_enter(k, 10, B);
	logkit_enter(k, 20, A);
	logkit_leave(k, 60, A);
	logkit_leave(k, 90, B);
	logkit_leave(k, 100, A);
	struct pv_method_sum a = logkit_sum(k, "A"), b = logkit_sum(k, "B");
	ck_assert_uint_eq(a.calls, 2);
	ck_assert_int_eq(a.total_ns, 100);
	ck_assert_int_eq(a.self_ns, 20 + 40);
	ck_assert_int_eq(a.max_ns, 100);
	ck_assert_int_eq(b.total_ns, 80);
	ck_assert_int_eq(b.self_ns, 40);
	logkit_free(k);
}
END_TEST

START_TEST(missing_leave_is_closed_by_the_outer_one)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_enter(k, 10, B);
	logkit_enter(k, 20, C); /* neither C nor B leave */
	logkit_leave(k, 50, A);
	logkit_enter(k, 60, D);
	logkit_leave(k, 65, D);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 50);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 40);
	ck_assert_int_eq(logkit_sum(k, "C").total_ns, 30);
	ck_assert_int_eq(logkit_sum(k, "C").self_ns, 30);
	ck_assert_uint_eq(k->model->calls.missing_leaves, 2);
	ck_assert_uint_ne(logkit_node(k, "D"), 0);
	logkit_free(k);
}
END_TEST

START_TEST(stray_leave_pops_nothing)
{
	struct logkit *k = world();
	logkit_leave(k, 0, A);
	logkit_enter(k, 10, A);
	logkit_leave(k, 20, B);
	logkit_exc_leave(k, 30, C);
	logkit_leave(k, 40, A);
	ck_assert_uint_eq(logkit_model(k)->calls.stray_leaves, 3);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 30);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 30);
	ck_assert_uint_eq(logkit_sum(k, "A").exc_leaves, 0);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 0);
	ck_assert_uint_eq(k->model->calls.missing_leaves, 0);
	logkit_free(k);
}
END_TEST

START_TEST(exception_unwinds_to_its_method)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_enter(k, 10, B);
	logkit_enter(k, 20, C);
	logkit_enter(k, 30, D);
	logkit_exc_leave(k, 40, D);
	logkit_exc_leave(k, 50, B); /* takes C with it */
	logkit_leave(k, 100, A);
	ck_assert_uint_eq(logkit_sum(k, "D").exc_leaves, 1);
	ck_assert_uint_eq(logkit_sum(k, "B").exc_leaves, 1);
	ck_assert_uint_eq(logkit_sum(k, "C").exc_leaves, 0);
	ck_assert_int_eq(logkit_sum(k, "C").total_ns, 30);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 40);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 10 + 50);
	ck_assert_uint_eq(k->model->calls.unwound, 1);
	ck_assert_uint_eq(k->model->calls.missing_leaves, 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_stack_continues_across_buffers)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_enter(k, 5, B);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_enter(k, 10, B);
	logkit_flush(k);
	logkit_leave(k, 30, B);
	logkit_leave(k, 40, A);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_leave(k, 105, B);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 40);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 20);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 20 + 100);
	ck_assert_uint_ne(logkit_node(k, "B"), 0);
	ck_assert_uint_ne(logkit_node(k, "A/B"), 0);
	logkit_free(k);
}
END_TEST

START_TEST(open_frames_run_to_the_last_event)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_enter(k, 10, B);
	logkit_object(k, 50, PV_KIND_EXCEPTION_THROW, 0x8000); /* any event moves the end */
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_object(k, 900, PV_KIND_EXCEPTION_THROW, 0x8000); /* another thread's does not */
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 50);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 10);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 40);
	ck_assert_int_eq(logkit_sum(k, "B").self_ns, 40);
	ck_assert_int_eq(logkit_sum(k, "B").max_ns, 40);
	struct pv_open_calls open;
	ck_assert(pv_calls_open(k->model, &open));
	ck_assert_uint_eq(open.call.n, 2);
	pv_open_calls_finish(&open);
	logkit_free(k);
}
END_TEST

START_TEST(an_open_path_on_two_threads_counts_twice)
{
	struct logkit *k = world();
	for (uint64_t thread = 1; thread <= 2; thread++) {
		logkit_on(k, thread);
		logkit_enter(k, 0, A);
		logkit_object(k, 50 * (int64_t)thread, PV_KIND_EXCEPTION_THROW, 0x8000);
	}
	struct pv_method_sum a = logkit_sum(k, "A");
	ck_assert_uint_eq(a.calls, 2);
	ck_assert_int_eq(a.total_ns, 150);
	ck_assert_int_eq(a.self_ns, 150);
	ck_assert_int_eq(a.max_ns, 100);
	logkit_free(k);
}
END_TEST

START_TEST(a_gap_closes_open_frames_at_the_last_event)
{
	struct logkit *k = world();
	logkit_enter(k, 0, A);
	logkit_enter(k, 10, B);
	logkit_object(k, 25, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_flush(k);
	k->gap = true;
	logkit_leave(k, 100000, A); /* its enter was before the gap */
	logkit_enter(k, 100010, C);
	logkit_leave(k, 100020, C);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 25);
	ck_assert_int_eq(logkit_sum(k, "B").self_ns, 15);
	ck_assert_uint_eq(k->model->calls.gap_closed, 2);
	ck_assert_uint_eq(k->model->calls.stray_leaves, 1);
	ck_assert_uint_ne(logkit_node(k, "C"), 0);
	logkit_free(k);
}
END_TEST

START_TEST(a_damaged_tail_closes_its_own_thread)
{
	struct logkit *k = world();
	logkit_on(k, 2);
	logkit_enter(k, 0, A);
	logkit_flush(k);
	logkit_on(k, 1);
	logkit_enter(k, 0, B);
	logkit_object(k, 7, PV_KIND_EXCEPTION_THROW, 0x8000);
	k->damage = 5;
	logkit_flush(k);
	logkit_object(k, 500, PV_KIND_EXCEPTION_THROW, 0x8000);
	logkit_on(k, 2);
	logkit_leave(k, 40, A);
	ck_assert_int_eq(logkit_sum(k, "B").total_ns, 7);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 40);
	ck_assert_uint_eq(k->model->damaged, 1);
	ck_assert_uint_eq(k->model->damaged_bytes, 5);
	ck_assert_uint_eq(k->model->damage.n, 1);
	ck_assert_uint_eq(k->model->damage.v[0].bytes, 5);
	logkit_free(k);
}
END_TEST

START_TEST(damage_between_buffers_closes_every_thread)
{
	struct logkit *k = world();
	for (uint64_t thread = 1; thread <= 3; thread++) {
		logkit_on(k, thread);
		logkit_enter(k, 0, A);
		logkit_object(k, 10, PV_KIND_EXCEPTION_THROW, 0x8000);
		logkit_flush(k);
	}
	pv_model_damage(k->model, 123, 45, "a hole");
	logkit_object(k, 1000, PV_KIND_EXCEPTION_THROW, 0x8000);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 30);
	ck_assert_uint_eq(k->model->calls.gap_closed, 3);
	ck_assert_str_eq(k->model->damage.v[0].reason, "a hole");
	logkit_free(k);
}
END_TEST

START_TEST(self_never_exceeds_wall_time)
{
	struct logkit *k = world();
	const uint64_t method[] = { A, B, C, D };
	unsigned state = 1;
	int64_t t = 0;
	for (int i = 0; i < 20000; i++) { /* enters and leaves that do not fit together */
		state = state * 1103515245 + 12345;
		uint64_t which = method[(state >> 16) & 3];
		t += (state >> 20) & 15;
		switch ((state >> 24) & 3) {
		case 0:
			logkit_exc_leave(k, t, which);
			break;
		case 1:
			logkit_leave(k, t, which);
			break;
		default:
			logkit_enter(k, t, which);
		}
		if (i % 1000 == 999)
			logkit_flush(k);
	}
	int64_t self = logkit_sum(k, "A").self_ns + logkit_sum(k, "B").self_ns +
		       logkit_sum(k, "C").self_ns + logkit_sum(k, "D").self_ns;
	ck_assert_int_gt(self, 0);
	ck_assert_int_le(self, t);
	ck_assert_int_le(logkit_sum(k, "A").total_ns, t);
	logkit_free(k);
}
END_TEST

START_TEST(time_may_step_back)
{
	struct logkit *k = world();
	logkit_enter(k, 100, A);
	logkit_enter(k, 90, B); /* 10 ns "before" its caller */
	logkit_leave(k, 95, B);
	logkit_leave(k, 130, A);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 30);
	ck_assert_int_eq(logkit_sum(k, "A").self_ns, 25); /* -10 + 35 */
	ck_assert_int_eq(logkit_sum(k, "B").self_ns, 5);
	logkit_free(k);
}
END_TEST

START_TEST(many_children_and_deep_paths)
{
	struct logkit *k = world();
	for (int round = 0; round < 3; round++)
		for (uint64_t i = 0; i < 500; i++) { /* a parent with 500 children */
			int64_t t = round * 100000 + (int64_t)i * 100;
			logkit_enter(k, t, A);
			logkit_enter(k, t + 10, 0x10000 + i * 8);
			logkit_leave(k, t + 20, 0x10000 + i * 8);
			logkit_leave(k, t + 30, A);
		}
	struct pv_model *m = logkit_model(k);
	ck_assert_uint_eq(m->calls.node.n, 1 + 1 + 500);
	uint32_t a = logkit_node(k, "A");
	ck_assert_uint_eq(m->calls.node.v[a].children, 500);
	for (uint32_t c = m->calls.node.v[a].first_child; c; c = m->calls.node.v[c].next_sibling) {
		ck_assert_uint_eq(m->calls.node.v[c].calls, 3);
		ck_assert_int_eq(m->calls.node.v[c].total_ns, 30);
	}
	for (int i = 0; i < 2000; i++)
		logkit_enter(k, 400000 + i, B);
	for (int i = 0; i < 2000; i++)
		logkit_leave(k, 402000 + i, B);
	struct pv_method_sum b = logkit_sum(k, "B");
	ck_assert_uint_eq(b.calls, 2000);
	ck_assert_int_eq(b.total_ns, 3999);
	ck_assert_int_eq(b.self_ns, 3999);
	logkit_free(k);
}
END_TEST

START_TEST(thread_zero_is_one_merged_thread)
{
	struct logkit *k = world();
	logkit_on(k, 0);
	logkit_enter(k, 0, A);
	logkit_flush(k);
	logkit_leave(k, 10, A);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 10);
	ck_assert_uint_eq(logkit_thread(k, 0, 1)->events, 2);
	logkit_free(k);
}
END_TEST

START_TEST(slices_give_the_same_figures)
{
	struct logkit *k = world();
	struct pv_batch b = { .thread = 1, .time_base = 1000 };
	ck_assert(pv_batch_reserve(&b, 20000));
	for (size_t i = 0; i < 20000; i++) {
		b.time[i] = 1000 + i;
		b.kind[i] = i % 2 ? PV_KIND_METHOD_LEAVE : PV_KIND_METHOD_ENTER;
		b.key[i] = A;
	}
	b.n = 20000;
	size_t at = 0, turns = 0;
	for (; at < b.n; turns++)
		ck_assert(pv_model_apply(k->model, &b, &at, 1));
	ck_assert_uint_gt(turns, 1);
	ck_assert_uint_eq(logkit_sum(k, "A").calls, 10000);
	ck_assert_int_eq(logkit_sum(k, "A").total_ns, 10000);
	ck_assert_uint_eq(k->model->buffers, 2); /* with the names' one */
	pv_batch_finish(&b);
	logkit_free(k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("model calls");
	TCase *t = tcase_create("calls");
	tcase_add_test(t, self_and_total);
	tcase_add_test(t, recursion_takes_the_outermost);
	tcase_add_test(t, missing_leave_is_closed_by_the_outer_one);
	tcase_add_test(t, stray_leave_pops_nothing);
	tcase_add_test(t, exception_unwinds_to_its_method);
	tcase_add_test(t, a_stack_continues_across_buffers);
	tcase_add_test(t, open_frames_run_to_the_last_event);
	tcase_add_test(t, an_open_path_on_two_threads_counts_twice);
	tcase_add_test(t, a_gap_closes_open_frames_at_the_last_event);
	tcase_add_test(t, a_damaged_tail_closes_its_own_thread);
	tcase_add_test(t, damage_between_buffers_closes_every_thread);
	tcase_add_test(t, self_never_exceeds_wall_time);
	tcase_add_test(t, time_may_step_back);
	tcase_add_test(t, many_children_and_deep_paths);
	tcase_add_test(t, thread_zero_is_one_merged_thread);
	tcase_add_test(t, slices_give_the_same_figures);
	suite_add_tcase(s, t);
	return run_suite(s);
}
