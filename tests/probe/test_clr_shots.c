/* SPDX-License-Identifier: MIT */
/* Heap shots of the .NET module under a runtime that is none. */
#include "tests/kit/suite.h"

#include <stdio.h>

#include "common/base/status.h"
#include "probe/clr/clr_layout.h"
#include "tests/kit/clr_kit.h"

/* Unreported classes are numbered while the runtime stands still, and named afterwards. */
static uint64_t memory[600][4]; /* objects, with a word before each */

/*
 * Of 600 objects the last refers to more than one event holds, and more than it has room for; the
 * others refer to two at most, with their second and third word.
 */
static pvp_hr collect(void)
{
	static uint64_t refs[1500];
	for (size_t i = 0; i < PV_COUNT_OF(refs); i++)
		refs[i] = (uintptr_t)&memory[i % 600][1];
	for (uint64_t i = 0; i < 600; i++) {
		memory[i][2] = refs[0];
		memory[i][3] = refs[1];
		pvp_hr more = FAKE_CALL(profiler, ObjectReferences,
			(void *, uint64_t, uint64_t, uint32_t, const uint64_t *),
			(uintptr_t)&memory[i][1], FAKE_CLASS, i == 599 ? 1500 : (uint32_t)i % 3,
			refs);
		if (more < 0)
			return 0;
	}
	return 0;
}

/* Up to .NET 8: what a collection tells; one that was not asked for is not listened to. */
START_TEST(heap_shots_by_collections)
{
	struct probe_log log;
	char say[160];
	fake.version = 14;
	ck_assert_int_eq(begin("nodefaults,heapshot-on-shutdown"), 0);
	ck_assert_uint_ne(fake.low & PVP_CLR_GC, 0);
	fake.collect = collect;
	fake.object_size = sizeof memory[0];
	ck_assert_int_lt(FAKE_CALL(profiler, ObjectReferences,
				 (void *, uint64_t, uint64_t, uint32_t, const uint64_t *),
				 FAKE_OBJECT, FAKE_CLASS, 0, NULL),
		0);
	ck_assert_int_eq(pvp_clr_heap_ask(say, sizeof say), PVP_REPLY_OK);
	end(&log);
	ck_assert_uint_eq(fake.suspends, 0);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_START], 2);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_END], 2);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_OBJECT], 2 * (600 + 2));
	probe_log_finish(&log);
}
END_TEST

START_TEST(heap_shots)
{
	struct probe_log log;
	fake.objects = 1200;
	fake.refused_suspends = 3;
	ck_assert_int_eq(begin("nodefaults,heapshot-on-shutdown"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_GC, 0);
	char say[80];
	ck_assert_int_eq(pvp_clr_heap_ask(say, sizeof say), PVP_REPLY_OK);
	ck_assert_str_eq(say, "shot=0");
	end(&log);
	ck_assert_uint_eq(fake.suspended, 0);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_START], 2);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_END], 2);
	ck_assert_uint_gt(log.n[PV_KIND_HEAP_OBJECT], 2 * 1200); /* long lists go on */
	ck_assert_uint_eq(log.n[PV_KIND_CLASS_LOAD], 2);
	ck_assert_uint_eq(pvp_clr_heap_discarded(), 0);
	probe_log_finish(&log);
}
END_TEST

static pvp_hr collect_all(void)
{
	static const int32_t all[4] = { 1, 1, 1, 1 };
	FAKE_CALL(profiler, GarbageCollectionStarted, (void *, int32_t, const int32_t *, int32_t),
		4, all, 1);
	ck_assert_uint_eq(fake.suspended, 0);
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	return 0;
}

/* A shot holds what is alive, unless garbage is asked for; the collection for it is marked. */
START_TEST(heap_shots_of_what_is_alive)
{
	static const char *const words[] = { "heapshot-on-shutdown",
		"heapshot-on-shutdown,heapshot=nogc", "heapshot-on-shutdown,heapshot=live,gcroot" };
	static const unsigned forced[] = { 1, 0, 1 };
	struct probe_log log;
	char options[100];
	fake.objects = 10;
	fake.collect = collect_all;
	snprintf(options, sizeof options, "nodefaults,gc,%s", words[_i]);
	ck_assert_int_eq(begin(options), 0);
	ck_assert_int_eq(
		(fake.low & PVP_CLR_GC) != 0, _i == 2); /* else nothing stays switched off */
	collect_all();                                  /* the program's own */
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_START], 1);
	ck_assert_uint_eq(log.n[PV_KIND_GC_EVENT], 2 + 2 * forced[_i]);
	ck_assert_int_eq(probe_log_counter(&log, "collections for heap shots")->value, forced[_i]);
	ck_assert_ptr_nonnull(strstr(log.args, _i == 1 ? "heapshot=nogc" : "heapshot=live"));
	probe_log_finish(&log);
}
END_TEST

/* By the clock, whether there are collections or not. */
START_TEST(heap_shots_by_time)
{
	struct probe_log log;
	fake.objects = 10;
	ck_assert_int_eq(begin("nodefaults,heapshot=50ms"), 0);
	PROBE_WAIT(fake.suspends >= 3);
	end(&log);
	ck_assert_uint_ge(log.n[PV_KIND_HEAP_END], 2);
	ck_assert_ptr_nonnull(strstr(log.args, "heapshot=50ms"));
	probe_log_finish(&log);
}
END_TEST

