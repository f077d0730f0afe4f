/* SPDX-License-Identifier: MIT */
/* The holder of a lock, as the log says it or as it follows from who got it, and threads that wait for
 * each other. */
#include <stdio.h>
#include <inttypes.h>
#include <string.h>

#include "common/model/persist.h"
#include "common/query/lock_waits.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { SELLER = 0x10, BUYER, AUDITOR, LEDGER = 0x8000, STOCK = 0x9000 };

/* Events of one thread stand in one buffer, which the log may have before an earlier one. */
struct contended {
	uint64_t object, holder, id, class; /* but for the first 0: not said */
};

static void waits_for(struct kit *k, uint64_t us, uint64_t thread, struct contended c)
{
	kit_thread(k, thread);
	kit_at(k, us);
	if (c.class)
		kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_CLASS_OF,
				     .class_of = { c.object, c.class } });
	if (c.holder)
		kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_HOLDER,
				     .holder = { c.object, c.holder } });
	if (c.id)
		kit_event(k,
			(struct pv_event){ .kind = PV_KIND_EXT_LOCK, .lock = { c.object, c.id } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_MONITOR_CONTENTION,
			     .monitor = { .object = c.object } });
}

static void waits(struct kit *k, uint64_t us, uint64_t thread, uint64_t object, uint64_t holder)
{
	waits_for(k, us, thread, (struct contended){ object, holder, 0, 0 });
}

static void ends(struct kit *k, uint64_t us, uint64_t thread, uint64_t object, bool got)
{
	kit_thread(k, thread);
	kit_at(k, us);
	kit_event(k, (struct pv_event){ .kind = got ? PV_KIND_MONITOR_DONE : PV_KIND_MONITOR_FAIL,
			     .monitor = { .object = object } });
}

static void expect(struct kit *k, enum pv_view view, uint64_t select, const char *sort,
	const char *const *columns, const char *const *want)
{
	const struct pv_query q = { .select = select, .sort = sort };
	kit_flush(k);
	struct pv_table *t = kit_view(k, view, &q);
	size_t n = 0;
	for (; want[n]; n++) {
		ck_assert_uint_lt(n, t->rows);
		ck_assert_str_eq(kit_text(t, n, columns), want[n]);
	}
	ck_assert_uint_eq(t->rows, n);
	pv_table_destroy(t);
}

static const char *const wait_columns[] = { "start_ns", "wait_ns", "thread", "holder",
	"holder_known", "ended", "object", NULL };
static const char *const cycle_columns[] = { "state", "start_ns", "lasted_ns", "threads", "cycle",
	NULL };

START_TEST(the_log_says_who_has_it)
{
	static const char *const want[] = { "10000 90000 0x11 0x10 said got it 0x8000",
		"30000 170000 0x12 0x11 said still waits 0x8000", NULL };
	static const char *const of_stock[] = { "150000 50000 0x10 0x77 said still waits 0x9000",
		NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 30, AUDITOR, LEDGER, BUYER);
	waits(&k, 10, BUYER, LEDGER, SELLER);
	ends(&k, 100, BUYER, LEDGER, true);
	waits(&k, 150, SELLER, STOCK, 0x77);
	kit_at(&k, 200);
	kit_method(&k, 0x100, "Main()");
	expect(&k, PV_VIEW_LOCK_WAITS, 2, "start_ns", wait_columns, want);
	expect(&k, PV_VIEW_LOCK_WAITS, 3, NULL, wait_columns, of_stock);
	kit_free(&k);
}
END_TEST

START_TEST(else_it_follows_from_who_got_it)
{
	static const char *const want[] = { "10000 40000 0x11 - - got it 0x8000",
		"20000 70000 0x12 0x11 inferred got it 0x8000",
		"95000 5000 0x10 0x12 inferred gave up 0x8000", NULL };
	struct kit k = kit_new("log:monitor");
	waits(&k, 10, BUYER, LEDGER, 0);
	ends(&k, 50, BUYER, LEDGER, true);
	waits(&k, 20, AUDITOR, LEDGER, 0);
	ends(&k, 90, AUDITOR, LEDGER, true);
	waits(&k, 95, SELLER, LEDGER, 0);
	ends(&k, 100, SELLER, LEDGER, false);
	expect(&k, PV_VIEW_LOCK_WAITS, 0, "start_ns", wait_columns, want);
	kit_free(&k);
}
END_TEST

