/* SPDX-License-Identifier: MIT */
/*
 * A log that holds every kind of its data version, with and without stacks, as a program could have
 * written it: what comes before what follows the format's description.
 */
#include "tests/kit/worlds.h"

#include <check.h>

#define EVENT(what, ...)                                                                           \
	(struct pv_event)                                                                          \
	{                                                                                          \
		.kind = PV_KIND_##what, __VA_ARGS__                                                \
	}
#define M(n) world_method(x, n)

enum {
	DOMAIN = 0x100,
	CONTEXT = 0x180,
	IMAGE = 0x200,
	ASSEMBLY = 0x280,
	NATIVE = 0x50000,
	AREA = 0x60000
};

static void named(struct world *x, int64_t us, enum pv_kind kind, uint64_t key, const char *name)
{
	world_put(x, us,
		(struct pv_event){ .kind = (uint8_t)kind,
			.meta = { .key = x->high + key,
				.image = x->high + IMAGE,
				.domain = x->high + DOMAIN,
				.name = world_text(name),
				.mvid = world_text("6a1b") } });
}

/* Performance counters came with 7; a counter that is text ends the stock reader. */
static bool has_counter(const struct world *x, uint64_t index)
{
	return index == 8 ? x->w.format.data_version >= 7 : index != 9 || !x->leaves_out;
}

static struct pv_counter_desc led(struct pv_counter_desc d)
{
	d.section_name = world_text(d.section_name.at);
	d.name = world_text(d.name.at);
	return d;
}

static void describe(struct world *x, int64_t us)
{
	static const struct pv_counter_desc list[] = {
		{ 0x2000, PV_COUNTER_INT, 0, 1 << 30, 1, { "", 0 }, { "Workers", 7 }, { NULL, 0 } },
		{ 0x400, PV_COUNTER_UINT, 3 << 24, 1 << 28, 2, { "", 0 }, { "Classes", 7 },
			{ NULL, 0 } },
		{ 0x200, PV_COUNTER_WORD, 1 << 24, 1 << 30, 3, { "", 0 }, { "Heap", 4 },
			{ NULL, 0 } },
		{ 0x100, PV_COUNTER_LONG, 0, 1 << 28, 4, { "", 0 }, { "Methods", 7 }, { NULL, 0 } },
		{ 0x4000, PV_COUNTER_ULONG, 1 << 24, 1 << 30, 5, { "", 0 }, { "Private", 7 },
			{ NULL, 0 } },
		{ 0x4000, PV_COUNTER_DOUBLE, 4 << 24, 1 << 30, 6, { "", 0 }, { "Load", 4 },
			{ NULL, 0 } },
		{ 0x100, PV_COUNTER_TIME_INTERVAL, 2 << 24, 1 << 28, 7, { "", 0 },
			{ "JIT time", 8 }, { NULL, 0 } },
		{ 0x8000, PV_COUNTER_LONG, 0, 1 << 30, 8, { ".NET", 4 }, { "Threads", 7 },
			{ NULL, 0 } },
		{ 0x2000, PV_COUNTER_STRING, 0, 1 << 29, 9, { "", 0 }, { "Mode", 4 }, { NULL, 0 } },
	};
	ck_assert(pv_reserve(&x->pools.descs, PV_COUNT_OF(list)));
	uint32_t n = 0;
	for (size_t i = 0; i < PV_COUNT_OF(list); i++)
		if (has_counter(x, list[i].index))
			x->pools.descs.v[n++] = led(list[i]);
	x->pools.descs.n = n;
	world_put(x, us, EVENT(COUNTERS_DESCRIBE, .counters = { .list = { 0, n } }));
}

