/* SPDX-License-Identifier: MIT */
/* The .NET module under a runtime that is none: slots, refusals, odd sequences, names. */
#include "tests/kit/suite.h"

#include <errno.h>

#include "common/base/status.h"
#include "probe/clr/clr_heap.h"
#include "tests/kit/clr_kit.h"

extern pvp_hr DllGetClassObject(
	const struct pvp_guid *class, const struct pvp_guid *iid, void **ret);

/* Of the published interface definitions. */
static const struct {
	size_t is, want;
} places[] = {
#define INFO(name, slot) { offsetof(struct pvp_clr_info_table, name) / sizeof(pvp_clr_slot), slot }
#define META(name, slot)                                                                           \
	{ offsetof(struct pvp_clr_metadata_table, name) / sizeof(pvp_clr_slot), slot }
	INFO(class_of_object, 3),
	INFO(class_layout, 40),
	INFO(box_layout, 47),
	INFO(string_layout, 60),
	META(close_enum, 3),
	META(enum_fields, 20),
	META(find_type, 9),
	META(field, 57),
	INFO(object_size, 10),
	INFO(array_class, 11),
	INFO(thread_info, 12),
	INFO(module_info, 20),
	INFO(module_metadata, 21),
	INFO(il_body, 22),
	INFO(domain_info, 25),
	INFO(assembly_info, 26),
	INFO(force_gc, 28),
	INFO(stack, 36),
	INFO(function_info, 38),
	INFO(class_info, 41),
	INFO(static_address, 50),
	INFO(static_kind, 53),
	INFO(generation_bounds, 54),
	INFO(object_generation, 55),
	INFO(request_detach, 58),
	INFO(set_function_mapper, 59),
	INFO(set_hooks, 61),
	INFO(enum_modules, 66),
	INFO(runtime_information, 67),
	INFO(thread_static_address, 68),
	INFO(enum_threads, 71),
	INFO(initialize_thread, 72),
	INFO(function_of_ip_2, 76),
	INFO(enum_functions, 79),
	INFO(object_size_2, 80),
	INFO(set_event_mask, 82),
	INFO(function_of_ip, 88),
	INFO(dynamic_info, 89),
	INFO(code_starts, 90),
	INFO(il_map, 91),
	INFO(code_ranges, 92),
	INFO(references, 93),
	INFO(suspend, 97),
	INFO(resume, 98),
	INFO(get_environment, 99),
	INFO(start_events, 101),
	INFO(stop_events, 103),
	INFO(provider_info, 105),
	INFO(heap_objects, 114),
	META(scope, 10),
	META(type, 12),
	META(type_ref, 14),
	META(method, 30),
	META(nested, 62),
	{ PVP_CLR_Initialize, 3 },
	{ PVP_CLR_ModuleLoadFinished, 14 },
	{ PVP_CLR_JITCompilationFinished, 24 },
	{ PVP_CLR_ThreadAssignedToOSThread, 31 },
	{ PVP_CLR_RuntimeSuspendStarted, 42 },
	{ PVP_CLR_ObjectAllocated, 50 },
	{ PVP_CLR_ExceptionUnwindFunctionLeave, 63 },
	{ PVP_CLR_ThreadNameChanged, 72 },
	{ PVP_CLR_HandleDestroyed, 79 },
	{ PVP_CLR_InitializeForAttach, 80 },
	{ PVP_CLR_SurvivingReferences2, 88 },
	{ PVP_CLR_EventPipeEventDelivered, 95 },
	{ PVP_CLR_LoadAsNotificationOnly, 97 },
};

START_TEST(slot_numbers)
{
	for (size_t i = 0; i < PV_COUNT_OF(places); i++)
		ck_assert_msg(places[i].is == places[i].want, "row %zu: slot %zu, not %zu", i,
			places[i].is, places[i].want);
}
END_TEST

START_TEST(factory_refuses_others)
{
	struct pvp_guid other = { 1, 2, 3, { 4 } };
	void *got = &other;
	ck_assert_int_eq(DllGetClassObject(&other, &other, &got), PVP_HR_NO_CLASS);
	ck_assert_ptr_null(got);
	ck_assert_int_eq(DllGetClassObject(&other, &other, NULL), PVP_HR_POINTER);
	pvp_hr (*query)(void *, const struct pvp_guid *, void **) =
		((struct pvp_clr_unknown *)profiler)->is->query;
	ck_assert_int_eq(query(profiler, &other, &got), PVP_HR_NO_INTERFACE);
	ck_assert_ptr_null(got);
	ck_assert_int_eq(query(profiler, &other, NULL), PVP_HR_POINTER);
}
END_TEST

