/* SPDX-License-Identifier: MIT */
/*
 * Pages of events around a moment, from the buffers nearest to it: the same rows as those that a
 * plain reading of every byte has there, for random logs whose threads write at the same time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ingest/again/events_read.h"
#include "common/ingest/again/reread.h"
#include "common/ingest/ingest_parts.h"
#include "common/model/event_filter.h"
#include "tests/kit/logkit.h"
#include "tests/kit/range_kit.h"
#include "tests/kit/suite.h"

enum { THREADS = 5, EVENTS = 20000 };

static char path[] = "/tmp/pv-events-XXXXXX";
static uint32_t state;

static unsigned rnd(unsigned below)
{
	state = state * 1664525 + 1013904223;
	return (state >> 10) % below;
}

/* Threads at paces of their own, with buffers of very different length. */
static void write_log(uint32_t seed)
{
	struct logkit *k = logkit_new(17);
	int64_t now[THREADS] = { 0 };
	state = seed;
	logkit_method(k, 0, 0x1000, "Shop.Cart:Total (int)");
	logkit_class(k, 0, 0x5000, "Shop.Item");
	logkit_named(k, 0, PV_KIND_THREAD_NAME, 2, "worker");
	for (unsigned i = 0; i < EVENTS; i++) {
		unsigned th = rnd(THREADS);
		int64_t *t = &now[th];
		logkit_on(k, th + 1);
		*t += rnd(1 + 3000 * (th + 1));
		switch (rnd(5)) {
		case 0:
			logkit_alloc(k, *t, 0x5000, 0x100000 + 64 * (uint64_t)i, 24 + rnd(3));
			break;
		case 1:
			logkit_gc(k, *t, rnd(6), rnd(2));
			break;
		default:
			logkit_enter(k, *t, 0x1000);
			logkit_leave(k, *t, 0x1000);
		}
		if (rnd(40 * (THREADS - th)) == 0)
			logkit_flush(k);
	}
	logkit_flush(k);
	FILE *f = fopen(path, "wb");
	ck_assert_uint_eq(fwrite(k->file.v, 1, k->file.n, f), k->file.n);
	fclose(f);
	logkit_free(k);
}

/* --- every event, read plainly */

struct all {
	PV_ARRAY(struct pv_event_row) row;
	int64_t zero_ns;
};

static bool on_header(void *ctx, const struct mlpd_header *h)
{
	(void)ctx, (void)h;
	return true;
}

static bool is_big(const struct pv_batch *b, size_t i)
{
	return b->kind[i] == PV_KIND_ALLOC && b->allocs.v[b->key[i]].size > 24;
}

static bool on_buffer(void *ctx, const struct mlpd_buffer_header *h, const struct pv_batch *b)
{
	struct all *a = ctx;
	(void)h;
	ck_assert(pv_reserve(&a->row, b->n));
	for (size_t i = 0; i < b->n; i++)
		a->row.v[a->row.n++] = (struct pv_event_row){ .line = is_big(b, i) ? "big" : "",
			.time_ns = (int64_t)b->time[i] - a->zero_ns,
			.id = b->offset + MLPD_BUFFER_HEADER + i + 1,
			.thread_id = b->thread,
			.kind = b->kind[i] };
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct pv_event_row *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return (x->time_ns > y->time_ns) - (x->time_ns < y->time_ns);
	return (x->id > y->id) - (x->id < y->id);
}

static struct all read_all(int64_t zero_ns)
{
	struct all a = { .zero_ns = zero_ns };
	struct pv_error e = { 0 };
	struct pv_reread to = { .ctx = &a, .header = on_header, .buffer = on_buffer, .err = &e };
	ck_assert_msg(pv_reread(&to, path), "%s", e.what);
	qsort(a.row.v, a.row.n, sizeof *a.row.v, by_place);
	return a;
}

/* --- pages */

static struct pv_events_read *read_page(struct pv_ingest *in, const struct pv_events_wish *wish)
{
	struct pv_error e = { 0 };
	struct pv_background_status s;
	struct pv_events_read *r = pv_events_start(in, wish, &e);
	ck_assert_msg(r != NULL, "%s", e.what);
	pv_background_wait(pv_events_job(r));
	pv_background_status(pv_events_job(r), &s);
	ck_assert_msg(s.done, "%s", s.error.what);
	return r;
}

