/* SPDX-License-Identifier: MIT */
/* Findings: each threshold from both sides, causes before symptoms, rules without evidence. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/query/findings/rule.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum {
	ERROR = 0x100,
	LOCK = 0x200,
	OBJECT = 0x8000,
	TEXT = 0x300,
	NODE = 0x400,
	MS = 1000,
	S = 1000000
};

static const char *const shown[] = { "score", "verdict", "text", NULL };

/* The rule's row as text: "50 warning 120 exceptions ...". Its figure is in what narrow lists show. */
static const char *finding(struct kit *k, const char *id)
{
	enum { NARROW = 38 };
	struct pv_table *t = kit_view(k, PV_VIEW_FINDINGS, NULL);
	const struct pv_row *row = kit_row(t, "finding", id);
	const char *text = kit_text(t, (size_t)(row - t->row), shown);
	const char *said = kit_cell(t, row, "text")->s;
	size_t figure = strcspn(said, "0123456789");
	ck_assert_msg(figure < NARROW || !said[figure], "%s", said);
	pv_table_destroy(t);
	return text;
}

/* Rule `a` stands before rule `b`. */
static bool stands_before(struct kit *k, const char *a, const char *b)
{
	struct pv_table *t = kit_view(k, PV_VIEW_FINDINGS, NULL);
	bool before = kit_row(t, "finding", a) < kit_row(t, "finding", b);
	pv_table_destroy(t);
	return before;
}

static void begins(const char *text, const char *start)
{
	ck_assert_msg(strncmp(text, start, strlen(start)) == 0, "\"%s\" for \"%s\"", text, start);
}

START_TEST(scores_go_straight_from_threshold_to_threshold)
{
	ck_assert_double_eq(pv_scale_score(0, 2, 4, 8), 0);
	ck_assert_double_eq(pv_scale_score(1, 2, 4, 8), 12.5);
	ck_assert_double_eq(pv_scale_score(2, 2, 4, 8), 25);
	ck_assert_double_eq(pv_scale_score(3, 2, 4, 8), 37.5);
	ck_assert_double_eq(pv_scale_score(4, 2, 4, 8), 50);
	ck_assert_double_eq(pv_scale_score(8, 2, 4, 8), 75);
	ck_assert_double_eq(pv_scale_score(12, 2, 4, 8), 87.5);
	ck_assert_double_eq(pv_scale_score(1e300, 2, 4, 8), 100);
	ck_assert_double_eq(pv_scale_score(-1, 2, 4, 8), 0);
	ck_assert_double_eq(pv_scale_score(0.0 / 0.0, 2, 4, 8), 0);
}
END_TEST

/* So many exceptions, evenly spread over ten seconds. */
static struct kit throwing(unsigned n)
{
	struct kit k = kit_new("log:nodefaults,exception");
	kit_class(&k, ERROR, "App.OrderNotFound");
	kit_thread(&k, 1);
	kit_alloc(&k, ERROR, OBJECT, 64, NULL);
	for (unsigned i = 0; i < n; i++) {
		kit_at(&k, (uint64_t)i * 10 * S / n);
		kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	}
	kit_at(&k, 10 * S);
	kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	return k;
}

START_TEST(exceptions_are_counted_by_the_second)
{
	struct kit k = throwing(98);
	begins(finding(&k, "exception-flow"), "24 fine 99 exceptions were thrown, 9.9 a second");
	kit_free(&k);
	k = throwing(499); /* few, however fast */
	begins(finding(&k, "exception-flow"), "49 note 500 exceptions were thrown, 50.0 a second");
	kit_free(&k);
	k = throwing(1399);
	begins(finding(&k, "exception-flow"),
		"55 warning 1 400 exceptions were thrown, 140.0 a second");
	kit_free(&k);
	k = throwing(0);
	begins(finding(&k, "exception-flow"), "0 fine 1 exception was thrown, 0.1 a second: ");
	kit_free(&k);
}
END_TEST

static void ended(struct kit *k, uint64_t id, uint64_t parent, uint64_t took_ns)
{
	const struct pv_text served = { "served", 6 }, page = { "GET /page/7", 11 };
	const struct pv_text sql = { "SQL", 3 }, ask = { "SELECT 1", 8 };
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXT_WORK, .work = { id, parent, PV_WORK_ENDS } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN,
			     .span = { took_ns, 0, parent ? sql : served, parent ? ask : page,
				     { 0, 0 } } });
}