/* Differences, but for the double, the performance counter and the text. */
static void sample(struct world *x, int64_t us, bool second)
{
	static const int64_t raw[2][6] = { { -5, 10, 4096, 1000, 7, 0 }, { 8, 5, -96, 1, 1, 0 } };
	const double load = second ? 2.5 : 1.5;
	struct pv_counter_value list[] = {
		{ 1, PV_COUNTER_INT, (uint64_t)raw[second][0], { "", 0 } },
		{ 2, PV_COUNTER_UINT, (uint64_t)raw[second][1], { "", 0 } },
		{ 3, PV_COUNTER_WORD, (uint64_t)raw[second][2], { "", 0 } },
		{ 4, PV_COUNTER_LONG, (uint64_t)raw[second][3], { "", 0 } },
		{ 5, PV_COUNTER_ULONG, (uint64_t)raw[second][4], { "", 0 } },
		{ 6, PV_COUNTER_DOUBLE, 0, { "", 0 } },
		{ 7, PV_COUNTER_TIME_INTERVAL, second ? 500 : 1000, { "", 0 } },
		{ 8, PV_COUNTER_LONG, second ? 90 : 100, { "", 0 } },
		{ 9, PV_COUNTER_STRING, 1, world_text("fast") },
	};
	uint32_t n = 0;
	memcpy(&list[5].raw, &load, sizeof load);
	ck_assert(pv_reserve(&x->pools.values, PV_COUNT_OF(list)));
	for (size_t i = 0; i < PV_COUNT_OF(list); i++)
		if (has_counter(x, list[i].index))
			x->pools.values.v[n++] = list[i];
	x->pools.values.n = n;
	world_put(x, us, EVENT(COUNTERS_SAMPLE, .counters = { (uint64_t)us / 1000, { 0, n } }));
}

static void begin(struct world *x)
{
	bool old = x->w.format.data_version <= 13;
	world_buffer(x, WORLD_MAIN, 0);
	named(x, 0, PV_KIND_DOMAIN_LOAD, DOMAIN, "");
	named(x, 1, PV_KIND_DOMAIN_NAME, DOMAIN, "app.exe");
	named(x, 2, PV_KIND_THREAD_START, WORLD_MAIN, "");
	named(x, 3, PV_KIND_THREAD_NAME, WORLD_MAIN, "main");
	named(x, 4, PV_KIND_CONTEXT_LOAD, CONTEXT, "");
	named(x, 5, PV_KIND_IMAGE_LOAD, IMAGE, "/app.exe");
	named(x, 6, PV_KIND_ASSEMBLY_LOAD, ASSEMBLY, "app");
	world_class(x, 7, 1, "Shop.Item");
	world_class(x, 8, 2, "Shop.Error");
	world_jit(x, 11, 1, 100, "Shop.Main:Run ()");
	world_jit(x, 12, 2, 40, "Shop.Item:.ctor ()");
	world_jit(x, 13, 3, 60, "Shop.Main:Fail ()");
	world_jit(x, 14, 4, 30, "Shop.Main:Serve ()");
	world_put(x, 16,
		EVENT(JIT_HELPER,
			.helper = { 5 + old, x->high + 0x70000, 12, world_text("tramp") }));
	world_put(
		x, 17, EVENT(JIT_HELPER, .helper = { 8 + old, x->high + 0x71000, 20, { "", 0 } }));
	describe(x, 18);
	world_put(x, 19,
		EVENT(HEAP_ROOT_REGISTER, .root_area = { x->high + AREA, 16, 3, world_type(x, 1),
						  world_text("statics") }));
	world_put(x, 20, EVENT(SYNC_POINT, .sync = { 0 }));
	world_put(x, 21, EVENT(AOT_ID, .aot = { world_text("aot-1") }));
	world_put(x, 22, EVENT(GC_RESIZE, .resize = { 1 << 20, 0 }));
}

static void call(struct world *x, int64_t us, enum pv_kind kind, unsigned method)
{
	world_put(x, us,
		(struct pv_event){ .kind = (uint8_t)kind, .call = { world_method(x, method) } });
}