static bool is_wanted(const struct pv_events_wish *w, const struct pv_event_row *row)
{
	bool gc = !w->filter || row->kind == PV_KIND_GC_EVENT;
	if (w->filter && strstr(w->filter, "bytes"))
		gc = row->line[0];
	return gc && (!w->ranged || (row->time_ns >= w->from_ns && row->time_ns < w->to_ns));
}

static void check_page(struct pv_ingest *in, const struct all *all, const struct pv_events_wish *w)
{
	struct pv_events_read *r = read_page(in, w);
	const struct pv_event_page *p = pv_events_page(r);
	size_t n = 0, at = 0, from, to, most = PV_EVENT_PAGE_HALF;
	PV_ARRAY(struct pv_event_row) row = { 0 };
	ck_assert(pv_reserve(&row, all->row.n));
	for (size_t i = 0; i < all->row.n; i++)
		if (is_wanted(w, &all->row.v[i]))
			row.v[n++] = all->row.v[i];
	while (at < n && row.v[at].time_ns < w->time_ns)
		at++;
	if (w->from != PV_EVENTS_AROUND) {
		at = w->from == PV_EVENTS_FIRST ? 0 : n;
		most = PV_EVENT_PAGE_ROWS;
	}
	from = at > most ? at - most : 0;
	to = at + most < n ? at + most : n;
	ck_assert_uint_eq(p->rows, to - from);
	ck_assert_uint_eq(p->at, at - from);
	for (size_t i = from; i < to; i++) {
		ck_assert_int_eq(p->row[i - from].time_ns, row.v[i].time_ns);
		ck_assert_uint_eq(p->row[i - from].id, row.v[i].id);
		ck_assert_uint_eq(p->row[i - from].thread_id, row.v[i].thread_id);
	}
	/* a page that says of no others has all there are */
	ck_assert(p->more_before || from == 0);
	ck_assert(p->more_after || to == n);
	if (!w->filter) {
		ck_assert_int_eq(p->more_before, from > 0);
		ck_assert_int_eq(p->more_after, to < n);
	}
	pv_array_finish(&row);
	pv_background_destroy(pv_events_job(r));
}

static void check_seed(uint32_t seed, bool table)
{
	write_log(seed);
	struct pv_ingest *in = range_kit_load(path);
	ck_assert_ptr_nonnull(in);
	ck_assert_str_eq(in->table->unusable, "");
	if (!table)
		pv_buffers_invalidate(in->table, "by the test");
	struct all all = read_all(in->model->zero_ns);
	const int64_t last = all.row.v[all.row.n - 1].time_ns;
	ck_assert_uint_gt(all.row.n, 4 * PV_EVENT_PAGE_ROWS);
	for (unsigned i = 0; i < 24; i++) {
		struct pv_events_wish w = { .from = i % 4   ? PV_EVENTS_AROUND
						    : i % 8 ? PV_EVENTS_FIRST
							    : PV_EVENTS_LAST,
			.filter = i % 3   ? NULL
				  : i % 2 ? "kind:alloc bytes>24"
					  : "kind:gc.event",
			.ranged = i % 5 == 0 };
		w.time_ns = (int64_t)rnd(1000) * last / 1000;
		w.from_ns = (int64_t)rnd(500) * last / 1000;
		w.to_ns = w.from_ns + last / 3;
		check_page(in, &all, &w);
	}
	pv_array_finish(&all.row);
	pv_ingest_destroy(in);
}

START_TEST(a_page_is_what_a_plain_reading_has_there)
{
	check_seed(1 + (uint32_t)_i, true);
}
END_TEST

START_TEST(without_a_table_of_buffers_everything_is_read)
{
	check_seed(7, false);
}
END_TEST

/* Only what lies near is read, however long the log is. */
START_TEST(a_page_needs_few_of_the_buffers)
{
	struct pv_background_status s;
	write_log(1);
	struct pv_ingest *in = range_kit_load(path);
	const struct pv_events_wish w = { .from = PV_EVENTS_FIRST };
	struct pv_events_read *r = read_page(in, &w);
	pv_background_status(pv_events_job(r), &s);
	ck_assert_uint_gt(s.step, 0);
	ck_assert_uint_lt(4 * s.step, s.steps);
	pv_background_destroy(pv_events_job(r));
	pv_ingest_destroy(in);
}
END_TEST