static void begun(struct kit *k, uint64_t id, uint64_t parent)
{
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_EXT_WORK, .work = { id, parent, PV_WORK_BEGINS } });
}

/* So many requests of that length, each with a query that takes half of it. */
static struct kit serving(uint64_t n, uint64_t took_ns)
{
	struct kit k = kit_new("profview:spans");
	kit_thread(&k, 1);
	for (uint64_t i = 1; i <= n; i++) {
		kit_at(&k, i * took_ns / 1000);
		begun(&k, 2 * i, 0);
		ended(&k, 2 * i + 1, 2 * i, took_ns / 2);
		ended(&k, 2 * i, 0, took_ns);
	}
	return k;
}

static void judged(struct kit k, const char *id, const char *start)
{
	begins(finding(&k, id), start);
	kit_free(&k);
}

START_TEST(slow_routes_have_their_largest_part)
{
	judged(serving(5, 100000000), "slow-route",
		"13 fine 100 ms is the 95th percentile of 5 GET /page/*; most of their time: queries");
	judged(serving(6, 2000000000), "slow-route",
		"56 warning 2.00 s is the 95th percentile of 6 GET /page/*; most of");
}
END_TEST

/* Two requests that overlap on one thread, with so many queries of one text each. */
static struct kit asking(uint64_t first, uint64_t second)
{
	struct kit k = kit_new("profview:spans");
	kit_thread(&k, 1);
	begun(&k, 1, 0);
	begun(&k, 2, 0);
	for (uint64_t i = 0; i < first || i < second; i++) {
		if (i < first)
			ended(&k, 10 + 2 * i, 1, 10);
		if (i < second)
			ended(&k, 11 + 2 * i, 2, 10);
	}
	ended(&k, 1, 0, 10);
	ended(&k, 2, 0, 10);
	return k;
}

START_TEST(queries_are_counted_by_their_request)
{
	judged(asking(4, 4), "n-plus-one", "20 fine 4 times within one GET /page/*, in 2 such");
	judged(asking(21, 1), "n-plus-one",
		"37 note 21 times within one GET /page/*, in 1 such request: SELECT ?");
	judged(asking(0, 0), "n-plus-one", "- not judged no query to a data base was recorded");
}
END_TEST

START_TEST(rules_without_records_are_not_judged)
{
	struct kit k = throwing(98);
	begins(finding(&k, "lock-contention"),
		"- not judged not recorded; record with mono --profile=log:monitor");
	begins(finding(&k, "gc-time"),
		"- not judged not recorded; record with mono --profile=log:gc");
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
	ck_assert_str_eq(kit_text(t, t->rows - 1, (const char *const[]){ "score", NULL }), "-");
	ck_assert(strstr(t->coverage, "rules judged"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* One lock, waited for so long within ten seconds, by one of two threads. */
static struct kit waiting(uint64_t ms)
{
	struct kit k = kit_new("log:nodefaults,monitor");
	kit_thread(&k, 1);
	kit_class(&k, LOCK, "App.Ledger");
	kit_at(&k, 1);
	kit_alloc(&k, LOCK, OBJECT, 64, NULL);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, OBJECT, (const uint64_t[]){ 0 });
	kit_at(&k, 1 + ms * MS);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, OBJECT, NULL);
	kit_thread(&k, 2);
	kit_at(&k, 10 * S);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, OBJECT, (const uint64_t[]){ 0 });
	return k;
}

START_TEST(locks_are_judged_by_the_time_of_one_thread)
{
	struct kit k = waiting(99);
	begins(finding(&k, "lock-contention"), "6 fine threads waited 99.0 ms");
	kit_free(&k);
	k = waiting(2000);
	begins(finding(&k, "lock-contention"), "58 warning threads waited 2.00 s");
	kit_free(&k);
}
END_TEST

