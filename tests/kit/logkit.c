/* SPDX-License-Identifier: MIT */
#include "tests/kit/logkit.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/objects/addresses.h"

static void add_bytes(struct logkit *k, const void *bytes, size_t n)
{
	ck_assert(pv_reserve(&k->file, n));
	if (n)
		memcpy(k->file.v + k->file.n, bytes, n);
	k->file.n += n;
}

struct logkit *logkit_new(unsigned data_version)
{
	return logkit_new_only(data_version, NULL);
}

struct logkit *logkit_new_only(unsigned data_version, const struct pv_restrict *only)
{
	struct logkit *k = calloc(1, sizeof *k);
	ck_assert_ptr_nonnull(k);
	k->format = (struct mlpd_format){ (uint8_t)data_version,
		data_version >= 16   ? 3
		: data_version >= 13 ? 1
				     : 0,
		8, 0 };
	k->thread = 1;
	k->model = pv_model_create(only);
	ck_assert_ptr_nonnull(k->model);
	logkit_header(k);
	return k;
}

void logkit_header(struct logkit *k)
{
	const struct mlpd_header h = { .format = k->format,
		.start_time_ms = 1000,
		.startup_ns = (uint64_t)LOGKIT_ZERO,
		.pid = 77,
		.args = { "log:test", 8 },
		.arch = { "x86-64", 6 },
		.os = { "linux", 5 } };
	uint8_t bytes[256];
	add_bytes(k, bytes, mlpd_put_header(bytes, sizeof bytes, &h));
	const struct pv_target_info t = { .data_version = k->format.data_version,
		.header_major = k->format.header_major,
		.pointer_size = 8,
		.start_time_ms = 1000,
		.startup_ns = k->format.header_major >= 3 ? (uint64_t)LOGKIT_ZERO : 0,
		.pid = 77,
		.args = "log:test",
		.arch = "x86-64",
		.os = "linux" };
	ck_assert(pv_model_begin(k->model, &t));
}

void logkit_free(struct logkit *k)
{
	pv_model_destroy(k->model);
	pv_batch_finish(&k->pools);
	pv_batch_finish(&k->batch);
	for (size_t i = 0; i < k->buffer.n; i++)
		pv_array_finish(&k->buffer.v[i].bytes);
	pv_array_finish(&k->buffer);
	pv_array_finish(&k->file);
	free(k);
}

/* --- buffers */

void logkit_on(struct logkit *k, uint64_t thread)
{
	k->thread = thread;
}

static struct logkit_buffer *buffer_of(struct logkit *k, int64_t t)
{
	for (size_t i = 0; i < k->buffer.n; i++)
		if (k->buffer.v[i].open && k->buffer.v[i].thread == k->thread)
			return &k->buffer.v[i];
	ck_assert(pv_reserve(&k->buffer, 1));
	struct logkit_buffer *b = &k->buffer.v[k->buffer.n++];
	*b = (struct logkit_buffer){ .thread = k->thread, .time_base = t, .open = true };
	const struct mlpd_buffer_header h = { .time_base = (uint64_t)t };
	mlpd_bases_init(&b->bases, &h);
	return b;
}

static void apply(struct logkit *k, struct logkit_buffer *b)
{
	struct pv_batch *batch = &k->batch;
	struct mlpd_buffer_header h = { .length = (uint32_t)b->bytes.n,
		.thread = b->thread,
		.time_base = (uint64_t)b->time_base };
	uint8_t header[MLPD_BUFFER_HEADER];
	struct mlpd_bases bases;
	size_t used, at = 0;
	pv_batch_reset(batch);
	ck_assert(pv_reserve(&b->bytes, k->damage));
	memset(b->bytes.v + b->bytes.n, 0xee, k->damage); /* no event begins like that */
	b->bytes.n += k->damage;
	h.length += (uint32_t)k->damage;
	k->damage = 0;
	add_bytes(k, header, mlpd_put_buffer_header(header, &h));
	add_bytes(k, b->bytes.v, b->bytes.n);
	ck_assert(pv_reserve(&batch->bytes, b->bytes.n + 1));
	memcpy(batch->bytes.v, b->bytes.v, b->bytes.n);
	batch->bytes.n = batch->bytes_len = b->bytes.n;
	batch->thread = b->thread;
	batch->time_base = (uint64_t)b->time_base;
	batch->offset = k->offset;
	batch->bytes_lost_before = k->gap;
	k->gap = false;
	k->offset += b->bytes.n + MLPD_BUFFER_HEADER;
	mlpd_bases_init(&bases, &h);
	ck_assert(mlpd_decode_batch(batch, &bases, &k->format, false, &used));
	ck_assert(pv_model_apply(k->model, batch, &at, 0));
	ck_assert_uint_eq(at, batch->n);
	b->open = false;
}