/* From page to page, by the last event of each: every event once. */
START_TEST(pages_one_after_the_other_have_every_event)
{
	write_log(3);
	struct pv_ingest *in = range_kit_load(path);
	struct all all = read_all(in->model->zero_ns);
	struct pv_events_wish w = { .from = PV_EVENTS_FIRST };
	size_t at = 0;
	for (bool more = true; more;) {
		struct pv_events_read *r = read_page(in, &w);
		const struct pv_event_page *p = pv_events_page(r);
		size_t i = w.from == PV_EVENTS_FIRST ? 0 : p->at;
		for (; i < p->rows; i++)
			ck_assert_uint_eq(p->row[i].id, all.row.v[at++].id);
		more = p->more_after;
		w = (struct pv_events_wish){ .from = PV_EVENTS_AROUND,
			.time_ns = p->row[p->rows - 1].time_ns,
			.id = p->row[p->rows - 1].id + 1 };
		pv_background_destroy(pv_events_job(r));
	}
	ck_assert_uint_eq(at, all.row.n);
	pv_array_finish(&all.row);
	pv_ingest_destroy(in);
}
END_TEST

START_TEST(names_are_those_of_the_model)
{
	struct logkit *k = logkit_new(17);
	logkit_on(k, 1);
	logkit_enter(k, 1000, 0x1000); /* named only later, by another thread */
	logkit_alloc(k, 2000, 0x5000, 0x100040, 24);
	logkit_flush(k);
	logkit_on(k, 2);
	logkit_method(k, 3000, 0x1000, "Shop.Cart/<TaxAsync>d__4:MoveNext ()");
	logkit_class(k, 3000, 0x5000, "Shop.Item");
	logkit_named(k, 3000, PV_KIND_THREAD_NAME, 1, "worker");
	logkit_flush(k);
	FILE *f = fopen(path, "wb");
	ck_assert_ptr_nonnull(f);
	ck_assert_uint_eq(fwrite(k->file.v, 1, k->file.n, f), k->file.n);
	fclose(f);
	logkit_free(k);
	struct pv_ingest *in = range_kit_load(path);
	struct pv_events_wish w = { .from = PV_EVENTS_FIRST, .filter = "thread:work" };
	struct pv_events_read *r = read_page(in, &w);
	const struct pv_event_page *p = pv_events_page(r);
	ck_assert_uint_eq(p->rows, 2);
	ck_assert_str_eq(p->row[0].thread, "worker");
	ck_assert_str_eq(p->row[0].line, "Shop.Cart/<TaxAsync>d__4:MoveNext ()");
	ck_assert_str_eq(p->row[1].line, "Shop.Item  24 B  0x100040");
	pv_background_destroy(pv_events_job(r));
	w.readable = true;
	r = read_page(in, &w);
	ck_assert_str_eq(pv_events_page(r)->row[0].line, "Shop.Cart.TaxAsync");
	pv_background_destroy(pv_events_job(r));
	pv_ingest_destroy(in);
}
END_TEST

static struct pv_event_filter filter_of(const char *text)
{
	struct pv_filter_error err;
	struct pv_event_filter f;
	ck_assert_msg(pv_event_filter_make(&f, text, PV_FILTER_CAPITALS, &err), "%s", err.what);
	return f;
}

/* A filter asked of an event of this kind without numbers. */
static bool passes(
	const struct pv_event_filter *f, unsigned kind, const char *thread, const char *line)
{
	uint8_t kinds[1] = { (uint8_t)kind };
	uint64_t key[1] = { 0 };
	struct pv_alloc alloc = { .size = 40 };
	struct pv_event event = { .kind = (uint8_t)kind };
	struct pv_batch b = { .n = 1, .kind = kinds, .key = key };
	b.allocs.v = &alloc;
	b.other_events.v = &event;
	b.plain_events.v = (void *)&event;
	return pv_event_filter_has(f, &b, 0, thread, line);
}

