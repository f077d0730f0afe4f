/* SPDX-License-Identifier: MIT */
/* Runtimes' reports of themselves, from the events to the rows, and through an index file. */
#include <stdio.h>
#include <string.h>

#include "common/model/persist.h"
#include "common/query/facts.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { MAIN = 0x100, COPY = 0x110, DOMAIN = 0x10, CONTEXT = 0x20, ASSEMBLY = 0x30, IMAGE = 0x40 };

static const char *row_text(
	struct kit *k, enum pv_view view, size_t row, const char *const *columns)
{
	struct pv_query q = { 0 };
	struct pv_table *t = kit_view(k, view, &q);
	const char *got = kit_text(t, row, columns);
	pv_table_destroy(t);
	return got;
}

static struct kit world(void)
{
	struct kit k = kit_new("profview:runtime,suspend");
	kit_method(&k, MAIN, "Main()");
	kit_method(&k, COPY, "Copy()");
	kit_at(&k, 50);
	return k;
}

START_TEST(stops_by_reason)
{
	static const char *const columns[] = { "reason", "count", "stopped_ns", "max_ns", "wait_ns",
		"wait_max_ns", "failed", NULL };
	struct kit k = world();
	for (uint64_t i = 0; i < 3; i++)
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_SUSPENSION,
				      .stop = { PV_STOP_GC, 10 * i, 100 + i, 0 } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_SUSPENSION, .stop = { 77, 5, 0, 1 } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_STOPS, 0, columns), "collection 3 303 102 30 20 0");
	ck_assert_str_eq(row_text(&k, PV_VIEW_STOPS, 1, columns), "other 1 0 0 5 5 1");
	kit_free(&k);
}
END_TEST

START_TEST(one_method_has_several_bodies)
{
	static const char *const columns[] = { "method", "tier", "version", "code", "bytes", NULL };
	struct kit k = world();
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_BODY,
			      .body = { .method = MAIN,
				      .code = 0x5000,
				      .size = 64,
				      .tier = PV_TIER_QUICK } });
	kit_at(&k, 60);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_BODY,
			      .body = { .method = MAIN,
				      .code = 0x6000,
				      .size = 32,
				      .tier = PV_TIER_1,
				      .version = 2 } });
	kit_at(&k, 70);
	kit_event(&k, (struct pv_event){
			      .kind = PV_KIND_EXT_BODY, .body = { .method = 0x999, .tier = 200 } });
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_CODE_GONE,
			      .body = { .method = MAIN, .why = PV_GONE_PITCHED } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_BODIES, 0, columns), "Main() tier 0 0 0x5000 64");
	ck_assert_str_eq(row_text(&k, PV_VIEW_BODIES, 1, columns), "Main() tier 1 2 0x6000 32");
	ck_assert_str_eq(row_text(&k, PV_VIEW_BODIES, 2, columns), "0x999 unknown 0 - -");
	ck_assert_uint_eq(k.m->runtime.pitched, 1);
	kit_free(&k);
}
END_TEST

static void cross(struct kit *k, uint64_t method, uint64_t into, uint64_t ns)
{
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXT_TRANSITION, .transition = { method, into, ns } });
}

START_TEST(transitions_by_method)
{
	static const char *const columns[] = { "method", "native_calls", "native_ns",
		"native_max_ns", "managed_calls", "managed_ns", NULL };
	struct kit k = world();
	cross(&k, COPY, PV_INTO_NATIVE, 30);
	cross(&k, COPY, PV_INTO_NATIVE, 10);
	cross(&k, COPY, PV_INTO_MANAGED, 7);
	cross(&k, MAIN, PV_INTO_MANAGED, 900);
	ck_assert_str_eq(row_text(&k, PV_VIEW_TRANSITIONS, 0, columns), "Copy() 2 40 30 1 7");
	ck_assert_str_eq(row_text(&k, PV_VIEW_TRANSITIONS, 1, columns), "Main() 0 0 0 1 900");
	kit_free(&k);
}
END_TEST

START_TEST(what_collections_leave)
{
	static const char *const columns[] = { "generation", "survived_bytes", "ranges",
		"moved_bytes", "moved_ranges", NULL };
	struct kit k = world();
	kit_event(&k, (struct pv_event){
			      .kind = PV_KIND_EXT_SURVIVED, .survived = { 1, 9, 4096, 3, 512 } });
	ck_assert_str_eq(row_text(&k, PV_VIEW_SURVIVED, 0, columns), "1 4096 9 512 3");
	kit_free(&k);
}
END_TEST