/* The text and the bytes of the identifier say the same. */
START_TEST(guid_is_one)
{
	static const uint8_t b[16] = PV_CORECLR_GUID_BYTES;
	char text[40];
	snprintf(text, sizeof text,
		"{%02X%02X%02X%02X-%02X%02X-%02X%02X-%02X%02X-%02X%02X%02X%02X%02X%02X}", b[3],
		b[2], b[1], b[0], b[5], b[4], b[7], b[6], b[8], b[9], b[10], b[11], b[12], b[13],
		b[14], b[15]);
	ck_assert_str_eq(text, PV_CORECLR_GUID);
}
END_TEST

static void call_everything(void)
{
	for (size_t i = PVP_CLR_Shutdown + 1; i < PVP_CLR_SLOTS; i++) {
		if (i == PVP_CLR_InitializeForAttach)
			continue;
		pvp_hr (*any)(void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t) =
			(pvp_hr(*)(void *, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
				uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
				uint64_t))profiler->is[i];
		ck_assert_msg(
			any(profiler, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) == 0, "slot %zu", i);
	}
}

/* Before the start, with all groups on, after the end; and a second start is refused. */
START_TEST(any_callback_at_any_time)
{
	struct probe_log log;
	call_everything();
	ck_assert_int_eq(begin("gc,exception"), 0);
	ck_assert_int_eq(begin("gc"), PVP_HR_CANCEL);
	call_everything();
	end(&log);
	call_everything();
	probe_log_finish(&log);
}
END_TEST

START_TEST(refusals_leave_the_program_as_it_is)
{
	static const char *const words[] = { "nosuchword", "spans=nothing", "nolines=1", "coverage",
		"coverage=a:x", "callspec=x", "calldepth=3", "report", "help" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		ck_assert_msg(begin(words[i]) == PVP_HR_CANCEL, "%s", words[i]);
		pvp_clr.info = NULL;
	}
	ck_assert_uint_eq(fake.masks, 0);
	pvp_clr.info = NULL;
	fake.version = 5;
	ck_assert_int_eq(begin("gc"), PVP_HR_CANCEL);
	fake.version = 15;
	fake.refuse_mask = PVP_HR(0x80131374);
	ck_assert_int_eq(begin("gc"), PVP_HR_CANCEL);
	ck_assert_int_eq(pvp_session_stop(), EALREADY);
	call_everything();
}
END_TEST

/* Each version's table is used no further than it goes: what is beyond fails the test. */
START_TEST(older_runtimes)
{
	struct probe_log log;
	fake.version = 7 + _i;
	fake.depth = 5;
	ck_assert_int_eq(begin("gc,exception"), 0);
	ck_assert_int_eq(pvp_clr.version, fake.version);
	FAKE_CALL(profiler, JITCompilationFinished, (void *, uint64_t, pvp_hr, int32_t),
		FAKE_METHOD, 0, 1);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_ARRAY, 0);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXCEPTION_THROW], 1);
	ck_assert_uint_ge(log.n[PV_KIND_METHOD_JIT], 1);
	probe_log_finish(&log);
}
END_TEST

static void method_is_called(uint64_t function, const char *want)
{
	char name[PVP_CLR_NAME];
	size_t n = pvp_clr_method_name(function, name);
	ck_assert_str_eq(name, want);
	ck_assert_uint_eq(n, strlen(want));
}

static void class_is_called(uint64_t type, const char *want)
{
	char name[PVP_CLR_NAME];
	ck_assert_uint_eq(pvp_clr_class_name(type, name), strlen(want));
	ck_assert_str_eq(name, want);
}

START_TEST(names_of_things)
{
	ck_assert_int_eq(begin("nodefaults"), 0);
	class_is_called(FAKE_CLASS, "Fake.Thing");
	class_is_called(FAKE_CLASS_OF_INT, "Fake.Thing<System.Int32>");
	class_is_called(FAKE_ARRAY, "Fake.Thing<System.Int32>[,]");
	class_is_called(FAKE_INNER, "Fake.Thing/Inner");
	class_is_called(1, "");
	method_is_called(FAKE_METHOD, "Fake.Thing<System.Int32>:Do (int,string[,],int&)");
	method_is_called(FAKE_GENERIC, "Fake.Thing:Make<string> (string)");
	method_is_called(FAKE_DYNAMIC, "(dynamic):lambda");
	method_is_called(1, "");
	char name[PVP_CLR_NAME];
	ck_assert_uint_gt(pvp_clr_method_name(FAKE_BROKEN, name), 0);
}
END_TEST