/* Ten stops of so many ms within ten seconds; with strings or without. */
static struct kit stopping(uint64_t ms, bool strings)
{
	struct kit k = kit_new("log:nodefaults,alloc,gc");
	kit_class(&k, TEXT, "System.String");
	kit_class(&k, NODE, "App.Node");
	kit_thread(&k, 1);
	for (unsigned i = 0; i < 10; i++) {
		kit_at(&k, (uint64_t)i * S);
		for (unsigned n = 0; n < 200; n++)
			kit_alloc(
				&k, strings ? TEXT : NODE, 0x10000 + 64 * (200 * i + n), 64, NULL);
		kit_gc(&k, PV_GC_PRE_STOP, 0);
		kit_gc(&k, PV_GC_POST_STOP, 0);
		kit_gc(&k, PV_GC_START, 0);
		kit_at(&k, (uint64_t)i * S + ms * MS);
		kit_gc(&k, PV_GC_END, 0);
		kit_gc(&k, PV_GC_PRE_START, 0);
		kit_gc(&k, PV_GC_POST_START, 0);
	}
	kit_at(&k, 10 * S);
	kit_alloc(&k, NODE, 0x9000000, 64, NULL);
	return k;
}

START_TEST(a_cause_stands_before_its_symptom)
{
	struct kit k = stopping(200, true);
	begins(finding(&k, "gc-time"), "63 warning for 20.0 % of the time collections stopped");
	begins(finding(&k, "string-churn"), "81 severe 100 % of allocated bytes are text");
	ck_assert(stands_before(&k, "string-churn", "gc-time"));
	kit_free(&k);
	k = stopping(200, false);
	begins(finding(&k, "string-churn"), "0 fine");
	ck_assert(stands_before(&k, "gc-time", "string-churn"));
	kit_free(&k);
	/* Strings are fine if they cost nothing. */
	k = stopping(2, true);
	begins(finding(&k, "gc-time"), "1 fine");
	begins(finding(&k, "string-churn"), "20 fine");
	kit_free(&k);
}
END_TEST

/*
 * Stops of 600 ms and, later, 400 ms; samples of processor time each 10 ms: so many in the first
 * one, and in all of the second.
 */
static struct kit stopped_and_sampled(const char *args, unsigned samples)
{
	static const uint64_t at[] = { 2 * S, 6 * S }, took[] = { 600 * MS, 400 * MS };
	struct kit k = kit_new(args);
	kit_thread(&k, 1);
	for (unsigned i = 0; i < 2; i++) {
		unsigned n = i == 0 ? samples : samples ? 40 : 0;
		kit_at(&k, at[i]);
		kit_gc(&k, PV_GC_PRE_STOP, 0);
		kit_gc(&k, PV_GC_POST_STOP, 0);
		for (unsigned s = 0; s < n; s++) {
			kit_at(&k, at[i] + s * took[i] / n);
			kit_sample(&k, 1, 0x104, (const uint64_t[]){ 0x100, 0 });
		}
		kit_at(&k, at[i] + took[i]);
		kit_gc(&k, PV_GC_PRE_START, 0);
		kit_gc(&k, PV_GC_POST_START, 0);
	}
	kit_at(&k, 10 * S);
	kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	return k;
}

/* A stop of a second that computed for a quarter, and so many samples, of 10 ms each, besides in 9 s. */
static struct kit loaded(unsigned samples)
{
	struct kit k = kit_new("log:nodefaults,gc,sample=100");
	kit_thread(&k, 1);
	kit_at(&k, 0);
	kit_gc(&k, PV_GC_PRE_STOP, 0);
	kit_gc(&k, PV_GC_POST_STOP, 0);
	for (unsigned i = 0; i < 25; i++) {
		kit_at(&k, (uint64_t)i * 30 * MS);
		kit_sample(&k, 1, 0x104, (const uint64_t[]){ 0x100, 0 });
	}
	kit_at(&k, S);
	kit_gc(&k, PV_GC_PRE_START, 0);
	kit_gc(&k, PV_GC_POST_START, 0);
	for (unsigned i = 0; i < samples; i++) {
		kit_at(&k, 2 * S + (uint64_t)i * 7 * S / samples);
		kit_sample(&k, 1, 0x104, (const uint64_t[]){ 0x100, 0 });
	}
	kit_at(&k, 10 * S);
	kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	return k;
}

