/* SPDX-License-Identifier: MIT */
/*
 * Counters: the process by what the kernel says, the heap by the last collection, threads and code
 * by what the runtime has reported. The writer reads them once a second and writes what has
 * changed; no code of the program runs for them.
 */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/base/status.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"

enum {
	FIRST = 4096, /* index; lower ones are the core's and the program's */
	GENERATIONS = 5,
	EVERY_NS = 1000000000,
	SECTION_JIT = 0x100,
	SECTION_GC = 0x200,
	SECTION_RUNTIME = 0x2000,
	SECTION_SYSTEM = 0x4000,
	BYTES = 1 << 24,
	TIME = 2 << 24,
	COUNT = 3 << 24,
	RISING = 1 << 28,
	VARIABLE = 1 << 30,
};

enum counter {
	HEAP,
	GENERATION_0, /* 1, 2, large and pinned objects stand after it */
	COLLECTIONS_0 = GENERATION_0 + GENERATIONS,
	COLLECTIONS_1,
	COLLECTIONS_2,
	THREADS,
	USER,
	SYSTEM,
	RESIDENT,
	VIRTUAL,
	PROCESS_THREADS,
	COUNTERS
};

static const struct {
	const char *name;
	uint32_t section, unit, variance;
} descriptions[COUNTERS] = {
	[HEAP] = { "GC heap", SECTION_GC, BYTES, VARIABLE },
	[GENERATION_0] = { "Generation 0", SECTION_GC, BYTES, VARIABLE },
	[GENERATION_0 + 1] = { "Generation 1", SECTION_GC, BYTES, VARIABLE },
	[GENERATION_0 + 2] = { "Generation 2", SECTION_GC, BYTES, VARIABLE },
	[GENERATION_0 + 3] = { "Large objects", SECTION_GC, BYTES, VARIABLE },
	[GENERATION_0 + 4] = { "Pinned objects", SECTION_GC, BYTES, VARIABLE },
	[COLLECTIONS_0] = { "Collections of generation 0", SECTION_GC, COUNT, RISING },
	[COLLECTIONS_1] = { "Collections of generation 1", SECTION_GC, COUNT, RISING },
	[COLLECTIONS_2] = { "Collections of generation 2", SECTION_GC, COUNT, RISING },
	[THREADS] = { "Managed threads", SECTION_RUNTIME, COUNT, VARIABLE },
	[USER] = { "User Time", SECTION_SYSTEM, TIME, RISING },
	[SYSTEM] = { "System Time", SECTION_SYSTEM, TIME, RISING },
	[RESIDENT] = { "Working Set", SECTION_SYSTEM, BYTES, VARIABLE },
	[VIRTUAL] = { "Virtual Bytes", SECTION_SYSTEM, BYTES, VARIABLE },
	[PROCESS_THREADS] = { "Threads of the process", SECTION_SYSTEM, COUNT, VARIABLE },
};

static _Atomic int64_t now[COUNTERS]; /* set by callbacks */
static struct {
	int64_t value;
	bool described, written;
} last[COUNTERS]; /* the writer's */
static uint64_t last_ns;

void pvp_clr_count_threads(int more)
{
	atomic_fetch_add_explicit(&now[THREADS], more, memory_order_relaxed);
}

void pvp_clr_count_collection(unsigned generation, const struct pvp_clr_range *ranges, uint32_t n)
{
	int64_t all = 0, of[GENERATIONS] = { 0 };
	for (uint32_t i = 0; i < n; i++) {
		all += (int64_t)ranges[i].length;
		if (ranges[i].generation < GENERATIONS)
			of[ranges[i].generation] += (int64_t)ranges[i].length;
	}
	atomic_store_explicit(&now[HEAP], all, memory_order_relaxed);
	for (int i = 0; i < GENERATIONS; i++)
		atomic_store_explicit(&now[GENERATION_0 + i], of[i], memory_order_relaxed);
	if (generation < 3)
		atomic_fetch_add_explicit(
			&now[COLLECTIONS_0 + generation], 1, memory_order_relaxed);
}