static void calls(struct world *x)
{
	uint64_t error = world_object(x, 9);
	call(x, 100, PV_KIND_METHOD_ENTER, 1);
	call(x, 110, PV_KIND_METHOD_ENTER, 2);
	world_put(x, 120,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 1), 24, { 0, 0 } }));
	world_put(x, 130,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 2), 32,
				     WORLD_LIST(x, M(1), M(2)) }));
	call(x, 140, PV_KIND_METHOD_LEAVE, 2);
	call(x, 150, PV_KIND_METHOD_ENTER, 3);
	world_put(x, 160, EVENT(ALLOC, .alloc = { world_type(x, 2), error, 48, { 0, 0 } }));
	world_put(
		x, 170, EVENT(EXCEPTION_THROW, .thrown = { error, WORLD_LIST(x, M(1), M(3)), 0 }));
	world_put(x, 171, EVENT(EXCEPTION_THROW, .thrown = { error, { 0, 0 }, 0 }));
	world_put(x, 175, EVENT(EXCEPTION_CLAUSE, .clause = { 2, 0, world_method(x, 3), error }));
	call(x, 180, PV_KIND_METHOD_EXC_LEAVE, 3);
	world_put(x, 185, EVENT(EXCEPTION_CLAUSE, .clause = { 0, 1, world_method(x, 1), error }));
}

/* With a stack where the data version can say one. */
static void handle(struct world *x, int64_t us, enum pv_kind kind, uint64_t type, bool stacked)
{
	struct pv_event e = { .kind = (uint8_t)kind,
		.handle = { type, 7 + type, world_object(x, type ? 1 : 2), { 0, 0 } } };
	if (stacked && x->w.format.data_version >= 11)
		e.handle.stack = WORLD_LIST(x, M(1));
	world_put(x, us, e);
}

static void monitor(struct world *x, int64_t us, enum pv_kind kind, unsigned object, bool stacked)
{
	struct pv_event e = { .kind = (uint8_t)kind,
		.monitor = { world_object(x, object), { 0, 0 }, 0 } };
	if (stacked)
		e.monitor.stack = WORLD_LIST(x, M(1));
	world_put(x, us, e);
}

static void handles_and_locks(struct world *x)
{
	handle(x, 200, PV_KIND_GC_HANDLE_CREATED, 2, false);
	handle(x, 210, PV_KIND_GC_HANDLE_CREATED, 0, true);
	handle(x, 220, PV_KIND_GC_HANDLE_DESTROYED, 2, false);
	handle(x, 230, PV_KIND_GC_HANDLE_DESTROYED, 0, true);
	monitor(x, 240, PV_KIND_MONITOR_CONTENTION, 1, true);
	monitor(x, 260, PV_KIND_MONITOR_DONE, 1, false);
	monitor(x, 270, PV_KIND_MONITOR_CONTENTION, 2, false);
	monitor(x, 300, PV_KIND_MONITOR_FAIL, 2, false);
	monitor(x, 310, PV_KIND_MONITOR_CONTENTION, 1, true);
	monitor(x, 340, PV_KIND_MONITOR_DONE, 1, true);
	monitor(x, 350, PV_KIND_MONITOR_CONTENTION, 1, false);
	monitor(x, 355, PV_KIND_MONITOR_FAIL, 1, true);
	call(x, 400, PV_KIND_METHOD_LEAVE, 1);
}

static void other_thread(struct world *x)
{
	world_buffer(x, WORLD_WORKER, 50);
	named(x, 50, PV_KIND_THREAD_START, WORLD_WORKER, "");
	named(x, 51, PV_KIND_THREAD_NAME, WORLD_WORKER, "worker");
	call(x, 60, PV_KIND_METHOD_ENTER, 4);
	world_put(x, 70,
		EVENT(ALLOC, .alloc = { world_type(x, 1), world_object(x, 3), 16, { 0, 0 } }));
	call(x, 90, PV_KIND_METHOD_LEAVE, 4);
	named(x, 95, PV_KIND_THREAD_END, WORLD_WORKER, "");
}

static void gc(struct world *x, int64_t us, unsigned step, unsigned generation)
{
	world_put(x, us, EVENT(GC_EVENT, .gc = { step, generation, 0 }));
}

