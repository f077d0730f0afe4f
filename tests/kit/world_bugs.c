/* SPDX-License-Identifier: MIT */
/* Logs that other readers get wrong: formats.md 1.13 has the list, test_reader_bugs.py the figures.
 */
#include "tests/kit/worlds.h"

#include <check.h>

#define EVENT(what, ...)                                                                           \
	(struct pv_event)                                                                          \
	{                                                                                          \
		.kind = PV_KIND_##what, __VA_ARGS__                                                \
	}
#define CALL(us, what, n) world_put(x, us, EVENT(what, .call = { world_method(x, n) }))

enum { MS = 1000 };

/* Every number of a helper, of size 1, 2, 4 ...; the one with a name is 6 up to 13 and 5 from 14.
 */
void world_helpers(struct world *x)
{
	unsigned count = x->w.format.data_version <= 8    ? 10
			 : x->w.format.data_version <= 13 ? 11
							  : 10;
	world_buffer(x, WORLD_MAIN, 0);
	for (unsigned i = 0; i < count; i++)
		world_put(x, i,
			EVENT(JIT_HELPER, .helper = { i, x->high + 0x70000 + i * 0x100, 1u << i,
						  world_text("(wrapper) trampoline") }));
	world_jit(x, 20, 1, 100, "Main ()");
	CALL(30, METHOD_ENTER, 1);
	CALL(40, METHOD_LEAVE, 1);
}

static void lock(struct world *x, int64_t us, enum pv_kind kind, unsigned object)
{
	world_put(x, us,
		(struct pv_event){ .kind = (uint8_t)kind,
			.monitor = { world_object(x, object), { 0, 0 }, 0 } });
}

/* Object 1 is waited for 10 and 30 ms, object 2 for 5 ms in vain. */
void world_monitors(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_class(x, 1, 1, "Gate");
	world_put(x, 2,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 1), 24, { 0, 0 } }));
	lock(x, 10 * MS, PV_KIND_MONITOR_CONTENTION, 1);
	lock(x, 20 * MS, PV_KIND_MONITOR_DONE, 1);
	lock(x, 30 * MS, PV_KIND_MONITOR_CONTENTION, 2);
	lock(x, 35 * MS, PV_KIND_MONITOR_FAIL, 2);
	lock(x, 40 * MS, PV_KIND_MONITOR_CONTENTION, 1);
	lock(x, 70 * MS, PV_KIND_MONITOR_DONE, 1);
}

/* Ten activations of one method at once, 1 s in all, with the last half a second in another. */
void world_recursion(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_jit(x, 0, 1, 100, "Deep (int)");
	world_jit(x, 0, 2, 100, "Leaf ()");
	for (int64_t i = 0; i < 10; i++)
		CALL(i * MS, METHOD_ENTER, 1);
	CALL(490 * MS, METHOD_ENTER, 2);
	CALL(990 * MS, METHOD_LEAVE, 2);
	for (int64_t i = 9; i >= 0; i--)
		CALL(1000 * MS - i * MS, METHOD_LEAVE, 1);
}

/* One method allocates one class for several callers, and for callers of those. */
void world_callers(struct world *x)
{
	static const unsigned way[][3] = { { 1, 5, 0 }, { 2, 5, 0 }, { 1, 4, 5 }, { 2, 4, 5 },
		{ 3, 4, 5 } };
	world_buffer(x, WORLD_MAIN, 0);
	world_class(x, 1, 1, "Thing");
	world_jit(x, 0, 1, 100, "First ()");
	world_jit(x, 0, 2, 100, "Second ()");
	world_jit(x, 0, 3, 100, "Third ()");
	world_jit(x, 0, 4, 100, "Middle ()");
	world_jit(x, 0, 5, 100, "Make ()");
	for (unsigned i = 0; i < 5; i++) {
		unsigned depth = 0;
		for (; depth < 3 && way[i][depth]; depth++)
			CALL(i * 10 * MS + depth * MS, METHOD_ENTER, way[i][depth]);
		world_put(x, i * 10 * MS + 4 * MS,
			EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, i + 1), 24,
					     { 0, 0 } }));
		while (depth-- > 0)
			CALL(i * 10 * MS + (8 - depth) * MS, METHOD_LEAVE, way[i][depth]);
	}
}