/* A stop that waited for a processor is less grave than a shorter one that computed. */
START_TEST(a_stop_is_judged_by_what_it_computed)
{
	struct kit k = stopped_and_sampled("log:nodefaults,gc,sample=100", 60);
	begins(finding(&k, "long-pause"), "62 warning the longest stop took 600 ms, at 00:00:02");
	kit_free(&k);
	k = stopped_and_sampled("log:nodefaults,gc,sample=100", 20);
	begins(finding(&k, "long-pause"),
		"55 warning a stop took 400 ms, at 00:00:06.000, the longest 600 ms, but computed");
	kit_free(&k);
	k = stopped_and_sampled("log:nodefaults,gc,sample=100", 50);
	begins(finding(&k, "long-pause"),
		"58 warning the longest stop took 600 ms, computing for 500 ms, at 00:00:02");
	kit_free(&k);
	/* None meets the collector: half of the stop may have been waiting. */
	k = stopped_and_sampled("log:nodefaults,gc,sample=100", 0);
	begins(finding(&k, "long-pause"), "52 warning the longest stop took 600 ms, at 00:00:02");
	kit_free(&k);
	k = stopped_and_sampled(
		"log:nodefaults,gc,sample-real=100", 20); /* nor is it said by these */
	begins(finding(&k, "long-pause"), "52 warning the longest stop took 600 ms, at 00:00:02");
	kit_free(&k);
}
END_TEST

/*
 * On a machine with much else to do stops are longer, and what runs between them waits as well: the
 * share is that of a machine that has nothing else to do. A program that rests did not wait.
 */
START_TEST(stops_on_a_loaded_machine_have_the_share_of_an_idle_one)
{
	struct kit k = loaded(0); /* of 9 s it computed for nothing */
	begins(finding(&k, "gc-time"), "14 fine for 10.0 % of the time collections stopped");
	kit_free(&k);
	k = loaded(225); /* four times as long as it computed, as the stop */
	begins(finding(&k, "gc-time"), "50 warning for 10.0 % of the time collections stopped");
	kit_free(&k);
}
END_TEST

/* Methods compiled within 40 s: each second of `first` to `last` so many; native ones besides. */
static struct kit compiling(unsigned first, unsigned last, unsigned each)
{
	struct kit k = kit_new("log:nodefaults,jit");
	uint64_t key = 0x100000;
	kit_thread(&k, 1);
	for (unsigned s = 0; s < 40; s++)
		for (unsigned i = 0; s >= first && s < last && i < each; i++) {
			kit_at(&k, (uint64_t)s * S + (uint64_t)i * S / each);
			kit_method(&k, key += 16, "App:Rule ()");
		}
	kit_at(&k, 40 * S);
	kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	return k;
}

START_TEST(compiling_that_goes_on_is_wrong)
{
	struct kit k = compiling(0, 40, 100);
	begins(finding(&k, "jit-heavy"),
		"50 warning 2000 methods were compiled after the first 20 s, 100 in the middle second");
	kit_free(&k);
	k = compiling(0, 20, 500); /* it starts, for long */
	begins(finding(&k, "jit-heavy"), "0 fine 0 methods were compiled after the first 20 s");
	kit_free(&k);
	k = compiling(36, 40, 800); /* a burst where it does something new */
	begins(finding(&k, "jit-heavy"), "0 fine 3200 methods were compiled after the first 20 s");
	kit_free(&k);
}
END_TEST

/* A list by seconds would be one of gigabytes, and minutes would go by until it is sorted. */
START_TEST(a_time_of_sixty_years_costs_nothing)
{
	struct kit k = compiling(0, 40, 2);
	kit_at(&k, UINT64_C(60) * 365 * 86400 * S);
	kit_throw(&k, OBJECT, (const uint64_t[]){ 0 });
	const clock_t before = clock();
	begins(finding(&k, "jit-heavy"), "0 fine 0 methods were compiled after the first 60 s");
	ck_assert_int_lt((clock() - before) / CLOCKS_PER_SEC, 5);
	kit_free(&k);
}
END_TEST