/* A method has one name and as many bodies as there are tiers; what was unloaded begins anew. */
START_TEST(ids_that_come_again)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults"), 0);
	uint64_t method = pvp_clr_method(FAKE_METHOD), class = pvp_clr_class(FAKE_CLASS);
	ck_assert_uint_eq(pvp_clr_method(FAKE_METHOD), method);
	for (int i = 0; i < 3; i++)
		FAKE_CALL(profiler, JITCompilationFinished, (void *, uint64_t, pvp_hr, int32_t),
			FAKE_METHOD, 0, 1);
	FAKE_CALL(profiler, ModuleLoadFinished, (void *, uint64_t, pvp_hr), FAKE_MODULE, 0);
	FAKE_CALL(profiler, ModuleUnloadStarted, (void *, uint64_t), FAKE_MODULE);
	ck_assert_uint_ne(pvp_clr_method(FAKE_METHOD), method);
	ck_assert_uint_ne(pvp_clr_class(FAKE_CLASS), class);
	method = pvp_clr_method(FAKE_DYNAMIC);
	FAKE_CALL(profiler, DynamicMethodUnloaded, (void *, uint64_t), FAKE_DYNAMIC);
	ck_assert_uint_ne(pvp_clr_method(FAKE_DYNAMIC), method);
	end(&log);
	/* named, two bodies; named again; the dynamic one twice */
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_JIT], 6);
	/* one before and after; the method's own at the end, and before if the agent was quick */
	ck_assert_uint_ge(log.n[PV_KIND_CLASS_LOAD], 3);
	ck_assert_uint_le(log.n[PV_KIND_CLASS_LOAD], 4);
	ck_assert_uint_eq(log.n[PV_KIND_VTABLE_LOAD], log.n[PV_KIND_CLASS_LOAD]);
	ck_assert_uint_eq(log.n[PV_KIND_IMAGE_UNLOAD], 1);
	probe_log_finish(&log);
}
END_TEST

/* A concurrent collection ends after the short ones inside it. */
START_TEST(collections_within_one)
{
	static const int32_t full[4] = { 1, 1, 1, 1 }, young[4] = { 1, 0, 0, 0 };
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,gc"), 0);
	ck_assert_uint_eq(fake.high & PVP_CLR_BASIC_GC, PVP_CLR_BASIC_GC);
	ck_assert_uint_eq(fake.low & PVP_CLR_GC, 0);
	FAKE_CALL(profiler, RuntimeSuspendStarted, (void *, int32_t), 1);
	FAKE_CALL(profiler, RuntimeSuspendFinished, (void *, int), 0);
	FAKE_CALL(profiler, GarbageCollectionStarted, (void *, int32_t, const int32_t *, int32_t),
		4, full, 1);
	FAKE_CALL(profiler, GarbageCollectionStarted, (void *, int32_t, const int32_t *, int32_t),
		4, young, 1);
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeResumeStarted, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeResumeFinished, (void *, int), 0);
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0); /* one too many */
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_GC_EVENT], 6 + 2 + 3);
	ck_assert_uint_eq(log.n[PV_KIND_GC_RESIZE], 2 + 3); /* before and after */
	probe_log_finish(&log);
}
END_TEST

static void deliver(uint32_t id, uint32_t version, const void *data, uint32_t n)
{
	FAKE_CALL(profiler, EventPipeEventDelivered,
		(void *, uint64_t, uint32_t, uint32_t, uint32_t, const uint8_t *, uint32_t,
			const uint8_t *, void *, void *, uint64_t, uint32_t, const uint64_t *),
		1, id, version, 0, NULL, n, data, NULL, NULL, 0, 0, NULL);
}

struct __attribute__((packed)) sampled {
	uint32_t kind;
	uint16_t instance;
	uint64_t class;
	uint16_t name[3];
	uint64_t object, size, offset;
};