START_TEST(words_of_a_filter)
{
	struct pv_event_filter f = filter_of(" kind:gc !\"mark begins\" worker");
	ck_assert(f.kind[PV_KIND_GC_EVENT] && f.kind[PV_KIND_GC_RESIZE]);
	ck_assert(!f.kind[PV_KIND_ALLOC]);
	ck_assert(passes(&f, PV_KIND_GC_EVENT, "worker-1", "minor begins"));
	ck_assert(!passes(&f, PV_KIND_GC_EVENT, "worker-1", "minor mark begins"));
	ck_assert(!passes(&f, PV_KIND_GC_EVENT, "main", "minor begins"));
	pv_event_filter_finish(&f);
	f = filter_of("!kind:alloc");
	ck_assert(!f.kind[PV_KIND_ALLOC] && f.kind[PV_KIND_GC_EVENT]);
	pv_event_filter_finish(&f);
	f = filter_of("kind:alloc | thread:main !kind:gc");
	ck_assert(f.kind[PV_KIND_ALLOC] && !f.kind[PV_KIND_GC_EVENT]);
	ck_assert(f.kind[PV_KIND_EXCEPTION_THROW]);
	pv_event_filter_finish(&f);
	f = filter_of("");
	ck_assert(f.kind[PV_KIND_ALLOC] && passes(&f, PV_KIND_ALLOC, "", ""));
	pv_event_filter_finish(&f);
	f = filter_of("alloc"); /* a word without a field finds kinds, too */
	ck_assert(passes(&f, PV_KIND_ALLOC, "main", "String"));
	ck_assert(!passes(&f, PV_KIND_GC_EVENT, "main", "minor"));
	ck_assert(f.kind[PV_KIND_GC_EVENT]); /* its text may have the word */
	pv_event_filter_finish(&f);
	f = filter_of("!alloc");
	ck_assert(!f.kind[PV_KIND_ALLOC]);
	pv_event_filter_finish(&f);
	struct pv_filter_error err;
	ck_assert(!pv_event_filter_make(&f, "a |", PV_FILTER_CAPITALS, &err));
	ck_assert_uint_eq(err.at, 2);
	pv_event_filter_finish(&f);
}
END_TEST

START_TEST(numbers_of_a_filter)
{
	struct pv_event_filter f = filter_of("bytes>24");
	ck_assert(f.kind[PV_KIND_ALLOC] && f.kind[PV_KIND_GC_RESIZE]);
	ck_assert(!f.kind[PV_KIND_GC_EVENT] && !f.kind[PV_KIND_EXCEPTION_THROW]);
	ck_assert(passes(&f, PV_KIND_ALLOC, "main", "String"));
	ck_assert(!passes(&f, PV_KIND_GC_EVENT, "main", "minor"));
	pv_event_filter_finish(&f);
	f = filter_of("bytes>1KiB");
	ck_assert(!passes(&f, PV_KIND_ALLOC, "main", "String"));
	pv_event_filter_finish(&f);
	f = filter_of("!bytes>1KiB"); /* an event without bytes is not above */
	ck_assert(passes(&f, PV_KIND_ALLOC, "", "") && passes(&f, PV_KIND_GC_EVENT, "", ""));
	ck_assert(f.kind[PV_KIND_GC_EVENT]);
	pv_event_filter_finish(&f);
	f = filter_of("took>=1ms | generation=0 kind:gc");
	ck_assert(f.kind[PV_KIND_EXT_SPAN] && f.kind[PV_KIND_GC_EVENT] && !f.kind[PV_KIND_ALLOC]);
	ck_assert(passes(&f, PV_KIND_GC_EVENT, "", ""));
	ck_assert(!passes(&f, PV_KIND_EXT_SPAN, "", ""));
	pv_event_filter_finish(&f);
	f = filter_of("List<int> size>5"); /* no number, no column: text */
	ck_assert(passes(&f, PV_KIND_GC_EVENT, "", "List<int> size>5"));
	pv_event_filter_finish(&f);
}
END_TEST

static void setup(void)
{
	strcpy(path, "/tmp/pv-events-XXXXXX");
	int fd = mkstemp(path);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void teardown(void)
{
	unlink(path);
}

int main(void)
{
	Suite *s = suite_create("events read");
	TCase *t = tcase_create("events");
	tcase_set_timeout(t, 60);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(t, a_page_is_what_a_plain_reading_has_there, 0, 4);
	tcase_add_test(t, without_a_table_of_buffers_everything_is_read);
	tcase_add_test(t, a_page_needs_few_of_the_buffers);
	tcase_add_test(t, pages_one_after_the_other_have_every_event);
	tcase_add_test(t, names_are_those_of_the_model);
	tcase_add_test(t, words_of_a_filter);
	tcase_add_test(t, numbers_of_a_filter);
	suite_add_tcase(s, t);
	return run_suite(s);
}
