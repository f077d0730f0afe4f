/* SPDX-License-Identifier: MIT */
/* Every view is asked again and again while another thread goes on applying events. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { ROUNDS = 400, CLASS = 0x100000 };

struct writer {
	struct kit kit;
	atomic_bool done;
};

/* New names, deeper stacks and more of everything each time. */
static void *write_events(void *arg)
{
	struct writer *w = arg;
	struct kit *k = &w->kit;
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		char name[40];
		uint64_t method = i * 16, class = CLASS + i % 50 * 16;
		const uint64_t stack[] = { 16, method, 0 };
		snprintf(name, sizeof name, "App:Method%u ()", (unsigned)i);
		kit_at(k, i * 1000);
		kit_method(k, method, name);
		kit_class(k, class, name);
		kit_enter(k, method);
		kit_alloc(k, class, 0x8000 + i * 64, 24, stack);
		kit_throw(k, 0x8000 + i * 64, stack);
		kit_sample(k, 0x10, method * 16, stack);
		if (i % 2)
			kit_leave(k, method);
		kit_gc(k, PV_GC_PRE_STOP, 0);
		kit_gc(k, PV_GC_START, 0);
		kit_gc(k, PV_GC_END, 0);
		kit_gc(k, PV_GC_POST_START, 0);
		kit_flush(k);
	}
	atomic_store(&w->done, true);
	return NULL;
}

static void ask_everything(struct pv_model *m, uint64_t window_ns, size_t rows[PV_VIEW_COUNT])
{
	uint64_t before = pv_view_generation(m);
	for (int view = 0; view < PV_VIEW_COUNT; view++) {
		struct pv_query q = {
			.window_ns = window_ns, .open_all = true, .select = 2, .base = 1
		};
		struct pv_table *t = pv_view_table(m, (enum pv_view)view, &q);
		ck_assert_ptr_nonnull(t);
		ck_assert_uint_ge(t->generation, before);
		rows[view] = t->rows;
		for (size_t i = 0; i < t->rows; i++) {
			char text[100];
			for (size_t c = 0; c < t->columns; c++)
				ck_assert_ptr_nonnull(pv_cell_text(
					&t->row[i].cell[c], t->column[c].unit, text, sizeof text));
		}
		pv_table_destroy(t);
	}
	struct pv_series *s = pv_view_series(m, PV_SERIES_CALL_RATE, 0, 0, 0, 50);
	ck_assert_ptr_nonnull(s);
	pv_series_destroy(s);
	struct pv_summary summary;
	pv_view_summary(m, &summary);
}

START_TEST(views_while_events_come_in)
{
	struct writer w = { .kit = kit_new("log:calls,alloc,sample") };
	pthread_t thread;
	size_t rows[PV_VIEW_COUNT];
	ck_assert_int_eq(pthread_create(&thread, NULL, write_events, &w), 0);
	for (unsigned n = 0; !atomic_load(&w.done) || n < 2; n++)
		ask_everything(w.kit.m, n % 2 ? 1000000000 : 0, rows);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ask_everything(w.kit.m, 0, rows);
	ck_assert_uint_eq(rows[PV_VIEW_METHODS], ROUNDS);
	ck_assert_uint_eq(rows[PV_VIEW_PAUSES], ROUNDS);
	ck_assert_uint_eq(rows[PV_VIEW_EXCEPTIONS], rows[PV_VIEW_CLASSES]);
	kit_free(&w.kit);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("query threads");
	TCase *c = tcase_create("all");
	tcase_set_timeout(c, 120);
	tcase_add_test(c, views_while_events_come_in);
	suite_add_tcase(s, c);
	return run_suite(s);
}