/* Allocations that the runtime samples; whole ones count, those that were cut do not. */
START_TEST(sampled_allocations)
{
	struct probe_log log;
	const struct sampled e = { 0, 1, FAKE_CLASS_OF_INT, { 'I', 'd', 0 }, FAKE_OBJECT, 20, 7 };
	fake.depth = 3;
	ck_assert_int_eq(begin("nodefaults,alloc=512k"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_ALLOCATED, 0);
	ck_assert_uint_eq(fake.keywords, UINT64_C(0x80000000000));
	deliver(303, 0, &e, sizeof e);
	for (uint32_t n = 0; n < sizeof e - 8; n++) {
		uint8_t *cut = malloc(n ? n : 1);
		memcpy(cut, &e, n);
		deliver(303, 0, cut, n);
		free(cut);
	}
	deliver(303, 0, NULL, 0);
	deliver(81, 2, &e, sizeof e); /* not asked for */
	end(&log);
	ck_assert_uint_eq(fake.stopped_sessions, 1);
	ck_assert_uint_eq(log.n[PV_KIND_ALLOC], 1);
	ck_assert_uint_eq(log.bytes_allocated, 24);
	ck_assert_uint_eq(log.n[PV_KIND_MONITOR_CONTENTION], 0);
	ck_assert_ptr_nonnull(strstr(log.args, "alloc=102400"));
	probe_log_finish(&log);
}
END_TEST

/* Without sampling of its own an older runtime is asked for every one. */
START_TEST(every_allocation)
{
	struct probe_log log;
	fake.version = 11;
	ck_assert_int_eq(begin("nodefaults,gcalloc,maxframes=0"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_ALLOCATED, PVP_CLR_ALLOCATED);
	ck_assert_uint_eq(fake.low & PVP_CLR_STACKS, 0);
	ck_assert_uint_eq(fake.sessions, 0);
	for (uint64_t i = 0; i < 1000; i++)
		FAKE_CALL(profiler, ObjectAllocated, (void *, uint64_t, uint64_t),
			FAKE_OBJECT + i * 32, i % 2 ? FAKE_CLASS : FAKE_ARRAY);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_ALLOC], 1000);
	ck_assert_uint_eq(log.n[PV_KIND_CLASS_LOAD], 2);
	ck_assert_uint_eq(log.bytes_allocated, 24000);
	probe_log_finish(&log);
}
END_TEST

static void unwind(uint64_t function)
{
	FAKE_CALL(profiler, ExceptionUnwindFunctionEnter, (void *, uint64_t), function);
}

/* Frames that unwinding leaves are reported once; one that catches goes on; another exception too.
 */
START_TEST(frames_that_are_unwound)
{
	struct probe_log log;
	int32_t hook = 0;
	ck_assert_int_eq(begin("nodefaults,calls,filter=c:Thing*+il:3"), 0);
	ck_assert_uint_eq(fake.hooks, 3);
	ck_assert_uint_eq(fake.low & PVP_CLR_STACKS, 0);
	uint64_t number = fake.map(FAKE_METHOD, NULL, &hook);
	ck_assert_int_eq(hook, 1);
	ck_assert_uint_eq(number, pvp_clr_method(FAKE_METHOD));
	fake.map(FAKE_BROKEN, NULL, &hook);
	ck_assert_int_eq(hook, 0); /* too short */
	for (int i = 0; i < 100; i++) {
		unwind(FAKE_METHOD); /* its finally clause throws */
		unwind(FAKE_BROKEN);
		FAKE_CALL(profiler, ExceptionUnwindFunctionLeave, (void *, int), 0);
		unwind(FAKE_METHOD);
		FAKE_CALL(profiler, ExceptionUnwindFunctionLeave, (void *, int), 0);
		unwind(FAKE_METHOD);
		FAKE_CALL(profiler, ExceptionCatcherEnter, (void *, uint64_t, uint64_t),
			FAKE_METHOD, FAKE_OBJECT);
	}
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_EXC_LEAVE], 100);
	ck_assert_uint_eq(log.n[PV_KIND_EXCEPTION_CLAUSE], 0);
	probe_log_finish(&log);
}
END_TEST

static pvp_hr attach(const char *words)
{
	char options[PROBE_PATH + 200];
	int n = snprintf(options, sizeof options, "%s,output=%s", words, path);
	/* no 0 after it, as the runtime hands it over */
	char *text = malloc((size_t)n);
	memcpy(text, options, (size_t)n);
	pvp_hr hr = FAKE_CALL(profiler, InitializeForAttach,
		(void *, struct pvp_clr_unknown *, const void *, uint32_t), fake_runtime(), text,
		(uint32_t)n);
	free(text);
	return hr;
}

