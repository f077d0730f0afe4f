/* SPDX-License-Identifier: MIT */
/* The .NET module's reports of the runtime itself, under a runtime that is none. */
#include "tests/kit/suite.h"

#include <string.h>

#include "probe/clr/clr_hot.h"
#include "probe/clr/clr_resolve.h"
#include "tests/kit/clr_kit.h"

static void compile(uint64_t function, pvp_hr result)
{
	FAKE_CALL(profiler, JITCompilationFinished, (void *, uint64_t, pvp_hr, int32_t), function,
		result, 1);
}

static void begin_compile(uint64_t function)
{
	FAKE_CALL(profiler, JITCompilationStarted, (void *, uint64_t, int32_t), function, 1);
}

/* One within the other, one that fails, more than are kept, and ends without a begin. */
START_TEST(compiling_takes_time)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,runtime"), 0);
	begin_compile(FAKE_METHOD);
	begin_compile(FAKE_GENERIC);
	compile(FAKE_GENERIC, 0);
	compile(FAKE_METHOD, 0);
	begin_compile(FAKE_DYNAMIC);
	compile(FAKE_DYNAMIC, PVP_HR(0x80004005));
	for (int i = 0; i < 100; i++)
		begin_compile(FAKE_METHOD);
	for (int i = 0; i < 200; i++)
		compile(FAKE_BROKEN, 0);
	FAKE_CALL(profiler, JITFunctionPitched, (void *, uint64_t), FAKE_METHOD);
	FAKE_CALL(profiler, DynamicMethodUnloaded, (void *, uint64_t), FAKE_DYNAMIC);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_JIT_TIME], 2);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_JIT_FAILED], 1);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_CODE_GONE], 2);
	probe_log_finish(&log);
}
END_TEST

START_TEST(loads_that_fail)
{
	struct probe_log log;
	const pvp_hr bad = PVP_HR(0x80070002);
	ck_assert_int_eq(begin(_i ? "nodefaults,runtime" : "nodefaults"), 0);
	FAKE_CALL(profiler, AssemblyLoadFinished, (void *, uint64_t, pvp_hr), FAKE_ASSEMBLY, bad);
	FAKE_CALL(profiler, ModuleLoadFinished, (void *, uint64_t, pvp_hr), FAKE_MODULE, bad);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_CLASS, bad);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_LOAD_FAILED], _i ? 3 : 0);
	ck_assert_uint_eq(log.n[PV_KIND_ASSEMBLY_LOAD], 0);
	probe_log_finish(&log);
}
END_TEST

START_TEST(stops_have_reasons)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,suspend"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_SUSPENDS, PVP_CLR_SUSPENDS);
	ck_assert_uint_eq(fake.high & PVP_CLR_BASIC_GC, 0);
	FAKE_CALL(profiler, RuntimeSuspendStarted, (void *, int32_t), 1);
	FAKE_CALL(profiler, RuntimeSuspendFinished, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeResumeStarted, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeResumeFinished, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeSuspendStarted, (void *, int32_t), -5);
	FAKE_CALL(profiler, RuntimeSuspendAborted, (void *, int), 0);
	FAKE_CALL(profiler, RuntimeResumeFinished, (void *, int), 0); /* of nothing */
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_SUSPENSION], 2);
	ck_assert_uint_eq(log.n[PV_KIND_GC_EVENT], 0);
	probe_log_finish(&log);
}
END_TEST

static void to_native(uint64_t function, int32_t reason)
{
	FAKE_CALL(profiler, ManagedToUnmanagedTransition, (void *, uint64_t, int32_t), function,
		reason);
}

static void to_managed(uint64_t function, int32_t reason)
{
	FAKE_CALL(profiler, UnmanagedToManagedTransition, (void *, uint64_t, int32_t), function,
		reason);
}

/* A call out with a call in within it, one left by an exception, returns of nothing, too deep. */
START_TEST(transitions)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,transitions"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_TRANSITIONS, PVP_CLR_TRANSITIONS);
	to_native(FAKE_METHOD, 0);
	to_managed(FAKE_GENERIC, 0);
	to_native(FAKE_DYNAMIC, 0); /* never returns */
	to_native(FAKE_GENERIC, 1);
	to_managed(FAKE_METHOD, 1);
	to_managed(FAKE_METHOD, 1);
	to_native(0, 0);
	to_managed(0, 1);
	for (int i = 0; i < 200; i++)
		to_native(FAKE_METHOD, 0);
	for (int i = 0; i < 200; i++)
		to_managed(FAKE_METHOD, 1);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_TRANSITION], 3 + 64);
	probe_log_finish(&log);
}
END_TEST

