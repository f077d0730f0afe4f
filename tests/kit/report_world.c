/* SPDX-License-Identifier: MIT */
#include "tests/kit/report_world.h"

#include <stdio.h>
#include <string.h>

enum { MAIN = 0x100, WORK = 0x110, TEXT = 0x200, FAULT = 0x300 };

static struct pv_text text(const char *s)
{
	return (struct pv_text){ s, strlen(s) };
}

static void names(struct kit *k)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_IMAGE_LOAD,
			     .meta = { .key = 0x9000, .name = text("/lib/app.dll") } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_ASSEMBLY_LOAD,
			     .meta = { .key = 0x9100,
				     .image = 0x9000,
				     .name = text("app, Version=1.0") } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_DOMAIN_NAME,
			     .meta = { .key = 0x9200, .name = text("app.exe") } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_START, .meta = { .key = 0x10 } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_THREAD_NAME,
			     .meta = { .key = 0x10, .name = text("main") } });
	kit_method(k, MAIN, "App:Main (string[])");
	kit_method(k, WORK, "App:Work<A,B> (\"x\")");
	kit_class(k, TEXT, "Bad\xff\xc3(\"\\\x01|");
	kit_class(k, FAULT, "App.Fault");
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_JIT_HELPER, .helper = { .type = 6, .size = 40 } });
}

static void counters(struct kit *k)
{
	static const struct pv_counter_desc d[] = { { .section = 0x200,
							    .type = PV_COUNTER_LONG,
							    .unit = 1 << 24,
							    .variance = 1 << 30,
							    .index = 1 },
		{ .section = 0x2000, .type = PV_COUNTER_DOUBLE, .index = 2 },
		{ .section = 0x2000, .type = PV_COUNTER_STRING, .index = 3 } };
	static const char *const name[] = { "Heap", "Load", "Mode" };
	double load = 1.0 / 0.0, half = 0.5;
	struct pv_counter_value v[] = {
		{ .index = 1, .type = PV_COUNTER_LONG, .raw = UINT64_C(1000000000000000) },
		{ .index = 2, .type = PV_COUNTER_DOUBLE },
		{ .index = 2, .type = PV_COUNTER_DOUBLE },
		{ .index = 3, .type = PV_COUNTER_STRING, .raw = 1, .text = text("fa\"st") }
	};
	memcpy(&v[1].raw, &load, sizeof load);
	memcpy(&v[2].raw, &half, sizeof half);
	kit_must(pv_reserve(&k->batch.descs, 3) && pv_reserve(&k->batch.values, 4));
	for (size_t i = 0; i < PV_COUNT_OF(d); i++) {
		k->batch.descs.v[i] = d[i];
		k->batch.descs.v[i].name = text(name[i]);
	}
	memcpy(k->batch.values.v, v, sizeof v);
	k->batch.descs.n = 3;
	k->batch.values.n = 4;
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_COUNTERS_DESCRIBE, .counters = { .list = { 0, 3 } } });
	kit_event(k, (struct pv_event){
			     .kind = PV_KIND_COUNTERS_SAMPLE, .counters = { .list = { 0, 4 } } });
}

static void memory(struct kit *k)
{
	static const uint64_t work[] = { MAIN, WORK, 0 }, only[] = { MAIN, 0 };
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_RESIZE, .resize = { 65536, 0 } });
	kit_alloc(k, TEXT, 0x8000, UINT64_C(1000000000000000), work);
	kit_alloc(k, FAULT, 0x8100, 48, only);
	kit_at(k, 20);
	kit_gc(k, PV_GC_PRE_STOP, 0);
	kit_gc(k, PV_GC_START, 0);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_START });
	kit_shot_object(k, TEXT, 0x8000, 64, 2);
	kit_shot_object(k, FAULT, 0x8100, 48, 0);
	kit_event(k, (struct pv_event){ .kind = PV_KIND_HEAP_END });
	kit_at(k, 29);
	kit_gc(k, PV_GC_END, 0);
	kit_at(k, 30);
	kit_gc(k, PV_GC_POST_START, 0);
}

struct kit report_world(void)
{
	static const uint64_t work[] = { MAIN, WORK, 0 }, hit[] = { WORK, MAIN, 0 };
	struct kit k = kit_new("log:calls,alloc,sample,heapshot,monitor,gchandle");
	names(&k);
	counters(&k);
	memory(&k);
	kit_at(&k, 40);
	kit_enter(&k, MAIN);
	kit_enter(&k, WORK);
	kit_at(&k, 45);
	kit_exc_leave(&k, WORK);
	kit_throw(&k, 0x8100, work);
	kit_event(&k, (struct pv_event){ .kind = PV_KIND_EXCEPTION_CLAUSE,
			      .clause = { .type = 2, .method = MAIN } });
	kit_monitor(&k, PV_KIND_MONITOR_CONTENTION, 0x8000, work);
	kit_at(&k, 49);
	kit_monitor(&k, PV_KIND_MONITOR_DONE, 0x8000, NULL);
	kit_sample(&k, 0x10, WORK * 16, hit);
	kit_at(&k, 50);
	kit_leave(&k, MAIN);
	kit_flush(&k);
	pv_model_lock(k.m);
	pv_model_damage(k.m, 4096, 10, "event byte 0xfe\tis not understood");
	pv_model_unlock(k.m);
	kit_end(&k, false);
	return k;
}

char *report_text(struct kit *k, const struct pv_report_options *o)
{
	static const struct pv_report_source source = {
		.path = "dir/app \"1\".mlpd", .bytes = 5000, .file_bytes = 900, .compressed = true
	};
	struct pv_error e = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	bool ok = pv_report_write(k->m, &source, o, out, &e);
	fclose(out);
	ck_assert_msg(ok, "%s", e.what);
	return text;
}