/* Two roots: of a handle and of a stack in the old form, in the registered area in the new. */
static void roots(struct world *x, int64_t us)
{
	struct pv_event e = EVENT(HEAP_ROOTS, .roots = { 1, 2, { 0, 0 } });
	bool bits = x->w.format.data_version == 14;
	if (x->w.format.data_version >= 15 || x->w.format.layout & MLPD_NEW_ROOTS) {
		e.roots.roots = WORLD_LIST(x, x->high + AREA, world_object(x, 21),
			x->high + AREA + 8, world_object(x, 29));
	} else {
		e.roots.width = 3;
		e.roots.roots = WORLD_LIST(x, world_object(x, 21), bits ? 4 : 2, 0,
			world_object(x, 29), bits ? 1 : 0, 0);
	}
	world_put(x, us, e);
}

static void object(
	struct world *x, int64_t us, unsigned n, uint64_t type, uint64_t size, struct pv_span refs)
{
	world_put(x, us,
		EVENT(HEAP_OBJECT, .heap_object = { world_object(x, n), type, size, 1, refs, 0 }));
}

/* Items 21 and 22 are items 1 and 2 after the collection moved them; 29 is the error. */
static void objects(struct world *x)
{
	struct pv_span none = { 0, 0 };
	uint64_t to = world_object(x, 22), at = x->w.format.data_version == 1;
	object(x, 541, 21, world_type(x, 1), 24, WORLD_LIST(x, at ? 0 : 16, to));
	object(x, 542, 22, world_type(x, 1), 32, WORLD_LIST(x, at ? 0 : 16, to, at ? 0 : 24, to));
	object(x, 543, 22, world_type(x, 1), 0, WORLD_LIST(x, at ? 0 : 40, to));
	object(x, 544, 29, world_type(x, 2), 48, none);
}

/* A major collection with a heap shot in it: what stands in front of what has changed with 14. */
static void collection(struct world *x)
{
	bool old = x->w.format.data_version <= 13;
	gc(x, 500, 6, 1);
	if (x->w.format.data_version >= 13)
		gc(x, 501, 10, 1);
	gc(x, 510, 7, 1);
	if (!old)
		world_put(x, 513, EVENT(HEAP_START, .sync = { 0 }));
	gc(x, 514, 0, 1);
	for (unsigned step = 1; old && step <= 4; step++)
		gc(x, 514 + step, step, 1);
	world_put(x, 519,
		EVENT(GC_MOVE, .moves = { WORLD_LIST(x, world_object(x, 1), world_object(x, 21),
				       world_object(x, 2), world_object(x, 22), world_object(x, 9),
				       world_object(x, 29)) }));
	roots(x, 520);
	gc(x, 530, 5, 1);
	gc(x, 535, 8, 1);
	if (old)
		world_put(x, 540, EVENT(HEAP_START, .sync = { 0 }));
	objects(x);
	world_put(x, 560, EVENT(HEAP_END, .sync = { 0 }));
	gc(x, 565, 9, 1);
	if (x->w.format.data_version >= 13)
		gc(x, 570, 11, 1);
	world_put(x, 580, EVENT(GC_RESIZE, .resize = { 2 << 20, 0 }));
}

static void collect_again(struct world *x)
{
	static const struct {
		uint16_t us;
		uint8_t step;
	} steps[] = { { 600, 6 }, { 610, 7 }, { 612, 0 }, { 620, 5 }, { 625, 8 }, { 630, 9 } };
	for (size_t i = 0; i < PV_COUNT_OF(steps); i++)
		gc(x, steps[i].us, steps[i].step, 0);
	world_put(x, 650, EVENT(GC_FINALIZE_START, .sync = { 0 }));
	world_put(x, 655, EVENT(GC_FINALIZE_OBJECT_START, .finalize = { world_object(x, 3) }));
	world_put(x, 660, EVENT(GC_FINALIZE_OBJECT_END, .finalize = { world_object(x, 3) }));
	world_put(x, 670, EVENT(GC_FINALIZE_END, .sync = { 0 }));
}