/* The longest stop was at one time; the facts of a rule are rows. */
START_TEST(a_finding_has_facts)
{
	static const char *const facts[] = { "what", "detail", NULL };
	struct kit k = stopping(200, true);
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
	const struct pv_row *row = kit_row(t, "finding", "long-pause");
	ck_assert_int_gt(kit_cell(t, row, "to_ns")->i, kit_cell(t, row, "from_ns")->i);
	ck_assert_int_eq(
		kit_cell(t, kit_row(t, "finding", "gc-time"), "from_ns")->state, PV_CELL_NULL);
	struct pv_table *of = kit_view(&k, PV_VIEW_FINDING_FACTS,
		&(struct pv_query){ .select = kit_row(t, "finding", "string-churn")->id });
	begins(kit_text(of, 0, facts), "what is wrong 100 % of allocated bytes are text");
	begins(kit_text(of, of->rows - 1, facts), "recorded by mono --profile=log:alloc");
	pv_table_destroy(of);
	of = kit_view(&k, PV_VIEW_FINDING_FACTS,
		&(struct pv_query){ .select = kit_row(t, "finding", "handle-growth")->id });
	begins(kit_text(of, 0, facts), "not judged not recorded; record with");
	pv_table_destroy(of);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* A pool's queue and threads, read each second for ten: `waits` of the readings find work waiting. */
static struct kit pool(unsigned waits, uint64_t more_threads, uint64_t cpu)
{
	static const char *const name[] = { "dotnet.thread_pool.queue.length",
		"dotnet.thread_pool.thread.count", "cpu-usage" };
	struct kit k = kit_new("counter");
	for (uint64_t i = 0; i < PV_COUNT_OF(name); i++)
		kit_describe_counter(&k, i + 1, name[i]);
	for (uint64_t i = 0; i <= 10; i++) {
		uint64_t queue = i == 1 ? 40 : i == 1 + waits ? (uint64_t)-40 : 0;
		kit_counters(&k, i * S,
			(const uint64_t[]){ queue,
				i == 0   ? 4
				: i == 9 ? more_threads
					 : 0,
				i == 0 ? cpu : 0 },
			3);
	}
	kit_flush(&k);
	return k;
}

START_TEST(a_pool_without_threads)
{
	struct kit k = pool(7, 12, 5);
	begins(finding(&k, "pool-starvation"),
		"88 severe up to 40 pieces of work waited for a thread of the pool, for 6.00 s "
		"without a break; it went from 4 threads to 16");
	kit_free(&k);
	k = pool(7, 0, 5); /* it has threads enough */
	begins(finding(&k, "pool-starvation"), "24 fine");
	kit_free(&k);
	k = pool(7, 12, 95); /* which compute */
	begins(finding(&k, "pool-starvation"), "24 fine");
	kit_free(&k);
	k = pool(2, 12, 5); /* a burst */
	begins(finding(&k, "pool-starvation"), "24 fine");
	kit_free(&k);
	k = kit_new("counter");
	begins(finding(&k, "pool-starvation"), "-");
	kit_free(&k);
}
END_TEST

/* Six shots, each with that many objects of 1 KiB, and one that stays as it is. */
static struct kit shots(const unsigned objects[6])
{
	struct kit k = kit_new("heapshot=ondemand");
	kit_class(&k, NODE, "App.Node");
	kit_class(&k, TEXT, "App.Text");
	kit_thread(&k, 1);
	for (uint64_t s = 0; s < 6; s++) {
		kit_at(&k, s * S);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
		kit_shot_object(&k, TEXT, OBJECT - 64, 200000, 0);
		for (uint64_t i = 0; i < objects[s]; i++)
			kit_shot_object(&k, NODE, OBJECT + i * 1024, 1024, 0);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	}
	kit_flush(&k);
	return k;
}

/* Innermost first: 30 in memcpy called by the library that the program calls, 10 in the program. */
START_TEST(a_librarys_function_is_within_the_programs_own)
{
	enum { RUN = 0x501, SUM = 0x502, COPY = 0x503 };
	struct kit k = kit_new("log:nodefaults,sample");
	kit_method(&k, RUN, "Shop.Cart:Run ()");
	kit_method(&k, SUM, "System.Linq.Enumerable:Sum<int> ()");
	kit_method(&k, COPY, "memcpy [libc.so.6]");
	kit_thread(&k, 1);
	for (unsigned i = 0; i < 40; i++) {
		const uint64_t copy[] = { COPY, SUM, RUN, 0 };
		kit_at(&k, i * MS);
		kit_sample(&k, 1, 0x1, i < 30 ? copy : copy + 2);
	}
	kit_flush(&k);
	begins(finding(&k, "hot-method"),
		"33 note 75 % of samples are in memcpy [libc.so.6] alone, 100 % within Shop.Cart:Run ()");
	kit_free(&k);
}
END_TEST

START_TEST(a_class_that_only_grows)
{
	struct kit k = shots((const unsigned[]){ 100, 200, 300, 400, 500, 600 });
	begins(finding(&k, "leak"), "92 severe heap +");
	begins(strstr(finding(&k, "leak"), "App"),
		"App.Node grew at each of 6 shots, now 600 objects");
	kit_free(&k);
	k = shots((const unsigned[]){ 0, 0, 0, 100, 200, 300 }); /* its use begins later */
	begins(finding(&k, "leak"), "88 severe heap +");
	begins(strstr(finding(&k, "leak"), "App"),
		"App.Node grew at each of 3 shots, now 300 objects");
	kit_free(&k);
	k = shots((const unsigned[]){ 0, 0, 0, 0, 200, 300 }); /* two say nothing */
	begins(finding(&k, "leak"), "0 fine no class grew");
	kit_free(&k);
	k = shots((const unsigned[]){ 100, 4000, 5990, 5998, 5999, 6000 }); /* it was filled */
	begins(finding(&k, "leak"), "0 fine no class grew");
	kit_free(&k);
	k = shots((const unsigned[]){
		100, 200, 300, 400, 500, 500 }); /* nothing ran before the last */
	begins(finding(&k, "leak"), "84 severe heap +");
	begins(strstr(finding(&k, "leak"), "App"),
		"App.Node grew at each of 5 shots, now 500 objects");
	kit_free(&k);
	k = shots((const unsigned[]){ 100, 100, 100, 100, 500, 500 }); /* one step is none */
	begins(finding(&k, "leak"), "0 fine no class grew");
	kit_free(&k);
	k = shots((const unsigned[]){ 100, 200, 300, 299, 500, 600 });
	begins(finding(&k, "leak"), "0 fine no class grew");
	kit_free(&k);
}
END_TEST

START_TEST(a_damaged_log_shows_notes_only)
{
	struct kit k = stopping(400, true);
	begins(finding(&k, "gc-time"), "83 severe");
	kit_flush(&k);
	k.m->damaged++;
	begins(finding(&k, "gc-time"), "44 note");
	begins(finding(&k, "losses"),
		"30 note figures are lower bounds: 1 part of the log is damaged");
	kit_free(&k);
}
END_TEST

/* The most of its overloads; a method that is only called like it is none. */
START_TEST(collections_that_the_program_asks_for_are_counted)
{
	enum { OTHER = 0x10, WITHOUT = 0x20, WITH = 0x30, MINE = 0x40 };
	struct kit k = kit_new("log:nodefaults,calls");
	kit_thread(&k, 1);
	kit_method(&k, OTHER, "App.System.GC:Collect ()");
	kit_enter(&k, OTHER);
	kit_leave(&k, OTHER);
	kit_at(&k, 10 * S);
	begins(finding(&k, "explicit-gc"), "0 fine GC.Collect was not met");
	kit_method(&k, WITHOUT, "System.GC:Collect ()");
	kit_method(&k, WITH, "System.GC:Collect (int)");
	for (int i = 0; i < 4; i++) {
		kit_enter(&k, WITHOUT);
		kit_enter(&k, WITH);
		kit_leave(&k, WITH);
		kit_leave(&k, WITHOUT);
	}
	kit_enter(&k, WITH);
	kit_leave(&k, WITH);
	begins(strstr(finding(&k, "explicit-gc"), "the program"),
		"the program called GC.Collect 5 times");
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("findings");
	TCase *c = tcase_create("all");
	tcase_add_test(c, scores_go_straight_from_threshold_to_threshold);
	tcase_add_test(c, exceptions_are_counted_by_the_second);
	tcase_add_test(c, queries_are_counted_by_their_request);
	tcase_add_test(c, slow_routes_have_their_largest_part);
	tcase_add_test(c, rules_without_records_are_not_judged);
	tcase_add_test(c, locks_are_judged_by_the_time_of_one_thread);
	tcase_add_test(c, collections_that_the_program_asks_for_are_counted);
	tcase_add_test(c, a_cause_stands_before_its_symptom);
	tcase_add_test(c, a_finding_has_facts);
	tcase_add_test(c, a_stop_is_judged_by_what_it_computed);
	tcase_add_test(c, stops_on_a_loaded_machine_have_the_share_of_an_idle_one);
	tcase_add_test(c, compiling_that_goes_on_is_wrong);
	tcase_add_test(c, a_time_of_sixty_years_costs_nothing);
	tcase_add_test(c, a_pool_without_threads);
	tcase_add_test(c, a_librarys_function_is_within_the_programs_own);
	tcase_add_test(c, a_class_that_only_grows);
	tcase_add_test(c, a_damaged_log_shows_notes_only);
	suite_add_tcase(s, c);
	return run_suite(s);
}