static void collect(void)
{
	static const int32_t all[4] = { 1, 1, 1, 1 };
	FAKE_CALL(profiler, GarbageCollectionStarted, (void *, int32_t, const int32_t *, int32_t),
		4, all, 1);
}

static void move(uint64_t from, uint64_t to, uint64_t length)
{
	FAKE_CALL(profiler, MovedReferences2,
		(void *, uint32_t, const uint64_t *, const uint64_t *, const uint64_t *), 1, &from,
		&to, &length);
}

/* Objects take 24 bytes here. What stays is no move; a range that ends amid an object is cut. */
START_TEST(moves)
{
	struct probe_log log;
	const uint64_t at = 0x90000, length = 480;
	ck_assert_int_eq(begin("nodefaults,gcmove,runtime"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_GC, PVP_CLR_GC);
	collect();
	move(0x10000, 0x20000, 240);
	move(0x30000, 0x30000, 24000);
	move(0x40000, 0x50000, 100 * 24 + 8);
	FAKE_CALL(profiler, SurvivingReferences2,
		(void *, uint32_t, const uint64_t *, const uint64_t *), 1, &at, &length);
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	collect();
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_GC_MOVE], 2);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_SURVIVED], 1);
	ck_assert_uint_eq(log.n[PV_KIND_GC_EVENT], 0);
	ck_assert_ptr_nonnull(strstr(log.args, "gcmove"));
	probe_log_finish(&log);
}
END_TEST

/* They are dear here: what else brings them on Mono does not. */
START_TEST(moves_are_asked_for)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,alloc"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_GC, 0);
	end(&log);
	ck_assert_ptr_null(strstr(log.args, "gcmove"));
	probe_log_finish(&log);
}
END_TEST

static void deliver(uint32_t id, const void *data, uint32_t n)
{
	FAKE_CALL(profiler, EventPipeEventDelivered,
		(void *, uint64_t, uint32_t, uint32_t, uint32_t, const uint8_t *, uint32_t,
			const uint8_t *, void *, void *, uint64_t, uint32_t, const uint64_t *),
		1, id, 1, 0, NULL, n, data, NULL, NULL, 0, 0, NULL);
}

struct bytes {
	uint8_t at[600];
	uint32_t n;
};

static void put(struct bytes *b, uint64_t v, size_t n)
{
	memcpy(b->at + b->n, &v, n);
	b->n += (uint32_t)n;
}

static void put_text(struct bytes *b, const char *text)
{
	do
		put(b, (uint8_t)*text, 2);
	while (*text++);
}

/* Every cut of an event, in memory of just that size: what is not whole tells nothing. */
static void deliver_cuts(uint32_t id, const struct bytes *b)
{
	for (uint32_t n = 0; n < b->n; n++) {
		uint8_t *cut = malloc(n ? n : 1);
		memcpy(cut, b->at, n);
		deliver(id, cut, n);
		free(cut);
	}
}

START_TEST(bodies)
{
	struct probe_log log;
	struct bytes b = { .n = 0 };
	ck_assert_int_eq(begin("nodefaults,runtime"), 0);
	put(&b, FAKE_METHOD, 8);
	put(&b, FAKE_MODULE, 8);
	put(&b, FAKE_CODE, 8);
	put(&b, 64, 4);
	put(&b, 0x06000001, 4);
	uint32_t reported = b.n;
	put(&b, 8 | 4 << 7, 4);
	deliver(141, b.at, b.n); /* the rest is in later versions */
	deliver(143, b.at, b.n);
	for (uint32_t n = 0; n < reported; n++)
		deliver(141, b.at, n);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_BODY], 2);
	probe_log_finish(&log);
}
END_TEST