START_TEST(spans_of_work)
{
	static const char *const columns[] = { "start_ns", "took_ns", "what", "name", "failed",
		"stack", NULL };
	struct kit k = world();
	kit_must(pv_reserve(&k.batch.pool, 2));
	k.batch.pool.v[k.batch.pool.n] = MAIN;
	k.batch.pool.v[k.batch.pool.n + 1] = COPY;
	struct pv_span stack = { (uint32_t)k.batch.pool.n, 2 };
	k.batch.pool.n += 2;
	kit_event(
		&k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN,
			    .span = { 20000, 1, kit_string("HTTP"), kit_string("GET /"), stack } });
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_SPANS, 0, columns), "30000 20000 HTTP GET / 1 Main()\nCopy()");
	kit_free(&k);
}
END_TEST

static void span_of(
	struct kit *k, const char *what, const char *name, uint64_t took_ns, bool failed)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN,
			     .span = { took_ns, failed, kit_string(what), kit_string(name),
				     { 0, 0 } } });
	kit_flush(k); /* the name is the caller's */
}

/*
 * Numbers and ids of paths and literals of SQL make no routes of their own. Requests have no
 * status: none has failed as far as is known.
 */
START_TEST(spans_by_route)
{
	static const char *const columns[] = { "count", "errors", "mean_ns", "p50_ns", "p95_ns",
		"p99_ns", "what", "name", NULL };
	struct kit k = world();
	for (unsigned i = 1; i <= 100; i++) {
		char name[60];
		snprintf(name, sizeof name, "GET /orders/%u/lines?page=%u", i, i);
		span_of(&k, "served", name, i * 10, i % 10 == 0);
	}
	span_of(&k, "served", "GET /files/0f8fad5b-d9cb-469f-a165-70867728950e", 7, false);
	span_of(&k, "served", "GET /files/7c9e6679-7425-40de-944b-e07fc1f90ae7", 9, false);
	span_of(&k, "served", "GET /files/deadbeef", 5, false); /* a word may be of such letters */
	span_of(&k, "SQL", "SELECT *  FROM t1 WHERE a = 'it''s' AND b IN (1, 2, 3)", 3, false);
	span_of(&k, "SQL", "SELECT * FROM t1 WHERE a = '' AND b IN (4.5)", 5, true);
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROUTES, 0, columns),
		"100 10 505 500 950 990 served GET /orders/*/lines");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_ROUTES, 1, columns), "2 - 8 7 9 9 served GET /files/*");
	ck_assert_str_eq(row_text(&k, PV_VIEW_ROUTES, 2, columns),
		"2 1 4 3 5 5 SQL SELECT * FROM t1 WHERE a = ? AND b IN (?)");
	ck_assert_str_eq(
		row_text(&k, PV_VIEW_ROUTES, 3, columns), "1 - 5 5 5 5 served GET /files/deadbeef");

	struct pv_table *routes = kit_view(&k, PV_VIEW_ROUTES, &(struct pv_query){ 0 });
	struct pv_query q = { .select = routes->row[1].id };
	struct pv_table *spans = kit_view(&k, PV_VIEW_SPANS, &q);
	ck_assert_uint_eq(spans->rows, 2);
	struct pv_series *s = pv_view_series(k.m, PV_SERIES_SLOWEST, routes->row[0].id, 0, 0, 1);
	ck_assert_double_eq(s->value[0], 1000);
	pv_series_destroy(s);
	static const double took[] = { 500, 950, 990 };
	for (int i = 0; i < 3; i++) {
		s = pv_view_series(
			k.m, PV_SERIES_TOOK_50 + (unsigned)i, routes->row[0].id, 0, 0, 1);
		ck_assert_double_eq(s->value[0], took[i]);
		pv_series_destroy(s);
	}
	s = pv_view_series(k.m, PV_SERIES_SERVED, routes->row[0].id, 0, 0, 4);
	ck_assert_double_eq_tol((s->value[0] + s->value[1] + s->value[2] + s->value[3]) / 4 *
					(double)(s->to_ns - s->from_ns) / 1e9,
		100, 0.01);
	pv_series_destroy(s);
	pv_table_destroy(spans);
	pv_table_destroy(routes);
	kit_free(&k);
}
END_TEST

static void works(struct kit *k, enum pv_work_step step, uint64_t id, uint64_t parent)
{
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXT_WORK, .work = { id, parent, (uint64_t)step } });
}

static void ends(struct kit *k, uint64_t id, uint64_t parent, const char *what, const char *name)
{
	works(k, PV_WORK_ENDS, id, parent);
	span_of(k, what, name, 1000, false);
}