/* Of one thread's waits, with what the others' tell of who had the locks. */
static struct kit of_thread(uint64_t thread)
{
	const struct pv_restrict only = { .threaded = true, .thread_id = thread };
	struct kit k = kit_new("log:monitor");
	pv_model_destroy(k.m);
	k.m = pv_model_create(&only);
	ck_assert(pv_model_begin(k.m, &(struct pv_target_info){ .args = "log:monitor",
					      .header_major = 3,
					      .data_version = 17,
					      .startup_ns = KIT_ZERO }));
	return k;
}

START_TEST(one_thread_has_its_holders)
{
	static const char *const want[] = { "20000 70000 0x12 0x11 inferred got it 0x8000", NULL };
	static const char *const lock[] = { "1 70000 0x8000", NULL };
	static const char *const columns[] = { "contentions", "wait_ns", "object", NULL };
	static const char *const cycle[] = { "deadlock 110000 90000 2 0x12 waits for 0x11 on "
					     "(class not recorded) 0x8000, 0x11 waits for 0x12 on "
					     "(class not recorded) 0x9000",
		NULL };
	struct kit k = of_thread(AUDITOR);
	waits(&k, 10, BUYER, LEDGER, 0);
	ends(&k, 50, BUYER, LEDGER, true);
	waits(&k, 20, AUDITOR, LEDGER, 0);
	ends(&k, 90, AUDITOR, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_WAITS, 0, "start_ns", wait_columns, want);
	expect(&k, PV_VIEW_LOCKS, 0, NULL, columns, lock);
	kit_free(&k);
	for (uint64_t thread = BUYER; thread <= SELLER + 3; thread++) {
		k = of_thread(thread);
		waits(&k, 100, BUYER, STOCK, AUDITOR);
		waits(&k, 110, AUDITOR, LEDGER, BUYER);
		kit_at(&k, 200);
		kit_method(&k, 0x100, "Main()");
		expect(&k, PV_VIEW_LOCK_CYCLES, 0, NULL, cycle_columns,
			thread <= AUDITOR ? cycle : cycle + 1);
		kit_free(&k);
	}
}
END_TEST

START_TEST(a_thread_has_its_waits_together)
{
	static const char *const columns[] = { "id", "lock_wait_ns", NULL };
	static const char *const want[] = { "0x11 45000", "0x12 70000", NULL };
	struct kit k = kit_new("log:monitor");
	waits(&k, 10, BUYER, LEDGER, 0);
	ends(&k, 50, BUYER, LEDGER, true);
	waits(&k, 20, AUDITOR, STOCK, 0);
	ends(&k, 90, AUDITOR, STOCK, true);
	waits(&k, 95, BUYER, STOCK, 0);
	ends(&k, 100, BUYER, STOCK, false);
	waits(&k, 110, BUYER, STOCK, 0); /* it has not ended */
	expect(&k, PV_VIEW_THREADS, 0, "id", columns, want);
	kit_free(&k);
}
END_TEST

START_TEST(a_word_is_good_for_one_event)
{
	static const char *const want[] = { "20000 30000 0x11 - - got it 0x8000", NULL };
	struct kit k = kit_new("log:monitor");
	kit_thread(&k, BUYER);
	kit_at(&k, 20);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXT_HOLDER, .holder = { STOCK, SELLER } });
	waits(&k, 20, BUYER, LEDGER, 0);
	ends(&k, 50, BUYER, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_WAITS, 0, NULL, wait_columns, want);
	kit_free(&k);
}
END_TEST

/* Mono enters a lock through wrappers of its own, which are no method that waits or holds. */
START_TEST(wrappers_are_no_site)
{
	enum { TAKE = 0x110, PUT = 0x120, OWN = 0x200 };
	static const char *const own[] = { "System.Threading.Monitor:Enter (object,bool&)",
		"(wrapper managed-to-native) object:__icall_wrapper_mono_monitor_enter_v4_internal "
		"(object,intptr)",
		"(wrapper unknown) System.Threading.Monitor:FastMonitorEnterV4 (object,bool&)" };
	static const char *const columns[] = { "method", "holder_method", NULL };
	static const char *const want[] = { "Shop:Take () Shop:Put ()", "Shop:Put () -", NULL };
	const uint64_t put[] = { PUT, OWN + (uint64_t)_i, 0 },
		       take[] = { TAKE, OWN + (uint64_t)_i, 0 };
	struct kit k = kit_new("log:calls,monitor");
	kit_method(&k, OWN + (uint64_t)_i, own[_i]);
	kit_method(&k, TAKE, "Shop:Take ()");
	kit_method(&k, PUT, "Shop:Put ()");
	kit_thread(&k, SELLER);
	kit_at(&k, 10);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, LEDGER, put);
	ends(&k, 20, SELLER, LEDGER, true);
	kit_thread(&k, BUYER);
	kit_at(&k, 30);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, LEDGER, take);
	ends(&k, 90, BUYER, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_SITES, 0, NULL, columns, want);
	kit_free(&k);
}
END_TEST