static struct bytes looked_for(const char *name, const char *context, bool success)
{
	struct bytes b = { .n = 0 };
	put(&b, 0, 2);
	put_text(&b, name);
	put_text(&b, "");
	put_text(&b, "asker");
	put_text(&b, context);
	put_text(&b, "");
	put(&b, success, 4);
	put_text(&b, name);
	return b;
}

/* The fake's assembly in one context, unloaded, again in another; in vain; and every cut. */
START_TEST(load_contexts)
{
	struct probe_log log;
	pvp_char wide[100];
	char name[300];
	uint64_t domain, module;
	uint32_t n = 0;
	ck_assert_int_eq(begin("nodefaults,contexts,runtime"), 0);
	pvp_clr.info->is->assembly_info(
		pvp_clr.info, FAKE_ASSEMBLY, 100, &n, wide, &domain, &module);
	pvp_clr_utf8(wide, n, name, sizeof name);
	struct bytes first = looked_for(name, "one", true), second = looked_for(name, "two", true);
	FAKE_CALL(profiler, AssemblyLoadFinished, (void *, uint64_t, pvp_hr), FAKE_ASSEMBLY, 0);
	deliver_cuts(291, &first);
	deliver(291, first.at, first.n); /* after the load */
	FAKE_CALL(profiler, AssemblyUnloadStarted, (void *, uint64_t), FAKE_ASSEMBLY);
	deliver(291, second.at, second.n); /* before it */
	FAKE_CALL(profiler, AssemblyLoadFinished, (void *, uint64_t, pvp_hr), FAKE_ASSEMBLY, 0);
	FAKE_CALL(profiler, AssemblyUnloadStarted, (void *, uint64_t), FAKE_ASSEMBLY);
	FAKE_CALL(profiler, AssemblyUnloadStarted, (void *, uint64_t), FAKE_ASSEMBLY);
	first = looked_for("nowhere", "one", false);
	deliver(291, first.at, first.n);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_CONTEXT_LOAD], 2);
	ck_assert_uint_eq(log.n[PV_KIND_CONTEXT_UNLOAD], 2);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_CONTEXT_NAME], 2);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_ASSEMBLY_IN], 2);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_LOAD_FAILED], 1);
	probe_log_finish(&log);
}
END_TEST

START_TEST(fields_and_counters)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults,fields,counter"), 0);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_CLASS, 0);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_ARRAY, 0);
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), FAKE_CLASS, 0);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_FIELD], 1);
	ck_assert_uint_ge(log.n[PV_KIND_COUNTERS_SAMPLE], 1);
	ck_assert_ptr_nonnull(strstr(log.args, "counter"));
	probe_log_finish(&log);
}
END_TEST

/* A field of the fake's class of int that is a structure, whole; and every cut of it. */
static void structures(const uint8_t *sig, uint32_t n, uint64_t want, uint64_t argument)
{
	struct pvp_clr_type in, got;
	ck_assert(pvp_clr_type_of(FAKE_CLASS_OF_INT, &in));
	for (uint32_t len = 0; len <= n; len++) {
		uint8_t *cut = malloc(len ? len : 1);
		memcpy(cut, sig, len);
		bool found = pvp_clr_structure(&in, (struct pvp_sig){ cut, cut + len }, &got);
		free(cut);
		if (len < n)
			continue;
		ck_assert_uint_eq(found ? got.id : 0, want);
		ck_assert_uint_eq(found && got.n ? got.of[0].id : 0, argument);
	}
}

static void class_loaded(uint64_t class)
{
	FAKE_CALL(profiler, ClassLoadFinished, (void *, uint64_t, pvp_hr), class, 0);
}

