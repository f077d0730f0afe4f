/* SPDX-License-Identifier: MIT */
#include "tests/kit/query_kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/format/batch_event.h"

struct kit kit_new(const char *args)
{
	struct kit k = { .m = pv_model_create(NULL), .time = KIT_ZERO };
	struct pv_target_info target = { .data_version = 17,
		.header_major = 3,
		.pointer_size = 8,
		.startup_ns = KIT_ZERO,
		.pid = 77,
		.args = args,
		.arch = "x86-64",
		.os = "linux" };
	kit_must(k.m != NULL);
	pv_model_lock(k.m);
	kit_must(pv_model_begin(k.m, &target));
	pv_model_unlock(k.m);
	k.batch.thread = 0x10;
	return k;
}

void kit_free(struct kit *k)
{
	pv_model_destroy(k->m);
	pv_batch_finish(&k->batch);
}

void kit_flush(struct kit *k)
{
	size_t at = 0;
	if (k->batch.n == 0)
		return;
	k->batch.time_base = k->batch.time[0];
	pv_model_lock(k->m);
	while (at < k->batch.n)
		kit_must(pv_model_apply(k->m, &k->batch, &at, 0));
	pv_model_unlock(k->m);
	uint64_t thread = k->batch.thread;
	pv_batch_reset(&k->batch);
	k->batch.thread = thread;
}

void kit_thread(struct kit *k, uint64_t id)
{
	kit_flush(k);
	k->batch.thread = id;
}

void kit_at(struct kit *k, uint64_t us)
{
	k->time = KIT_ZERO + us * 1000;
}

void kit_end(struct kit *k, bool complete)
{
	kit_flush(k);
	pv_model_lock(k->m);
	pv_model_end(k->m, complete);
	pv_model_unlock(k->m);
}

static void add(struct kit *k, enum pv_kind kind, uint64_t key)
{
	struct pv_batch *b = &k->batch;
	if (k->skip[kind])
		return;
	kit_must(pv_batch_reserve(b, 1));
	b->time[b->n] = k->time;
	b->kind[b->n] = (uint8_t)kind;
	b->key[b->n++] = key;
}

void kit_event(struct kit *k, struct pv_event e)
{
	e.time = k->time;
	if (k->skip[e.kind])
		return;
	kit_must(pv_batch_put_event(&k->batch, &e, e.time));
}

struct pv_text kit_string(const char *s)
{
	return (struct pv_text){ s, strlen(s) };
}

void kit_method(struct kit *k, uint64_t key, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			     .jit = { .method = key,
				     .code = key * 16,
				     .size = 16,
				     .name = kit_string(name) } });
}

void kit_class(struct kit *k, uint64_t key, const char *name)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_CLASS_LOAD,
			     .meta = { .key = key, .image = 0x9000, .name = kit_string(name) } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
			     .meta = { .key = key + 1, .owner = key } });
}

void kit_enter(struct kit *k, uint64_t method)
{
	add(k, PV_KIND_METHOD_ENTER, method);
}

void kit_leave(struct kit *k, uint64_t method)
{
	add(k, PV_KIND_METHOD_LEAVE, method);
}

void kit_exc_leave(struct kit *k, uint64_t method)
{
	add(k, PV_KIND_METHOD_EXC_LEAVE, method);
}

static struct pv_span pool(struct kit *k, const uint64_t *list)
{
	struct pv_span s = { (uint32_t)k->batch.pool.n, 0 };
	for (; list && list[s.n]; s.n++) {
		kit_must(pv_reserve(&k->batch.pool, 1));
		k->batch.pool.v[k->batch.pool.n++] = list[s.n];
	}
	return s;
}

void kit_alloc(struct kit *k, uint64_t class, uint64_t object, uint64_t size, const uint64_t *stack)
{
	struct pv_alloc a = { class + 1, object, size, pool(k, stack) };
	kit_must(pv_reserve(&k->batch.allocs, 1));
	k->batch.allocs.v[k->batch.allocs.n++] = a;
	add(k, PV_KIND_ALLOC, k->batch.allocs.n - 1);
}

void kit_throw(struct kit *k, uint64_t object, const uint64_t *stack)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXCEPTION_THROW,
			     .thrown = { object, pool(k, stack), 0 } });
}

void kit_held(struct kit *k, uint64_t number, const uint64_t *stack, uint64_t bytes)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_HELD,
			     .held = { number, 2, 2 * bytes, 1, bytes, bytes, 1,
				     stack ? pool(k, stack) : (struct pv_span){ 0, 0 } } });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_EXT_HELD_ALL, .held.live_bytes = bytes });
}

void kit_monitor(struct kit *k, enum pv_kind kind, uint64_t object, const uint64_t *stack)
{
	kit_event(k, (struct pv_event){
			     .kind = (uint8_t)kind, .monitor = { object, pool(k, stack), 0 } });
}

void kit_sample(struct kit *k, uint64_t thread, uint64_t ip, const uint64_t *frames)
{
	struct pv_span ips = pool(k, (uint64_t[]){ ip, 0 });
	kit_event(k, (struct pv_event){ .kind = PV_KIND_SAMPLE_HIT,
			     .hit = { .type = 1,
				     .thread = thread,
				     .ips = ips,
				     .frames = pool(k, frames) } });
}