static void one_wait(struct kit *k, uint64_t us, uint64_t object, uint64_t id, uint64_t class)
{
	waits_for(k, us, BUYER, (struct contended){ object, SELLER, id, class });
	ends(k, us + 5, BUYER, object, true);
	kit_flush(k);
}

static const char *const lock_columns[] = { "contentions", "wait_ns", "object", "class", NULL };

/* Its object has moved and no event says so: the runtime's own number says that it is that lock. */
START_TEST(a_lock_is_one_wherever_its_object_is)
{
	static const char *const want[] = { "3 15000 0x9000 (class not recorded)",
		"2 10000 0x8000 (class not recorded)", NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	one_wait(&k, 10, LEDGER, 0x700, 0);
	one_wait(&k, 30, STOCK, 0x700, 0);
	one_wait(&k, 50, LEDGER, 0x800, 0); /* another lives there now */
	one_wait(&k, 60, LEDGER, 0, 0);
	one_wait(&k, 20, LEDGER, 0x700, 0); /* of an earlier time: it does not move back */
	expect(&k, PV_VIEW_LOCKS, 0, "contentions", lock_columns, want);
	kit_free(&k);
}
END_TEST

/* The runtime gives its words again. */
START_TEST(a_lock_of_another_class_is_another)
{
	static const char *const want[] = { "2 10000 0x8000 Shop.Till", "1 5000 0x8000 Shop.Gate",
		NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	kit_class(&k, 0x500, "Shop.Gate");
	kit_class(&k, 0x600, "Shop.Till");
	one_wait(&k, 10, LEDGER, 0x700, 0x501);
	one_wait(&k, 20, STOCK, 0x700, 0x601);
	one_wait(&k, 30, LEDGER, 0x700, 0x601);
	expect(&k, PV_VIEW_LOCKS, 0, "contentions", lock_columns, want);
	kit_free(&k);
}
END_TEST

/* The id of the holder has been that of several threads; waits are asked for in no order. */
START_TEST(the_holder_is_the_one_of_that_time)
{
	enum { LIVES = 5, WAITS = 12 };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	struct pv_lock_waits w;
	size_t holders = 0;
	kit_thread(&k, SELLER);
	for (uint64_t i = 0; i < LIVES; i++) {
		kit_at(&k, 100 * i + 10);
		kit_event(&k, (struct pv_event){
				      .kind = PV_KIND_THREAD_START, .meta = { .key = SELLER } });
		kit_at(&k, 100 * i + 90);
		kit_event(&k,
			(struct pv_event){ .kind = PV_KIND_THREAD_END, .meta = { .key = SELLER } });
	}
	for (uint64_t i = 0; i < WAITS; i++)
		waits(&k, 15 + i * 7 % WAITS * 40, BUYER + i, LEDGER + i * 64, SELLER);
	kit_flush(&k);
	ck_assert(pv_lock_waits_make(&w, k.m));
	ck_assert_uint_eq(w.one.n, WAITS);
	for (size_t i = 0; i < w.one.n; i++) {
		const struct pv_lock_wait *x = &w.one.v[i];
		ck_assert_uint_eq(x->holder, pv_threads_at(&k.m->threads, SELLER, x->at.start_ns));
		holders |= (size_t)1 << x->holder;
	}
	ck_assert_int_ge(__builtin_popcountll(holders), LIVES);
	pv_lock_waits_finish(&w);
	kit_free(&k);
}
END_TEST

START_TEST(a_deadlock_is_named)
{
	static const char *const want[] = { "deadlock 20000 180000 2 "
					    "0x11 waits for 0x10 on (class not recorded) 0x8000, "
					    "0x10 waits for 0x11 on (class not recorded) 0x9000",
		NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 10, SELLER, STOCK, BUYER);
	waits(&k, 200, AUDITOR, LEDGER, SELLER);
	waits(&k, 20, BUYER, LEDGER, SELLER);
	expect(&k, PV_VIEW_LOCK_CYCLES, 0, NULL, cycle_columns, want);
	kit_free(&k);
}
END_TEST

/*
 * Two threads wait for each other so long before a log of ten seconds ends. Both got a lock after a
 * wait, from which holders follow where none is said.
 */
static struct kit deadlocked(uint64_t us, bool said)
{
	const uint64_t end = 10000000;
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 10, SELLER, LEDGER, 0);
	ends(&k, 20, SELLER, LEDGER, true);
	waits(&k, end - us, SELLER, STOCK, said ? BUYER : 0);
	waits(&k, 10, BUYER, STOCK, 0);
	ends(&k, 20, BUYER, STOCK, true);
	waits(&k, end - us, BUYER, LEDGER, said ? SELLER : 0);
	kit_thread(&k, AUDITOR);
	kit_at(&k, end);
	kit_method(&k, 0x100, "Main()");
	return k;
}

static void finds(struct kit k, const char *rule, const char *want)
{
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
	const struct pv_row *row = kit_row(t, "finding", rule);
	const char *text = kit_text(t, (size_t)(row - t->row),
		(const char *const[]){ "score", "verdict", "text", NULL });
	ck_assert_msg(strncmp(text, want, strlen(want)) == 0, "%s: %s", rule, text);
	pv_table_destroy(t);
	kit_free(&k);
}

START_TEST(a_deadlock_is_found)
{
	finds(deadlocked(90000, true), "deadlock",
		"23 fine 2 threads wait for each other for 90.0 ms");
	finds(deadlocked(5000000, true), "deadlock",
		"100 severe 2 threads wait for each other for 5.00 s, to the end: 0x10 waits for "
		"0x11 on (class not recorded) 0x9000, 0x11 waits for 0x10 on");
	finds(deadlocked(5000000, true), "lock-contention",
		"92 severe threads waited 10.0 s for locks, 5.00 s");
	finds(deadlocked(5000000, false), "deadlock",
		"49 note 2 threads may wait for each other for 5.00 s");
}
END_TEST

START_TEST(one_wait_is_one_time)
{
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 10, SELLER, LEDGER, 0);
	ends(&k, 20, SELLER, LEDGER, true);
	struct pv_table *t = kit_view(&k, PV_VIEW_FINDINGS, NULL);
	const char *text = kit_cell(t, kit_row(t, "finding", "lock-contention"), "text")->s;
	ck_assert_msg(
		strlen(text) > 8 && strcmp(text + strlen(text) - 8, ", 1 time") == 0, "%s", text);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(a_large_circle_names_them_all)
{
	enum { RING = PV_CYCLE_MOST };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	char last[80];
	for (uint64_t i = 0; i < RING; i++)
		waits(&k, 10 + i, SELLER + i, LEDGER + i * 64, SELLER + (i + 1) % RING);
	kit_at(&k, 200);
	kit_method(&k, 0x100, "Main()");
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_LOCK_CYCLES, &(struct pv_query){ 0 });
	ck_assert_uint_eq(t->rows, 1);
	const char *text = kit_cell(t, &t->row[0], "cycle")->s;
	for (uint64_t i = 0; i < RING; i++) {
		snprintf(last, sizeof last, "0x%" PRIx64 " waits for 0x%" PRIx64 " on ", SELLER + i,
			SELLER + (i + 1) % RING);
		ck_assert_msg(strstr(text, last), "%s in %s", last, text);
	}
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

START_TEST(who_still_waits_is_counted_by_lock)
{
	static const char *const columns[] = { "object", "waiting", "contentions", "wait_ns",
		"max_wait_ns", NULL };
	static const char *const want[] = { "0x8000 2 3 50000 40000", "0x9000 1 1 20000 20000",
		NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 10, SELLER, LEDGER, 0);
	ends(&k, 50, SELLER, LEDGER, true);
	waits(&k, 60, SELLER, STOCK, BUYER);
	waits(&k, 70, BUYER, LEDGER, SELLER);
	waits(&k, 80, AUDITOR, LEDGER, SELLER);
	expect(&k, PV_VIEW_LOCKS, 0, "waiting", columns, want);
	kit_free(&k);
}
END_TEST

START_TEST(a_circle_of_three_until_one_gives_up)
{
	static const char *const want[] = { "one gave up 30000 70000 3 "
					    "0x12 waits for 0x10 on (class not recorded) 0x8800, "
					    "0x10 waits for 0x11 on (class not recorded) 0x9000, "
					    "0x11 waits for 0x12 on (class not recorded) 0x8000",
		NULL };
	struct kit k = kit_new("log:monitor");
	waits(&k, 10, SELLER, STOCK, BUYER);
	ends(&k, 100, SELLER, STOCK, false);
	waits(&k, 20, BUYER, LEDGER, AUDITOR);
	ends(&k, 300, BUYER, LEDGER, true);
	waits(&k, 30, AUDITOR, 0x8800, SELLER);
	ends(&k, 250, AUDITOR, 0x8800, true);
	expect(&k, PV_VIEW_LOCK_CYCLES, 0, NULL, cycle_columns, want);
	kit_free(&k);
}
END_TEST

/* The buyer released the stock, which another thread took, before it waited for the seller. */
START_TEST(what_is_released_makes_no_circle)
{
	static const char *const none[] = { NULL };
	struct kit k = kit_new("log:monitor");
	waits(&k, 10, SELLER, STOCK, BUYER);
	ends(&k, 60, SELLER, STOCK, true);
	waits(&k, 20, BUYER, LEDGER, SELLER);
	ends(&k, 90, BUYER, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_CYCLES, 0, NULL, cycle_columns, none);
	kit_free(&k);
}
END_TEST

/* Waits by the method that waits and the one that had got the lock; threads of one name are one. */
START_TEST(waits_by_site)
{
	enum { ENTER = 0x100, TAKE = 0x110, PUT = 0x120, WORKERS = 50 };
	static const char *const columns[] = { "wait_ns", "waits", "max_wait_ns", "threads",
		"method", "holder_method", NULL };
	static const char *const want[] = { "50000 50 1000 1 Shop:Take () Shop:Put ()",
		"10000 1 10000 1 Shop:Put () -", NULL };
	static const char *const edge_columns[] = { "thread", "holder", "waits", "wait_ns", NULL };
	static const char *const edges[] = { "pool seller 50 50000", "seller - 1 10000", NULL };
	static const uint64_t put[] = { PUT, ENTER, 0 }, take[] = { TAKE, ENTER, 0 };
	struct kit k = kit_new("log:monitor");
	kit_method(&k, ENTER, "System.Threading.Monitor:Enter (object)");
	kit_method(&k, TAKE, "Shop:Take ()");
	kit_method(&k, PUT, "Shop:Put ()");
	kit_thread(&k, SELLER);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			      .meta = { .key = SELLER, .name = { "seller", 6 } } });
	kit_at(&k, 10);
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, LEDGER, put);
	ends(&k, 20, SELLER, LEDGER, true);
	for (uint64_t i = 0; i < WORKERS; i++) {
		kit_thread(&k, 0x200 + i);
		kit_at(&k, 30 + 2 * i);
		kit_event(&k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
				      .meta = { .key = 0x200 + i, .name = { "pool", 4 } } });
		kit_event(&k, (struct pv_event){
				      .kind = PV_KIND_EXT_HOLDER, .holder = { LEDGER, SELLER } });
		kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, LEDGER, take);
		ends(&k, 31 + 2 * i, 0x200 + i, LEDGER, true);
	}
	expect(&k, PV_VIEW_LOCK_SITES, 0, NULL, columns, want);
	expect(&k, PV_VIEW_LOCK_EDGES, 0, NULL, edge_columns, edges);
	kit_free(&k);
}
END_TEST