/* A method that is not loaded is not found; a found one is of the same shape at least. */
START_TEST(structures_of_signatures)
{
#define FIELD_OF(want, argument, ...)                                                              \
	do {                                                                                       \
		static const uint8_t sig[] = { 6, __VA_ARGS__ };                                   \
		structures(sig, sizeof sig, want, argument);                                       \
	} while (0)
	enum { I4 = 8, TEXT = 0x0e, VALUE = 0x11, CLASS, VAR, MD = 0x14, INST = 0x15, ARR = 0x1d };
	enum {
		THING = 2 << 2,
		THING_REF = 1 << 2 | 1,
		INNER_REF = 2 << 2 | 1,
		NO_REF = 3 << 2 | 1
	};
	const uint64_t of_int = FAKE_CLASS_OF_INT, of_string = FAKE_CLASS_OF_STRING;
	fake.library = true;
	ck_assert_int_eq(begin("nodefaults,fields"), 0);
	FIELD_OF(0, 0, INST, VALUE, THING_REF, 1, TEXT);
	FIELD_OF(0, 0, INST, VALUE, THING_REF, 1, CLASS, INNER_REF);
	class_loaded(of_int);
	class_loaded(of_string);
	for (int again = 0; again < 2; again++) { /* a found one is kept */
		FIELD_OF(of_int, FAKE_INT, INST, VALUE, THING, 1, I4);
		FIELD_OF(of_int, FAKE_INT, INST, VALUE, THING, 1, VAR, 0);
		FIELD_OF(of_string, FAKE_STRING, INST, VALUE, THING_REF, 1, TEXT);
		/* one of the same shape; of arrays, and of what is not loaded, no id is known */
		FIELD_OF(of_string, 0, INST, VALUE, THING, 1, CLASS, INNER_REF);
		FIELD_OF(of_string, 0, INST, VALUE, THING, 1, ARR, I4);
		FIELD_OF(of_string, 0, INST, VALUE, THING, 1, MD, I4, 2, 0, 2, 0, 0);
		FIELD_OF(of_string, 0, INST, VALUE, THING, 1, CLASS, NO_REF);
		FIELD_OF(of_string, 0, INST, VALUE, THING, 1, INST, CLASS, THING, 1, ARR, TEXT);
		/* not loaded, not known, or no structure */
		FIELD_OF(0, 0, INST, VALUE, THING, 1, INST, VALUE, THING, 1, I4);
		FIELD_OF(0, 0, INST, VALUE, THING, 1, VALUE, NO_REF);
		FIELD_OF(0, 0, INST, VALUE, THING, 2, I4, I4);
		FIELD_OF(0, 0, INST, CLASS, THING, 1, I4);
		FIELD_OF(0, 0, VAR, 0);
		FIELD_OF(0, 0, VAR, 1);
		FIELD_OF(0, 0, CLASS, THING);
		FIELD_OF(0, 0, VALUE, THING); /* the definition itself is none */
		FIELD_OF(0, 0, INST, VALUE, 0xff, 0xff, 0xff, 0xff);
		FIELD_OF(0, 0, INST, VALUE, THING, 0xdf, 0xff, 0xff, 0xff, I4);
	}
	FAKE_CALL(profiler, ClassUnloadStarted, (void *, uint64_t), of_string);
	FIELD_OF(0, 0, INST, VALUE, THING_REF, 1, TEXT);
	FIELD_OF(0, 0, INST, VALUE, THING, 1, ARR, I4);
#undef FIELD_OF
}
END_TEST

/*
 * The loader has its lock while it tells of a class, so nothing is reported there: by the agent, by
 * what uses the class, or at the end; once each, also under a shot.
 */
START_TEST(classes_are_named_later)
{
	struct probe_log log;
	fake.objects = 10;
	ck_assert_int_eq(begin("nodefaults,fields,strings=5,heapshot-on-shutdown"), 0);
	fake_metadata_asked = 0;
	class_loaded(FAKE_CLASS);
	class_loaded(FAKE_ARRAY);
	class_loaded(FAKE_INNER);
	ck_assert_uint_eq(fake_metadata_asked, 0);
	uint64_t key = pvp_clr_class(FAKE_CLASS);
	ck_assert_uint_eq(pvp_clr_class(FAKE_CLASS), key);
	FAKE_CALL(profiler, ClassUnloadStarted, (void *, uint64_t), FAKE_INNER);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_CLASS_LOAD], log.n[PV_KIND_VTABLE_LOAD]);
	ck_assert_uint_ge(log.n[PV_KIND_CLASS_LOAD], 2);
	ck_assert_uint_le(
		log.n[PV_KIND_CLASS_LOAD], 3); /* the unloaded one, if the agent was quick */
	ck_assert_uint_eq(log.n[PV_KIND_EXT_FIELD], 1);
	probe_log_finish(&log);
}
END_TEST