void logkit_flush(struct logkit *k)
{
	for (size_t i = 0; i < k->buffer.n; i++)
		if (k->buffer.v[i].open && k->buffer.v[i].thread == k->thread)
			apply(k, &k->buffer.v[i]);
}

struct pv_model *logkit_model(struct logkit *k)
{
	for (size_t i = 0; i < k->buffer.n; i++) {
		if (k->buffer.v[i].open)
			apply(k, &k->buffer.v[i]);
		pv_array_finish(&k->buffer.v[i].bytes);
	}
	k->buffer.n = 0;
	pv_gc_sort(&k->model->gc);
	return k->model;
}

/* --- events */

struct pv_span logkit_list(struct logkit *k, const uint64_t *values, size_t n)
{
	struct pv_span s = { (uint32_t)k->pools.pool.n, (uint32_t)n };
	ck_assert(pv_reserve(&k->pools.pool, n));
	memcpy(k->pools.pool.v + k->pools.pool.n, values, n * sizeof *values);
	k->pools.pool.n += n;
	return s;
}

void logkit_event(struct logkit *k, int64_t t, struct pv_event e)
{
	e.time = (uint64_t)LOGKIT_ZERO + (uint64_t)t; /* a hostile one goes round */
	struct logkit_buffer *b = buffer_of(k, (int64_t)e.time);
	size_t max = mlpd_encode_max(&e, &k->pools);
	if (!pv_reserve(&b->bytes, max)) /* no ck_assert a line: each writes to a file */
		ck_abort_msg("memory");
	size_t n = mlpd_encode(b->bytes.v + b->bytes.n, max, &b->bases, &k->format, &e, &k->pools);
	if (n == 0)
		ck_abort_msg(
			"data version %u has no %s", k->format.data_version, pv_kind_name(e.kind));
	b->bytes.n += n;
	pv_batch_reset(&k->pools);
}

static void call(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t method)
{
	logkit_event(k, t, (struct pv_event){ .kind = (uint8_t)kind, .call = { method } });
}

void logkit_enter(struct logkit *k, int64_t t, uint64_t method)
{
	call(k, t, PV_KIND_METHOD_ENTER, method);
}

void logkit_leave(struct logkit *k, int64_t t, uint64_t method)
{
	call(k, t, PV_KIND_METHOD_LEAVE, method);
}

void logkit_exc_leave(struct logkit *k, int64_t t, uint64_t method)
{
	call(k, t, PV_KIND_METHOD_EXC_LEAVE, method);
}

void logkit_method(struct logkit *k, int64_t t, uint64_t key, const char *name)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_METHOD_JIT,
			.jit = { key, key << 8, 0x40, { name, strlen(name) }, 0 } });
}

void logkit_named(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t key, const char *name)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = (uint8_t)kind,
			.meta = { .key = key,
				.image = 0x1000,
				.name = { name, strlen(name) },
				.mvid = { "", 0 } } });
}

uint64_t logkit_type(const struct logkit *k, uint64_t class_key)
{
	return k->format.data_version >= 15 ? class_key + 1 : class_key;
}