START_TEST(who_waited_for_whom)
{
	static const char *const columns[] = { "thread", "holder", "object", "waits", "wait_ns",
		"max_wait_ns", NULL };
	static const char *const want[] = { "0x11 0x10 0x8000 2 70000 40000",
		"0x12 0x11 0x8000 1 5000 5000", NULL };
	struct kit k = kit_new("log:monitor");
	for (uint64_t i = 0; i < 2; i++) {
		waits(&k, 10 + 100 * i, BUYER, LEDGER, SELLER);
		ends(&k, 40 + 110 * i, BUYER, LEDGER, true);
	}
	waits(&k, 300, AUDITOR, LEDGER, BUYER);
	ends(&k, 305, AUDITOR, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_EDGES, 0, NULL, columns, want);
	kit_free(&k);
}
END_TEST

/* The shortest go, whichever came first. */
START_TEST(the_longest_are_kept)
{
	enum { ALL = PV_WAITS_KEPT + 500 };
	struct kit k = kit_new("log:monitor");
	for (uint64_t i = 0; i < ALL; i++) {
		uint64_t at = 1000 * (i + 1), us = 1 + i * 7 % ALL;
		waits(&k, at, BUYER, LEDGER, 0);
		ends(&k, at + us, BUYER, LEDGER, true);
	}
	kit_flush(&k);
	const struct pv_query q = { .sort = "wait_ns" };
	struct pv_table *t = kit_view(&k, PV_VIEW_LOCK_WAITS, &q);
	ck_assert_uint_eq(t->rows, PV_WAITS_KEPT);
	for (size_t i = 0; i < t->rows; i++)
		ck_assert_int_eq(t->row[i].cell[0].i, (int64_t)(ALL - i) * 1000);
	ck_assert_ptr_nonnull(strstr(t->coverage, "500 shorter ones not listed"));
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* Whether the end is that of the wait before the damage, and how long it was at least: neither is said. */
START_TEST(a_wait_into_damage_has_no_time)
{
	static const char *const want[] = { "300000 20000 0x11 - - got it 0x8000", NULL };
	struct kit k = kit_new("profview:coreclr,monitor,classof");
	waits(&k, 10, BUYER, LEDGER, 0);
	kit_flush(&k);
	pv_model_damage(k.m, 100, 50, "a hole");
	ends(&k, 200, BUYER, LEDGER, true);
	waits(&k, 300, BUYER, LEDGER, 0);
	ends(&k, 320, BUYER, LEDGER, true);
	expect(&k, PV_VIEW_LOCK_WAITS, 0, "start_ns", wait_columns, want);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, NULL);
	const struct pv_row *locks = kit_row(t, "what", "locks");
	ck_assert_str_eq(kit_cell(t, locks, "state")->s, "partial");
	const char *detail = kit_cell(t, locks, "detail")->s;
	ck_assert_msg(strstr(detail, "2 contentions, 2 acquired"), "%s", detail);
	ck_assert_msg(
		strstr(detail, "1 waits without an end, 1 end without a contention"), "%s", detail);
	pv_table_destroy(t);
	kit_free(&k);
}
END_TEST