/* A method brings what it is part of: its class, or the definition that its code is shared by. */
START_TEST(methods_bring_their_classes)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults"), 0);
	for (int i = 0; i < 2; i++) {
		compile(FAKE_METHOD, 0);
		compile(FAKE_GENERIC, 0);
		compile(FAKE_DYNAMIC, 0);
	}
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_CLASS_LOAD], 2);
	probe_log_finish(&log);
}
END_TEST

static void work(uint64_t provider, uint32_t id, const struct bytes *b, uint32_t activity)
{
	const struct pvp_guid guid = { activity, 0, 0, { 0 } };
	uint8_t *cut = malloc(b->n ? b->n : 1);
	memcpy(cut, b->at, b->n);
	FAKE_CALL(profiler, EventPipeEventDelivered,
		(void *, uint64_t, uint32_t, uint32_t, uint32_t, const uint8_t *, uint32_t,
			const uint8_t *, const void *, void *, uint64_t, uint32_t,
			const uint64_t *),
		provider, id, 1, 0, NULL, b->n, cut, &guid, NULL, 0, 0, NULL);
	free(cut);
}

/* A string as the runtime has it. */
struct string {
	uint64_t table;
	int32_t length;
	pvp_char text[8];
};

/* Work within work is reported once; an exception, a frame that is gone, and nothing to end. */
START_TEST(work_on_files)
{
	enum { OPEN = 1, NO_SUCH_WORK = 1000 };
	struct probe_log log;
	struct string name = { 0, 3, { '/', 'a', 0xe9 } };
	struct pvp_clr_hooked stack[3] = { { .argument = (uintptr_t)&name } }; /* it grows down */
	stack[1] = stack[2] = stack[0];
	ck_assert_int_eq(begin("nodefaults,spans=files"), 0);
	ck_assert_ptr_nonnull(strstr(pvp_clr.options.words, "spans=files"));
	pvp_clr_file_ends(false);
	pvp_clr_file_begins(OPEN, &stack[2]);
	pvp_clr_file_begins(OPEN, &stack[1]);
	pvp_clr_file_begins(NO_SUCH_WORK, &stack[0]);
	pvp_clr_file_ends(false);
	pvp_clr_file_ends(false);
	pvp_clr_file_ends(true); /* the outermost */
	pvp_clr_file_ends(false);
	pvp_clr_file_begins(OPEN, &stack[1]); /* is left without a word */
	name.length = -5;
	pvp_clr_file_begins(OPEN, &stack[2]);
	pvp_clr_file_ends(false);
	stack[2].argument = 0;
	pvp_clr_file_begins(OPEN, &stack[2]);
	pvp_clr_file_ends(false);
	pvp_clr_file_begins(OPEN, &stack[2]); /* is never left */
	end(&log);
	pvp_clr_file_begins(OPEN, &stack[2]);
	pvp_clr_file_ends(false); /* no listener */
	ck_assert_uint_eq(log.n[PV_KIND_EXT_SPAN], 3);
	probe_log_finish(&log);
}
END_TEST

enum { RUNTIME, HTTP, SQL };

/* Ends without a begin, two of one activity, more than there is room for, and every cut. */
START_TEST(spans)
{
	struct probe_log log;
	struct bytes request = { .n = 0 }, none = { .n = 0 }, command = { .n = 0 },
		     over = { .n = 0 };
	fake.depth = 4;
	ck_assert_int_eq(begin("nodefaults,spans"), 0);
	ck_assert_uint_eq(fake.providers, 4);
	put_text(&request, "http");
	put_text(&request, "host");
	put(&request, 80, 4);
	put_text(&request, "/path");
	put(&command, 7, 4);
	put_text(&command, "server");
	put_text(&command, "base");
	put_text(&command, "SELECT 1");
	put(&over, 7, 4);
	put(&over, 1, 4);
	work(HTTP, 2, &none, 1);
	work(HTTP, 1, &request, 1);
	work(HTTP, 1, &request, 2);
	work(HTTP, 3, &none, 1);
	work(HTTP, 2, &none, 1);
	work(HTTP, 2, &none, 1);
	work(HTTP, 2, &none, 2);
	work(SQL, 1, &command, 0);
	work(SQL, 2, &over, 0);
	for (uint32_t n = request.n; n-- > 0;) {
		request.n = n;
		work(HTTP, 1, &request, 3);
	}
	work(HTTP, 2, &none, 3);
	for (uint32_t i = 0; i < 3000; i++)
		work(SQL, 1, &command, 0);
	work(RUNTIME, 1, &none, 0);
	end(&log);
	ck_assert_uint_eq(log.n[PV_KIND_EXT_SPAN], 3);
	probe_log_finish(&log);
}
END_TEST