/* Leaves that are missing, and leaves of what was never entered. */
void world_lost_leaves(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_jit(x, 0, 1, 100, "Outer ()");
	world_jit(x, 0, 2, 100, "Inner ()");
	CALL(0, METHOD_LEAVE, 2);
	for (int64_t i = 0; i < 10; i++) {
		CALL(i * 100 * MS, METHOD_ENTER, 1);
		CALL((i * 100 + 10) * MS, METHOD_ENTER, 2);
		CALL((i * 100 + 90) * MS, METHOD_LEAVE, 1);
	}
}

/* Numbers that no table has: of a clause, a handle, a generation, a step of a collection. */
void world_strangers(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_jit(x, 0, 1, 100, "Main ()");
	world_put(x, 1, EVENT(EXCEPTION_THROW, .thrown = { world_object(x, 1), { 0, 0 }, 0 }));
	world_put(x, 2,
		EVENT(EXCEPTION_CLAUSE,
			.clause = { 77, 0, world_method(x, 1), world_object(x, 1) }));
	world_put(x, 3, EVENT(GC_HANDLE_CREATED, .handle = { 9, 5, world_object(x, 1), { 0, 0 } }));
	world_put(x, 4, EVENT(GC_EVENT, .gc = { 30, 7, 0 }));
	CALL(10, METHOD_ENTER, 1);
	CALL(20, METHOD_LEAVE, 1);
}

/* An object of a heap shot whose start is not in the log. */
void world_stray_object(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_class(x, 1, 1, "Item");
	world_jit(x, 2, 1, 100, "Main ()");
	world_put(x, 3,
		EVENT(HEAP_OBJECT, .heap_object = { world_object(x, 1), world_type(x, 1), 24, 0,
					   { 0, 0 }, 0 }));
	world_put(x, 4, EVENT(HEAP_END, .sync = { 0 }));
	CALL(10, METHOD_ENTER, 1);
	CALL(20, METHOD_LEAVE, 1);
}

static void counter(struct world *x, int64_t us, uint64_t type, uint64_t raw)
{
	ck_assert(pv_reserve(&x->pools.values, 1));
	x->pools.values.v[0] = (struct pv_counter_value){ 1, type, raw, { "", 0 } };
	x->pools.values.n = 1;
	world_put(x, us, EVENT(COUNTERS_SAMPLE, .counters = { (uint64_t)us / MS, { 0, 1 } }));
}

static void describe(struct world *x, uint64_t section, uint64_t type)
{
	world_buffer(x, WORLD_MAIN, 0);
	ck_assert(pv_reserve(&x->pools.descs, 1));
	x->pools.descs.v[0] = (struct pv_counter_desc){ section, type, 0, 1 << 30, 1,
		world_text(section == PV_SECTION_PERFCOUNTERS ? ".NET" : ""), world_text("Some"),
		{ NULL, 0 } };
	x->pools.descs.n = 1;
	world_put(x, 0, EVENT(COUNTERS_DESCRIBE, .counters = { .list = { 0, 1 } }));
}

/* A pointer-sized counter that runs over the sign of 32 bits. */
void world_word_counter(struct world *x)
{
	describe(x, 0x200, PV_COUNTER_WORD);
	counter(x, 1 * MS, PV_COUNTER_WORD, 0x7ffffff0);
	counter(x, 2 * MS, PV_COUNTER_WORD, 0x20);
}

/* A performance counter says its value each time: 100, 90, 95. */
void world_performance_counter(struct world *x)
{
	describe(x, PV_SECTION_PERFCOUNTERS, PV_COUNTER_LONG);
	counter(x, 1 * MS, PV_COUNTER_LONG, 100);
	counter(x, 2 * MS, PV_COUNTER_LONG, 90);
	counter(x, 3 * MS, PV_COUNTER_LONG, 95);
}

/* Data versions 11 to 13 can say that a class is unloaded; one is, between two loads. */
void world_class_unload(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_class(x, 1, 1, "Old");
	world_put(x, 2,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 1), 24, { 0, 0 } }));
	world_put(x, 3,
		EVENT(CLASS_UNLOAD, .meta = { .key = x->high + 0x340,
					    .image = x->high + 0x200,
					    .name = world_text("Old") }));
	world_class(x, 4, 2, "New");
}