/* A damaged log has times whose distance is no number of ns: such a wait is the longest. */
START_TEST(a_wait_over_all_of_time_is_long)
{
	struct pv_waits w = { 0 };
	const struct pv_waited whole = { .start_ns = INT64_MIN + 1, .end_ns = INT64_MAX };
	for (int64_t i = 0; i < PV_WAITS_KEPT; i++)
		ck_assert(pv_waits_keep(&w, &(struct pv_waited){ .start_ns = 0, .end_ns = i + 2 }));
	ck_assert(pv_waits_keep(&w, &whole));
	for (int64_t i = 0; i < PV_WAITS_KEPT; i++)
		ck_assert(pv_waits_keep(
			&w, &(struct pv_waited){ .start_ns = 0, .end_ns = 10000 + i }));
	size_t n = 0;
	for (size_t i = 0; i < w.one.n; i++)
		n += w.one.v[i].start_ns == whole.start_ns;
	ck_assert_uint_eq(n, 1);
	pv_waits_finish(&w);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("lock_waits");
	TCase *t = tcase_create("lock_waits");
	tcase_add_test(t, the_log_says_who_has_it);
	tcase_add_test(t, else_it_follows_from_who_got_it);
	tcase_add_test(t, one_thread_has_its_holders);
	tcase_add_test(t, a_thread_has_its_waits_together);
	tcase_add_test(t, a_word_is_good_for_one_event);
	tcase_add_test(t, a_lock_is_one_wherever_its_object_is);
	tcase_add_test(t, a_lock_of_another_class_is_another);
	tcase_add_test(t, the_holder_is_the_one_of_that_time);
	tcase_add_test(t, a_deadlock_is_named);
	tcase_add_test(t, a_deadlock_is_found);
	tcase_add_test(t, one_wait_is_one_time);
	tcase_add_test(t, a_large_circle_names_them_all);
	tcase_add_test(t, who_still_waits_is_counted_by_lock);
	tcase_add_test(t, a_circle_of_three_until_one_gives_up);
	tcase_add_test(t, what_is_released_makes_no_circle);
	tcase_add_test(t, waits_by_site);
	tcase_add_loop_test(t, wrappers_are_no_site, 0, 3);
	tcase_add_test(t, who_waited_for_whom);
	tcase_add_test(t, the_longest_are_kept);
	tcase_add_test(t, a_wait_into_damage_has_no_time);
	tcase_add_test(t, a_wait_over_all_of_time_is_long);
	suite_add_tcase(s, t);
	return run_suite(s);
}