/* Of two words that share a bit each is said for itself. */
START_TEST(words_in_the_header)
{
	struct probe_log log;
	ck_assert_int_eq(begin(_i ? "nodefaults,spans=files" : "nodefaults,spans"), 0);
	ck_assert_str_eq(pvp_clr.options.words, _i ? "spans=files" : "spans");
	end(&log);
	probe_log_finish(&log);
}
END_TEST

/*
 * A static is a root of its own, in an area with its name; what is not set up yet is asked for at
 * the next shot. What each thread has for itself has an area of numbers: of both instances of the
 * class, one of which no thread has touched.
 */
START_TEST(statics_are_roots)
{
	struct probe_log log;
	char say[80];
	fake.objects = 10;
	fake.unready = 2;
	fake.statics[0] = FAKE_OBJECT + 32;
	fake.statics[1] = _i ? 0 : FAKE_OBJECT + 64;
	ck_assert_int_eq(begin("nodefaults,heapshot-on-shutdown"), 0);
	FAKE_CALL(profiler, AppDomainCreationFinished, (void *, uint64_t, pvp_hr), FAKE_DOMAIN, 0);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_CLASS, 0);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_CLASS_OF_INT, 0);
	for (unsigned i = 0; i < 3;
		i++) { /* from the second on; from the third: another of that id */
		ck_assert_int_eq(pvp_clr_heap_ask(say, sizeof say), PVP_REPLY_OK);
		PROBE_WAIT(fake.suspends == i + 1 && !fake.suspended);
		if (i == 0 && _i)
			FAKE_CALL(profiler, ClassUnloadStarted, (void *, uint64_t), FAKE_CLASS);
	}
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_START], 4);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_ROOT_REGISTER], 1 + 2 + (_i != 0));
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_ROOTS], _i ? 2 : 4);
	probe_log_finish(&log);
}
END_TEST

/* Of the runtime's description of itself what statics need; a newer one may be another. */
START_TEST(a_description_of_the_runtime)
{
	static const char head[] = "{\"version\":0,\"types\":{\"EEClass\":{\"MethodTable\":16,"
				   "\"FieldDescList\":24,\"NumInstanceFields\":50,"
				   "\"NumStaticFields\":54},";
	static const char table[] = "\"MethodTable\":{\"!\":64,\"EEClassOrCanonMT\":[40,\"nuint\"],"
				    "\"ParentMethodTable\":16,\"AuxiliaryData\":32},";
	static const char more[] =
		"\"DynamicStaticsInfo\":{\"!\":24,\"GCStatics\":0,\"NonGCStatics\":8}%s},"
		"\"globals\":{\"StaticsPointerMask\":[\"0xfffffffffffffffe\",\"nuint\"]}}";
	char json[800], rest[400];
	struct pvp_clr_layout l;
	snprintf(rest, sizeof rest, more, "");
	snprintf(json, sizeof json, "%s%s%s", head, table, rest);
	ck_assert(pvp_clr_layout_read(json, &l));
	ck_assert_uint_eq(l.aux, 32);
	ck_assert_uint_eq(l.class_or_canon, 40);
	ck_assert_uint_eq(l.parent, 16);
	ck_assert_uint_eq(l.fields, 24);
	ck_assert_uint_eq(l.instance_n, 50);
	ck_assert_uint_eq(l.static_n, 54);
	ck_assert_uint_eq(l.statics_size, 24);
	ck_assert_uint_eq(l.gc_statics, 0);
	ck_assert_uint_eq(l.mask, UINT64_MAX - 1);
	snprintf(json, sizeof json, "%s%s", head, rest);
	ck_assert(!pvp_clr_layout_read(json, &l));
	snprintf(rest, sizeof rest, more, ",\"FieldDesc\":{\"!\":16}");
	snprintf(json, sizeof json, "%s%s%s", head, table, rest);
	ck_assert(!pvp_clr_layout_read(json, &l));
	ck_assert(!pvp_clr_layout_read("", &l));
	/* Without one nothing is said of a class. */
	ck_assert_uint_eq(pvp_clr_layout_slot(FAKE_CLASS, 0x04000002), 0);
}
END_TEST

/* One that cannot be had whole is none: its room too small, or the runtime never stands still. */
START_TEST(heap_shots_given_up)
{
	struct probe_log log;
	fake.objects = 100000;
	ck_assert_int_eq(begin("nodefaults,heapshot-on-shutdown,heapshot-room=1m"), 0);
	if (_i)
		fake.refused_suspends = 1000000;
	uint64_t before = pvp_clr_heap_discarded();
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_HEAP_START], 0);
	ck_assert_uint_eq(pvp_clr_heap_discarded() - before, 1);
	ck_assert_uint_eq(fake.suspended, 0);
	probe_log_finish(&log);
	char say[160];
	pvp_clr.version = 14;
	pvp_clr.options.m.groups = 0;
	ck_assert_int_eq(pvp_clr_heap_ask(say, sizeof say), PVP_REPLY_ERROR);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("heap shots of .NET");
	TCase *t = tcase_create("heap shots of .NET");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, words_in_the_header, 0, 2);
	tcase_add_test(t, heap_shots);
	tcase_add_test(t, heap_shots_by_collections);
	tcase_add_loop_test(t, heap_shots_given_up, 0, 2);
	tcase_add_loop_test(t, heap_shots_of_what_is_alive, 0, 3);
	tcase_add_test(t, heap_shots_by_time);
	tcase_add_loop_test(t, statics_are_roots, 0, 2);
	tcase_add_test(t, a_description_of_the_runtime);
	suite_add_tcase(s, t);
	return run_suite(s);
}