static void waits(struct kit *k, uint64_t from_us, uint64_t us)
{
	kit_at(k, from_us);
	kit_monitor(k, PV_KIND_MONITOR_CONTENTION, 0x9000, NULL);
	kit_at(k, from_us + us);
	kit_monitor(k, PV_KIND_MONITOR_DONE, 0x9000, NULL);
}

static const char *spent(struct kit *k, const char *name)
{
	static const char *const columns[] = { "cpu_ns", "wait_ns", "queries", NULL };
	static char text[100];
	struct pv_table *t = kit_view(k, PV_VIEW_SPANS, &(struct pv_query){ 0 });
	size_t row = (size_t)(kit_row(t, "name", name) - t->row);
	snprintf(text, sizeof text, "%s", kit_text(t, row, columns));
	pv_table_destroy(t);
	return text;
}

static void hit(struct kit *k, uint64_t thread, uint64_t us)
{
	static const uint64_t frames[] = { MAIN, 0 };
	kit_at(k, us);
	kit_sample(k, thread, 0, frames);
}

/*
 * All between begin and end on a thread is the innermost span's and that of those around it;
 * where a thread was at another one's before the end it is given to none. Samples stand before the
 * begins in the log.
 */
START_TEST(work_is_given_to_its_span)
{
	struct kit k = kit_new("profview:sample=1000,spans");
	kit_method(&k, MAIN, "Main()");
	kit_thread(&k, 9); /* samples of others, and spans have begun before */
	works(&k, PV_WORK_BEGINS, 100, 0);
	hit(&k, 1, 120); /* request 1 */
	hit(&k, 1, 220); /* its query */
	hit(&k, 1, 420); /* at rest */
	hit(&k, 2, 150); /* request 3, which is left for 4 */
	hit(&k, 2, 250); /* request 4 */
	kit_thread(&k, 1);
	kit_at(&k, 100);
	works(&k, PV_WORK_BEGINS, 1, 0);
	waits(&k, 130, 50);
	kit_at(&k, 200);
	works(&k, PV_WORK_BEGINS, 2, 1);
	kit_at(&k, 300);
	ends(&k, 2, 1, "SQL", "SELECT 1");
	kit_at(&k, 400);
	ends(&k, 1, 0, "served", "GET /one");
	waits(&k, 410, 50);
	kit_thread(&k, 2);
	kit_at(&k, 100);
	works(&k, PV_WORK_BEGINS, 3, 0);
	kit_at(&k, 200);
	works(&k, PV_WORK_BEGINS, 4, 0);
	kit_at(&k, 300);
	ends(&k, 4, 0, "served", "GET /four");
	waits(&k, 310, 50); /* at rest, though request 3 goes on */
	kit_at(&k, 380);
	works(&k, PV_WORK_GOES_ON, 3, 0); /* the next event is of 3 */
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x9000, NULL);
	kit_at(&k, 387);
	works(&k, PV_WORK_GOES_ON, 3, 0);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x9000, NULL);
	kit_at(&k, 390);
	works(&k, PV_WORK_BEGINS, 5, 0);
	kit_thread(&k, 3);
	kit_at(&k, 400);
	ends(&k, 3, 0, "served", "GET /three");
	ck_assert_str_eq(spent(&k, "GET /one"), "2000000 50000 1");
	ck_assert_str_eq(spent(&k, "SELECT 1"), "1000000 0 -");
	static const char *const alike[] = { "name", "count", "requests", "most", "total_ns",
		NULL };
	ck_assert_str_eq(row_text(&k, PV_VIEW_QUERIES, 0, alike), "SELECT ? 1 1 1 1000");
	ck_assert_str_eq(spent(&k, "GET /four"), "1000000 0 0");
	ck_assert_str_eq(spent(&k, "GET /three"), "0 7000 0");
	kit_free(&k);
}
END_TEST

static void contexts(struct kit *k)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_CONTEXT_LOAD,
			     .meta = { .key = CONTEXT, .domain = DOMAIN } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_CONTEXT_NAME,
			     .meta = { .key = CONTEXT, .name = kit_string("plug-ins") } });
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_ASSEMBLY_LOAD,
			.meta = { .key = ASSEMBLY, .image = IMAGE, .name = kit_string("plug") } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_ASSEMBLY_IN,
			     .meta = { .key = ASSEMBLY, .owner = CONTEXT } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			     .meta = { .key = IMAGE,
				     .name = kit_string("plug.dll"),
				     .mvid = kit_string("") } });
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			.meta = { .key = 0x50, .image = IMAGE, .name = kit_string("Plug.In") } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			     .meta = { .key = 0x51, .domain = DOMAIN, .owner = 0x50 } });
	kit_alloc(k, 0x50, 0x8000, 24, NULL);
}