void kit_gc(struct kit *k, enum pv_gc_step step, uint64_t generation)
{
	kit_event(k, (struct pv_event){ .kind = PV_KIND_GC_EVENT, .gc = { step, generation, 0 } });
}

void kit_shot_object(struct kit *k, uint64_t class, uint64_t object, uint64_t size, uint64_t refs)
{
	struct pv_span s = { (uint32_t)k->batch.pool.n, (uint32_t)refs * 2 };
	kit_must(pv_reserve(&k->batch.pool, refs * 2));
	for (uint64_t i = 0; i < refs * 2; i++)
		k->batch.pool.v[k->batch.pool.n++] = 8 * (i + 1);
	kit_event(k,
		(struct pv_event){ .kind = PV_KIND_HEAP_OBJECT,
			.heap_object = {
				.object = object, .type = class + 1, .size = size, .refs = s } });
}

struct pv_table *kit_view(struct kit *k, enum pv_view view, const struct pv_query *q)
{
	static const struct pv_query everything = { .open_all = true };
	kit_flush(k);
	struct pv_table *t = pv_view_table(k->m, view, q ? q : &everything);
	ck_assert_ptr_nonnull(t);
	ck_assert_str_eq(t->name, pv_view_name(view));
	return t;
}

const struct pv_cell *kit_cell(
	const struct pv_table *t, const struct pv_row *row, const char *column)
{
	int c = pv_table_column(t, column);
	ck_assert_msg(c >= 0, "%s has no column %s", t->name, column);
	return &row->cell[c];
}

const struct pv_row *kit_row(const struct pv_table *t, const char *column, const char *name)
{
	for (size_t i = 0; i < t->rows; i++) {
		const struct pv_cell *c = kit_cell(t, &t->row[i], column);
		if (c->state == PV_CELL_VALUE && strcmp(c->s, name) == 0)
			return &t->row[i];
	}
	ck_abort_msg("%s has no row %s", t->name, name);
	return NULL;
}

static size_t exact(char *to, size_t size, const struct pv_cell *c, enum pv_unit unit)
{
	if (c->state != PV_CELL_VALUE)
		return (size_t)snprintf(to, size, c->state == PV_CELL_NULL ? "-" : "...");
	switch (unit) {
	case PV_UNIT_TEXT:
	case PV_UNIT_LIST:
		return (size_t)snprintf(to, size, "%s", c->s);
	case PV_UNIT_PERCENT:
	case PV_UNIT_NUMBER:
		return (size_t)snprintf(to, size, "%.4g", c->d);
	case PV_UNIT_COUNT:
	case PV_UNIT_BYTES:
	case PV_UNIT_BOOL:
		return (size_t)snprintf(to, size, "%" PRIu64, c->u);
	case PV_UNIT_ADDRESS:
	case PV_UNIT_THREAD:
		return (size_t)snprintf(to, size, "0x%" PRIx64, c->u);
	default:
		return (size_t)snprintf(to, size, "%" PRId64, c->i);
	}
}

const char *kit_text(const struct pv_table *t, size_t row, const char *const *columns)
{
	static char text[1000];
	size_t at = 0;
	ck_assert_msg(row < t->rows, "%s has %zu rows", t->name, t->rows);
	for (size_t i = 0; columns[i]; i++) {
		int c = pv_table_column(t, columns[i]);
		ck_assert_msg(c >= 0, "%s has no column %s", t->name, columns[i]);
		at += (size_t)snprintf(text + at, sizeof text - at, "%s", i ? " " : "");
		at += exact(text + at, sizeof text - at, &t->row[row].cell[c], t->column[c].unit);
	}
	return text;
}

void kit_describe_counter(struct kit *k, uint64_t index, const char *name)
{
	kit_describe_counter_in(k, index, name, 1 << 24);
}

void kit_describe_counter_in(struct kit *k, uint64_t index, const char *name, uint64_t unit)
{
	ck_assert(pv_reserve(&k->batch.descs, 1));
	k->batch.descs.v[k->batch.descs.n++] = (struct pv_counter_desc){ .section = 0x200,
		.type = PV_COUNTER_LONG,
		.unit = unit,
		.variance = 1 << 30,
		.index = index,
		.name = { name, strlen(name) } };
	kit_event(k, (struct pv_event){ .kind = PV_KIND_COUNTERS_DESCRIBE,
			     .counters = { .list = { (uint32_t)k->batch.descs.n - 1, 1 } } });
}

void kit_counters(struct kit *k, uint64_t us, const uint64_t *more, size_t n)
{
	kit_at(k, us);
	for (uint64_t i = 0; i < n; i++) {
		ck_assert(pv_reserve(&k->batch.values, 1));
		k->batch.values.v[k->batch.values.n++] = (struct pv_counter_value){
			.index = i + 1, .type = PV_COUNTER_LONG, .raw = more[i]
		};
		kit_event(k,
			(struct pv_event){ .kind = PV_KIND_COUNTERS_SAMPLE,
				.counters = { .list = { (uint32_t)k->batch.values.n - 1, 1 } } });
	}
}
