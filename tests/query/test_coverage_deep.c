/* SPDX-License-Identifier: MIT */
/* The coverage of stacks that have as many callers as their writer keeps. */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "tests/kit/query_kit.h"
#include "tests/kit/suite.h"

enum { METHOD = 0x100, CLASS = 0x20, MOST = 64 };

static struct pv_span span_of(struct kit *k, const uint64_t *stack)
{
	struct pv_span ret = { .at = (uint32_t)k->batch.pool.n };
	for (; stack[ret.n]; ret.n++) {
		ck_assert(pv_reserve(&k->batch.pool, 1));
		k->batch.pool.v[k->batch.pool.n++] = stack[ret.n];
	}
	return ret;
}

/* So many of each kind of event, each with so many callers. */
static void add(struct kit *k, size_t frames, size_t n)
{
	uint64_t stack[MOST + 1] = { 0 };
	for (size_t i = 0; i < frames; i++)
		stack[i] = METHOD + i;
	for (size_t i = 0; i < n; i++) {
		kit_alloc(k, CLASS, 0x1000 + 16 * i, 24, stack);
		kit_throw(k, 0x1000 + 16 * i, stack);
		kit_monitor(k, PV_KIND_MONITOR_CONTENTION, 0x1000 + 16 * i, stack);
		kit_monitor(k, PV_KIND_MONITOR_DONE, 0x1000 + 16 * i, NULL);
		kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_HANDLE_CREATED,
				     .handle = { 2, frames << 8 | i, 0x1000 + 16 * i,
					     span_of(k, stack) } });
		kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_SPAN,
				     .span = { .took_ns = 10, .stack = span_of(k, stack) } });
	}
}

/* "state: detail" of the rows, which say the same. */
static void said(const char *args, size_t frames, char to[400])
{
	static const char *const rows[] = { "allocation_stacks", "exceptions", "locks", "handles",
		"spans" };
	struct kit k = kit_new(args);
	for (uint64_t i = 0; i < MOST; i++)
		kit_method(&k, METHOD + i, "M");
	kit_class(&k, CLASS, "C");
	add(&k, 3, 30);
	add(&k, frames, 10);
	kit_flush(&k);
	struct pv_table *t = kit_view(&k, PV_VIEW_COVERAGE, NULL);
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		const struct pv_row *row = kit_row(t, "what", rows[i]);
		const char *detail = kit_cell(t, row, "detail")->s;
		const char *kept = strstr(detail, "25 % have");
		char now[400];
		snprintf(now, sizeof now, "%s: %s", kit_cell(t, row, "state")->s, kept ? kept : "");
		ck_assert_msg(i == 0 || strcmp(to, now) == 0, "%s: %s", rows[i], now);
		memcpy(to, now, sizeof now);
	}
	pv_table_destroy(t);
	kit_free(&k);
}

static const struct {
	const char *args;
	size_t frames;
	const char *said;
} rows[] = {
	{ "profview:mono,alloc,exception", 31, "complete: " },
	{ "profview:mono,alloc,exception", 32,
		"partial: 25 % have 32 callers, the most that are kept (maxframes=64 keeps more)" },
	{ "profview:coreclr,alloc,exception,maxframes=12", 12,
		"partial: 25 % have 12 callers, the most that are kept (maxframes=64 keeps more)" },
	{ "profview:coreclr,alloc,exception,maxframes=64", 64,
		"partial: 25 % have 64 callers, the most that are kept" },
	{ "profview:coreclr,alloc,exception,maxframes=64", 40, "complete: " },
	{ "log:alloc,exception", 32, "partial: 25 % have 32 callers, the most that are kept" },
	{ "log:maxframes=40,alloc,exception", 32, "complete: " },
	{ "profview:native,malloc,exception", 64, "complete: " }, /* it counts by itself */
};

START_TEST(stacks_that_are_as_deep_as_can_be)
{
	char got[400];
	said(rows[_i].args, rows[_i].frames, got);
	ck_assert_str_eq(got, rows[_i].said);
}
END_TEST

static void counter_of(struct kit *k, uint64_t index, const char *name, uint64_t value)
{
	enum { JIT = 0x100 };
	const struct pv_counter_desc d = { .section = JIT,
		.type = PV_COUNTER_LONG,
		.index = index,
		.name = { name, (uint32_t)strlen(name) } };
	const struct pv_counter_value v = { .index = index, .type = PV_COUNTER_LONG, .raw = value };
	ck_assert(pv_reserve(&k->batch.descs, 1) && pv_reserve(&k->batch.values, 1));
	const uint32_t desc = (uint32_t)k->batch.descs.n, at = (uint32_t)k->batch.values.n;
	k->batch.descs.v[k->batch.descs.n++] = d;
	k->batch.values.v[k->batch.values.n++] = v;
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
			     .counters = { .list = { desc, 1 } } });
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { at, 1 } } });
	kit_flush(k);
}

static void calls_are(struct kit *k, const char *state, const char *detail)
{
	struct pv_table *t = kit_view(k, PV_VIEW_COVERAGE, NULL);
	const struct pv_row *row = kit_row(t, "what", "calls");
	ck_assert_str_eq(kit_cell(t, row, "state")->s, state);
	ck_assert_str_eq(kit_cell(t, row, "detail")->s, detail);
	pv_table_destroy(t);
}

/* Code of Mono's AOT images has no hooks: its calls are in no log, by whichever profiler. */
START_TEST(calls_of_images_are_said_to_be_missing)
{
	static const char *const by[] = { "log:calls", "profview:mono,calls" };
	struct kit k = kit_new(by[_i]);
	counter_of(&k, 3, "Methods JITted using mono JIT", 64);
	counter_of(&k, 4, "Methods from AOT", 0);
	calls_are(&k, "complete", "none happened");
	counter_of(&k, 4, "Methods from AOT", 1210);
	counter_of(&k, 5, "Methods from AOT+LLVM", 3);
	calls_are(
		&k, "partial", "not those of 1 213 methods of AOT images (mono -O=-aot has them)");
	kit_free(&k);
	k = kit_new("log:nodefaults,alloc");
	counter_of(&k, 4, "Methods from AOT", 1210);
	calls_are(&k, "not recorded", "");
	kit_free(&k);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("deep stacks");
	TCase *t = tcase_create("deep stacks");
	tcase_add_loop_test(t, stacks_that_are_as_deep_as_can_be, 0, PV_COUNT_OF(rows));
	tcase_add_loop_test(t, calls_of_images_are_said_to_be_missing, 0, 2);
	suite_add_tcase(s, t);
	return run_suite(s);
}