/* Settings that only the start can give are refused, and the next try is not harmed by it. */
START_TEST(joining_a_running_program)
{
	struct probe_log log;
	ck_assert_int_eq(attach("nodefaults,calls"), PVP_HR_NOT_ATTACHED);
	ck_assert_int_eq(attach("nodefaults,gcalloc"), PVP_HR_NOT_ATTACHED);
	ck_assert_int_eq(attach("nodefaults,spans=files"), PVP_HR_NOT_ATTACHED);
	ck_assert_int_eq(attach("nosuchword"), PVP_HR_ARGUMENT);
	ck_assert_int_eq(attach("nodefaults,sample,coverage"), PVP_HR_ARGUMENT);
	ck_assert_uint_eq(fake.masks, 0);
	ck_assert_int_eq(attach("gc,exception,alloc=512k"), 0);
	ck_assert_int_eq(attach("gc"), PVP_HR_CANCEL);
	/* nothing that may be set at the start only */
	ck_assert_uint_eq(
		fake.low & (0x1 | 0x100 | 0x1000 | 0x2000 | 0x20000 | 0x800000 | 0x800), 0);
	FAKE_CALL(profiler, ProfilerAttachComplete, (void *, int), 0);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_IMAGE_LOAD], 1 + 2);
	ck_assert_uint_eq(log.n[PV_KIND_DOMAIN_LOAD], 1);
	ck_assert_uint_eq(log.n[PV_KIND_METHOD_JIT], 3);
	probe_log_finish(&log);
}
END_TEST

struct __attribute__((packed)) contended {
	uint8_t flags;
	uint16_t instance;
	uint64_t lock, object;
};

/*
 * Facts of objects: none unless asked for. The fake's objects lie nowhere, so that a
 * contended one cannot be read, and is asked for where the runtime itself tells of it.
 */
START_TEST(classes_of_objects)
{
	static const char *const words[] = { "nodefaults,exception,monitor,gchandle,finalization",
		"nodefaults,exception,monitor,gchandle,finalization,classof,messages",
		"nodefaults,exception,monitor,gchandle,finalization,classof,messages,stock" };
	const struct contended e = { 0, 1, 0x9000, FAKE_OBJECT };
	struct probe_log log;
	ck_assert_int_eq(begin(words[_i]), 0);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	FAKE_CALL(profiler, HandleCreated, (void *, uint64_t, uint64_t), 0x100, FAKE_OBJECT);
	FAKE_CALL(profiler, HandleCreated, (void *, uint64_t, uint64_t), 0x108, 0);
	FAKE_CALL(profiler, FinalizeableObjectQueued, (void *, uint32_t, uint64_t), 0, FAKE_OBJECT);
	deliver(81, 2, &e, sizeof e);
	deliver(81, 1, &e, sizeof e - 16); /* an older runtime's, which names no object */
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXCEPTION_THROW], 1);
	ck_assert_uint_eq(log.n[PV_KIND_MONITOR_CONTENTION], 2);
	ck_assert_uint_eq(log.n[PV_KIND_GC_HANDLE_CREATED], 2);
	/* The throw, the handle with an object, both ends of the finalizer, the contention. */
	ck_assert_uint_eq(log.n[PV_KIND_EXT_CLASS_OF], _i == 1 ? 5 : 0);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_MESSAGE], 0); /* its classes are no exceptions */
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fake .NET runtime");
	TCase *t = tcase_create("fake .NET runtime");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_loop_test(t, classes_of_objects, 0, 3);
	tcase_add_test(t, slot_numbers);
	tcase_add_test(t, guid_is_one);
	tcase_add_test(t, factory_refuses_others);
	tcase_add_test(t, any_callback_at_any_time);
	tcase_add_test(t, refusals_leave_the_program_as_it_is);
	tcase_add_loop_test(t, older_runtimes, 0, 9);
	tcase_add_test(t, names_of_things);
	tcase_add_test(t, ids_that_come_again);
	tcase_add_test(t, collections_within_one);
	tcase_add_test(t, sampled_allocations);
	tcase_add_test(t, every_allocation);
	tcase_add_test(t, frames_that_are_unwound);
	tcase_add_test(t, joining_a_running_program);
	suite_add_tcase(s, t);
	return run_suite(s);
}