/* In the constructor, called by Run; then in native code. */
static void samples(struct world *x)
{
	const uint64_t on = x->high + WORLD_MAIN;
	world_put(x, 690,
		EVENT(SAMPLE_SYMBOL,
			.symbol = { x->high + NATIVE, 64, 0, world_text("nat_work") }));
	world_put(x, 691,
		EVENT(SAMPLE_BINARY,
			.symbol = { x->high + NATIVE, 4096, 512, world_text("libnat.so") }));
	struct pv_event e = EVENT(
		SAMPLE_HIT, .hit = { .type = 1,
				    .thread = on,
				    .timestamp = x->w.head.time_base + 700 * 1000 - 450 * 1000 });
	e.hit.ips = WORLD_LIST(x, x->high + 0x22004);
	e.hit.frames = WORLD_LIST(x, M(2), M(1));
	e.hit.offsets = WORLD_LIST(x, 0, 4, 0, 40);
	world_put(x, 700, e);
	e.hit.timestamp += 10 * 1000;
	e.hit.ips = WORLD_LIST(x, x->high + NATIVE + 16);
	e.hit.frames = e.hit.offsets = (struct pv_span){ 0, 0 };
	world_put(x, 710, e);
}

void world_covered(struct world *x, int64_t us, const enum pv_kind kind[3])
{
	const struct pv_text app = world_text("app"), item = world_text("Shop.Item");
	const struct pv_event assembly = { .kind = (uint8_t)kind[0],
		.coverage = { .assembly = app,
			.guid = world_text("6a1b"),
			.file = world_text("/app.exe"),
			.methods = 2,
			.full = 1 } };
	const struct pv_event class = { .kind = (uint8_t)kind[1],
		.coverage = { .assembly = app, .class_name = item, .methods = 1, .full = 1 } };
	const struct pv_event method = { .kind = (uint8_t)kind[2],
		.coverage = { .assembly = app,
			.class_name = item,
			.method = world_text(".ctor"),
			.signature = world_text("void ()"),
			.file = world_text("Item.cs"),
			.token = 0x6000002,
			.method_id = 5,
			.statements = 2 } };
	world_put(x, us, assembly);
	world_put(x, us + 1, class);
	world_put(x, us + 2, method);
}

static void code_coverage(struct world *x)
{
	static const enum pv_kind kinds[] = { PV_KIND_COVERAGE_ASSEMBLY, PV_KIND_COVERAGE_CLASS,
		PV_KIND_COVERAGE_METHOD };
	world_covered(x, 3100, kinds);
	world_put(x, 3103,
		EVENT(COVERAGE_STATEMENT,
			.coverage = {
				.method_id = 5, .il = 0, .hits = 3, .line = 10, .column = 4 }));
	world_put(x, 3104,
		EVENT(COVERAGE_STATEMENT,
			.coverage = {
				.method_id = 5, .il = 7, .hits = 0, .line = 11, .column = 8 }));
}

/* The image goes last in its buffer: what stands after its unload the stock reader mistakes. */
static void end(struct world *x)
{
	world_buffer(x, WORLD_MAIN, 2000);
	sample(x, 2000, false);
	sample(x, 3000, true);
	code_coverage(x);
	world_put(x, 3200, EVENT(HEAP_ROOT_UNREGISTER, .root_area = { .start = x->high + AREA }));
	named(x, 3210, PV_KIND_CONTEXT_UNLOAD, CONTEXT, "");
	named(x, 3220, PV_KIND_IMAGE_UNLOAD, IMAGE, "/app.exe");
	world_buffer(x, WORLD_MAIN, 3230);
	named(x, 3230, PV_KIND_ASSEMBLY_UNLOAD, ASSEMBLY, "app");
	named(x, 3240, PV_KIND_DOMAIN_UNLOAD, DOMAIN, "");
	named(x, 3250, PV_KIND_THREAD_END, WORLD_MAIN, "");
}

void world_every_kind(struct world *x)
{
	begin(x);
	calls(x);
	handles_and_locks(x);
	other_thread(x);
	world_buffer(x, WORLD_MAIN, 450);
	collection(x);
	collect_again(x);
	samples(x);
	end(x);
}