static void answer_is(const char *key, const char *value, enum pvp_reply want)
{
	char say[200] = "";
	ck_assert_msg(pvp_clr_switch(key, value, say, sizeof say) == want, "%s: %s", key, say);
	ck_assert_int_eq(say[0] != 0, want == PVP_REPLY_ERROR);
}

/* Settings the runtime takes later are taken; the rest is refused, and unknown ones passed on.
 */
START_TEST(groups_are_switched)
{
	struct probe_log log;
	ck_assert_int_eq(begin("nodefaults"), 0);
	ck_assert_uint_eq(fake.low & PVP_CLR_EXCEPTIONS, 0);
	answer_is("exception", "on", PVP_REPLY_UNKNOWN);
	ck_assert_uint_eq(fake.low & PVP_CLR_EXCEPTIONS, PVP_CLR_EXCEPTIONS);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	answer_is("exception", "off", PVP_REPLY_UNKNOWN);
	ck_assert_uint_eq(fake.low & PVP_CLR_EXCEPTIONS, 0);
	FAKE_CALL(profiler, ExceptionThrown, (void *, uint64_t), FAKE_OBJECT);
	answer_is("suspend", "on", PVP_REPLY_OK);
	ck_assert_uint_eq(fake.low & PVP_CLR_SUSPENDS, PVP_CLR_SUSPENDS);
	answer_is("runtime", "on", PVP_REPLY_OK);
	ck_assert_uint_eq(fake.sessions, 1);
	answer_is("spans", "on", PVP_REPLY_OK);
	ck_assert_uint_eq(fake.providers, 5);
	answer_is("calls", "on", PVP_REPLY_ERROR);
	answer_is("calls", "off", PVP_REPLY_UNKNOWN);
	answer_is("gcmove", "on", PVP_REPLY_ERROR);
	answer_is("gcmove", "perhaps", PVP_REPLY_ERROR);
	answer_is("nosuch", "on", PVP_REPLY_UNKNOWN);
	end(&log);
	ck_assert_uint_eq(fake.stopped_sessions, fake.sessions);
	ck_assert_uint_eq(log.n[PV_KIND_EXCEPTION_THROW], 1);
	probe_log_finish(&log);
}
END_TEST

/* A log that was not asked for extensions has none. */
START_TEST(nothing_unasked)
{
	struct probe_log log;
	ck_assert_int_eq(begin("gc,exception"), 0);
	begin_compile(FAKE_METHOD);
	compile(FAKE_METHOD, 0);
	collect();
	FAKE_CALL(profiler, GarbageCollectionFinished, (void *, int), 0);
	FAKE_CALL(profiler, DynamicMethodUnloaded, (void *, uint64_t), FAKE_DYNAMIC);
	end(&log);
	for (int i = PV_KIND_EXT_MARK; i <= PV_KIND_EXT_UNKNOWN; i++)
		ck_assert_msg(log.n[i] == 0, "kind %d", i);
	probe_log_finish(&log);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("fake .NET runtime tells of itself");
	TCase *t = tcase_create("fake .NET runtime tells of itself");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, compiling_takes_time);
	tcase_add_loop_test(t, loads_that_fail, 0, 2);
	tcase_add_test(t, stops_have_reasons);
	tcase_add_test(t, transitions);
	tcase_add_test(t, moves);
	tcase_add_test(t, moves_are_asked_for);
	tcase_add_test(t, bodies);
	tcase_add_test(t, load_contexts);
	tcase_add_test(t, fields_and_counters);
	tcase_add_test(t, structures_of_signatures);
	tcase_add_test(t, classes_are_named_later);
	tcase_add_test(t, methods_bring_their_classes);
	tcase_add_test(t, spans);
	tcase_add_test(t, work_on_files);
	tcase_add_test(t, groups_are_switched);
	tcase_add_test(t, nothing_unasked);
	suite_add_tcase(s, t);
	return run_suite(s);
}