START_TEST(rows_by_load_context)
{
	static const char *const columns[] = { "name", "allocations", NULL };
	struct kit k = world();
	contexts(&k);
	struct pv_query q = { .group = PV_BY_CONTEXT };
	struct pv_table *t = kit_view(&k, PV_VIEW_CLASSES, &q);
	ck_assert_str_eq(kit_text(t, 0, columns), "plug-ins 1");
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

struct bytes {
	PV_ARRAY(uint8_t) all;
	size_t at;
};

static bool put(void *ctx, const void *data, size_t n)
{
	struct bytes *b = ctx;
	kit_must(pv_reserve(&b->all, n));
	memcpy(b->all.v + b->all.n, data, n);
	b->all.n += n;
	return true;
}

static bool get(void *ctx, void *data, size_t n)
{
	struct bytes *b = ctx;
	if (n > b->all.n - b->at)
		return false;
	memcpy(data, b->all.v + b->at, n);
	b->at += n;
	return true;
}

START_TEST(an_index_keeps_them)
{
	struct kit k = world();
	struct bytes b = { .at = 0 };
	cross(&k, COPY, PV_INTO_NATIVE, 30);
	contexts(&k);
	kit_flush(&k);
	ck_assert(pv_model_save(k.m, put, &b));
	struct pv_model *m = pv_model_create(NULL);
	ck_assert(pv_model_load(m, get, &b, b.all.n));
	ck_assert_uint_eq(m->runtime.transitions.n, 1);
	ck_assert_int_eq(m->runtime.transitions.v[0].total_ns[PV_INTO_NATIVE], 30);
	ck_assert_uint_eq(m->runtime.in_contexts, 1);
	pv_model_destroy(m);
	pv_array_finish(&b.all);
	kit_free(&k);
}
END_TEST

static void say(struct kit *k, enum pv_kind kind, uint64_t key, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = (uint8_t)kind,
			     .meta = { .key = key, .name = { name, strlen(name) } } });
}

/* The collector's threads tell how it works, once it did. */
START_TEST(which_runtime_it_was)
{
	static const char *const want[] = { NULL, "workstation", "server" };
	for (int i = 0; i < 3; i++) {
		struct kit k = kit_new("profview:coreclr,gc");
		struct pv_facts f;
		say(&k, PV_KIND_IMAGE_LOAD, 0x9000,
			"/opt/shared/Microsoft.NETCore.App/10.0.12/System.Private.CoreLib.dll");
		say(&k, PV_KIND_THREAD_NAME, 7, ".NET Finalizer");
		if (i == 2)
			say(&k, PV_KIND_THREAD_NAME, 8, ".NET Server GC");
		for (int step = 0; i && step < 2; step++)
			kit_gc(&k, step ? PV_GC_END : PV_GC_START, 0);
		kit_flush(&k);
		pv_view_facts(k.m, &f);
		ck_assert_str_eq(f.runtime_version, "10.0.12");
		ck_assert((f.gc_mode == NULL) == (want[i] == NULL));
		ck_assert(!f.gc_mode || strcmp(f.gc_mode, want[i]) == 0);
		/* Of a part of the log only its threads are known. */
		k.m->only.ranged = true;
		pv_view_facts(k.m, &f);
		ck_assert((f.gc_mode == NULL) == (i < 2));
		k.m->only.ranged = false;
		k.m->target.joined = true;
		pv_view_facts(k.m, &f);
		ck_assert((f.gc_mode == NULL) == (i < 2));
		kit_free(&k);
	}
}
END_TEST

int main(void)
{
	Suite *s = suite_create("views of runtimes");
	TCase *t = tcase_create("views of runtimes");
	tcase_add_test(t, stops_by_reason);
	tcase_add_test(t, one_method_has_several_bodies);
	tcase_add_test(t, transitions_by_method);
	tcase_add_test(t, what_collections_leave);
	tcase_add_test(t, spans_of_work);
	tcase_add_test(t, which_runtime_it_was);
	tcase_add_test(t, spans_by_route);
	tcase_add_test(t, work_is_given_to_its_span);
	tcase_add_test(t, rows_by_load_context);
	tcase_add_test(t, an_index_keeps_them);
	suite_add_tcase(s, t);
	return run_suite(s);
}