void logkit_class(struct logkit *k, int64_t t, uint64_t key, const char *name)
{
	logkit_named(k, t, PV_KIND_CLASS_LOAD, key, name);
	if (k->format.data_version >= 15)
		logkit_event(k, t,
			(struct pv_event){ .kind = PV_KIND_VTABLE_LOAD,
				.meta = { .key = key + 1, .domain = 0x2000, .owner = key } });
}

void logkit_alloc(struct logkit *k, int64_t t, uint64_t class_key, uint64_t object, uint64_t size)
{
	logkit_event(k, t,
		(struct pv_event){ .kind = PV_KIND_ALLOC,
			.alloc = { logkit_type(k, class_key), object, size, { 0, 0 } } });
}

void logkit_gc(struct logkit *k, int64_t t, unsigned step, unsigned generation)
{
	logkit_event(
		k, t, (struct pv_event){ .kind = PV_KIND_GC_EVENT, .gc = { step, generation, 0 } });
}

void logkit_object(struct logkit *k, int64_t t, enum pv_kind kind, uint64_t object)
{
	struct pv_event e = { .kind = (uint8_t)kind };
	if (kind == PV_KIND_EXCEPTION_THROW)
		e.thrown.object = object;
	else
		e.monitor.object = object;
	logkit_event(k, t, e);
}

void logkit_plain(struct logkit *k, int64_t t, enum pv_kind kind)
{
	logkit_event(k, t, (struct pv_event){ .kind = (uint8_t)kind });
}

/* --- figures by name */

struct pv_method_sum logkit_sum(struct logkit *k, const char *method)
{
	struct pv_model *m = logkit_model(k);
	uint32_t *group = calloc(m->names.method.n, sizeof *group);
	struct pv_method_sum sum[2];
	ck_assert_ptr_nonnull(group);
	for (uint32_t i = 0; i < m->names.method.n; i++) {
		char buf[24];
		group[i] = strcmp(pv_names_method_text(&m->names, i, buf), method) == 0;
	}
	ck_assert(pv_calls_flat(m, group, 2, sum));
	free(group);
	return sum[1];
}

uint64_t logkit_same_place(uint64_t object)
{
	uint64_t other = ((object >> PV_REGION_BITS) + 7) << PV_REGION_BITS;
	size_t cells = pv_addresses_place(object) - pv_addresses_place(other);
	other += (cells & (PV_ADDRESSES - 1)) << 4;
	ck_assert_uint_eq(pv_addresses_place(other), pv_addresses_place(object));
	return other;
}

struct pv_class_allocs logkit_allocs(struct logkit *k, const char *class_name)
{
	struct pv_model *m = logkit_model(k);
	struct pv_class_allocs sum = { 0 };
	for (uint32_t i = 0; i < m->allocs.class_use.n; i++) {
		char buf[24];
		if (strcmp(pv_names_class_text(&m->names, i, buf), class_name) != 0)
			continue;
		sum.count += m->allocs.class_use.v[i].count;
		sum.bytes += m->allocs.class_use.v[i].bytes;
	}
	return sum;
}

uint32_t logkit_node(struct logkit *k, const char *path)
{
	struct pv_model *m = logkit_model(k);
	uint32_t at = 0;
	while (*path) {
		size_t len = strcspn(path, "/");
		uint32_t child = m->calls.node.v[at].first_child;
		for (; child; child = m->calls.node.v[child].next_sibling) {
			char buf[24];
			const char *name =
				pv_names_method_text(&m->names, m->calls.node.v[child].method, buf);
			if (strlen(name) == len && memcmp(name, path, len) == 0)
				break;
		}
		if (!child)
			return 0;
		at = child;
		path += len + (path[len] == '/');
	}
	return at;
}

const struct pv_thread *logkit_thread(struct logkit *k, uint64_t id, unsigned epoch)
{
	struct pv_model *m = logkit_model(k);
	for (size_t i = 1; i < m->threads.thread.n; i++)
		if (m->threads.thread.v[i]->id == id && m->threads.thread.v[i]->epoch == epoch)
			return m->threads.thread.v[i];
	return NULL;
}