/* Two objects whose class and vtable are reported by another thread's buffer, after them. */
void world_vtable_delayed(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	for (unsigned i = 1; i <= 2; i++)
		world_put(x, 10 + i,
			EVENT(ALLOC,
				.alloc = { world_type(x, 1), world_object(x, i), 24, { 0, 0 } }));
	world_buffer(x, WORLD_MAIN + 1, 5);
	world_class(x, 6, 1, "Late");
	world_put(x, 20,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 3), 24, { 0, 0 } }));
}

/* An image is unloaded; a collection, a call and an object stand after that. */
void world_image_unload(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	world_put(x, 1,
		EVENT(IMAGE_LOAD, .meta = { .key = x->high + 0x200,
					  .name = world_text("plug.dll"),
					  .mvid = world_text("") }));
	world_put(x, 2,
		EVENT(IMAGE_UNLOAD,
			.meta = { .key = x->high + 0x200, .name = world_text("plug.dll") }));
	world_put(x, 3, EVENT(GC_EVENT, .gc = { 0, 0, 0 }));
	world_put(x, 4, EVENT(GC_EVENT, .gc = { 5, 0, 0 }));
	world_class(x, 5, 1, "Next");
	world_put(x, 6,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 1), 24, { 0, 0 } }));
	world_jit(x, 7, 1, 100, "Main ()");
	CALL(8, METHOD_ENTER, 1);
	CALL(9, METHOD_LEAVE, 1);
}

/* One root of every source: numbers up to 13, bits in 14. */
void world_old_roots(struct world *x)
{
	uint64_t roots[5 * 3];
	world_buffer(x, WORLD_MAIN, 0);
	for (unsigned i = 0; i < 5; i++) {
		roots[3 * i] = world_object(x, i + 1);
		roots[3 * i + 1] = x->w.format.data_version == 14 ? UINT64_C(1) << i : i;
		roots[3 * i + 2] = 0;
	}
	world_put(x, 1, EVENT(GC_EVENT, .gc = { 0, 1, 0 }));
	struct pv_event e = EVENT(HEAP_ROOTS, .roots = { 1, 3, world_list(x, roots, 15) });
	world_put(x, 2, e);
	world_put(x, 3, EVENT(GC_EVENT, .gc = { 5, 1, 0 }));
}

/*
 * Helpers whose numbers mean something in 13 and in 14; only what comes after them tells the two
 * apart.
 */
void world_delayed_layout(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 0);
	for (unsigned i = 0; i < 4; i++)
		world_put(x, i,
			EVENT(JIT_HELPER, .helper = { i, x->high + 0x60000 + i * 0x100, 1u << i,
						  world_text("") }));
	world_buffer(x, WORLD_WORKER, 5);
	world_jit(x, 6, 1, 100, "Work ()");
	CALL(7, METHOD_ENTER, 1);
	CALL(8, METHOD_LEAVE, 1);
	world_put(x, 9,
		EVENT(JIT_HELPER, .helper = { 5, x->high + 0x70000, 64,
					  world_text("(wrapper) trampoline") }));
}

/* One native id used for three threads: "alpha", "beta" and "alpha" again, 1, 2 and 4 calls. */
void world_thread_lives(struct world *x)
{
	static const char *const name[] = { "alpha", "beta", "alpha" };
	world_buffer(x, WORLD_MAIN, 0);
	world_jit(x, 0, 1, 100, "First ()");
	world_jit(x, 0, 2, 100, "Second ()");
	world_jit(x, 0, 3, 100, "Third ()");
	CALL(1, METHOD_ENTER, 1);
	for (unsigned i = 0; i < 3; i++) {
		int64_t us = 100 + i * 100;
		struct pv_event e = { .kind = PV_KIND_THREAD_START,
			.meta = { .key = x->high + WORLD_WORKER, .name = world_text(name[i]) } };
		world_buffer(x, WORLD_WORKER, us);
		world_put(x, us, e);
		e.kind = PV_KIND_THREAD_NAME;
		world_put(x, us + 1, e);
		for (unsigned n = 0; n < 1U << i; n++) {
			CALL(us + 10 + n, METHOD_ENTER, i + 1);
			CALL(us + 10 + n, METHOD_LEAVE, i + 1);
		}
		e.kind = PV_KIND_THREAD_END;
		world_put(x, us + 50, e);
	}
}