static void set_counter(enum counter c, uint64_t value)
{
	atomic_store_explicit(&now[c], (int64_t)value, memory_order_relaxed);
}

static void read_process(void)
{
	char text[1024];
	long tick = sysconf(_SC_CLK_TCK), page = sysconf(_SC_PAGESIZE);
	pv_proc_read(0, "stat", text, sizeof text);
	if (!pv_stat_find(text, PV_STAT_RESIDENT) || tick <= 0 || page <= 0)
		return;
	const uint64_t unit = 10000000 / (uint64_t)tick; /* to 100 ns, as Mono's */
	set_counter(USER, pv_stat_number(text, PV_STAT_USER) * unit);
	set_counter(SYSTEM, pv_stat_number(text, PV_STAT_SYSTEM) * unit);
	set_counter(PROCESS_THREADS, pv_stat_number(text, PV_STAT_THREADS));
	set_counter(VIRTUAL, pv_stat_number(text, PV_STAT_VIRTUAL));
	set_counter(RESIDENT, pv_stat_number(text, PV_STAT_RESIDENT) * (uint64_t)page);
}

static struct pv_counter_desc describe_clr_counter(enum counter c)
{
	return (struct pv_counter_desc){ .section = descriptions[c].section,
		.type = PV_COUNTER_LONG, /* intervals would be in microseconds, as Mono has them */
		.unit = descriptions[c].unit,
		.variance = descriptions[c].variance,
		.index = FIRST + (uint64_t)c,
		.section_name = { "", 0 },
		.name = { descriptions[c].name, strlen(descriptions[c].name) } };
}

static bool put_changed_counters(struct pvp_writer *w, struct pvp_out_buffer *page)
{
	struct pv_counter_desc desc[COUNTERS];
	struct pv_counter_value value[COUNTERS];
	uint32_t descs = 0, values = 0;
	for (enum counter c = 0; c < COUNTERS; c++) {
		int64_t v = atomic_load_explicit(&now[c], memory_order_relaxed);
		if (last[c].written && last[c].value == v)
			continue;
		struct pv_counter_desc d = describe_clr_counter(c);
		value[values++] = (struct pv_counter_value){ .index = d.index,
			.type = d.type,
			.raw = (uint64_t)v - (uint64_t)last[c].value,
			.text = { "", 0 } };
		if (!last[c].described)
			desc[descs++] = d;
		last[c].described = last[c].written = true;
		last[c].value = v;
	}
	const struct pv_batch pools = { .descs = { desc, descs, descs },
		.values = { value, values, values } };
	struct pv_event written = { .kind = PV_KIND_COUNTERS_DESCRIBE,
		.time = w->round_ns,
		.counters = { .list = { 0, descs } } };
	struct pv_event sampled = { .kind = PV_KIND_COUNTERS_SAMPLE,
		.time = w->round_ns,
		.counters = { .list = { 0, values } } };
	return (!descs || pvp_out_buffer_add(w, page, &written, &pools)) &&
	       (!values || pvp_out_buffer_add(w, page, &sampled, &pools));
}

bool pvp_clr_counters_tell(struct pvp_writer *w, struct pvp_out_buffer *page, bool again)
{
	if (!(pvp_clr_groups() & PVP_MANAGED_COUNTERS))
		return true;
	if (again) {
		memset(last, 0, sizeof last);
		last_ns = 0;
	}
	if (last_ns && !w->last && w->round_ns - last_ns < EVERY_NS)
		return true;
	last_ns = w->round_ns;
	read_process();
	return put_changed_counters(w, page);
}

/* Resets the counters when a program is joined, or joined again. */
void pvp_clr_counters_begin(void)
{
	memset(last, 0, sizeof last);
	last_ns = 0;
	for (enum counter c = 0; c < COUNTERS; c++)
		atomic_store_explicit(&now[c], 0, memory_order_relaxed);
}
