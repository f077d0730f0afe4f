/* SPDX-License-Identifier: MIT */
#include "tests/kit/heap_kit.h"

#include <check.h>
#include <string.h>

#include "common/format/batch_event.h"

void heap_kit_event(struct heap_kit *k, const struct pv_event *e, const uint64_t *pool, uint32_t n)
{
	struct pv_batch *b = &k->batch;
	ck_assert(pv_reserve(&b->pool, n));
	if (n)
		memcpy(b->pool.v + b->pool.n, pool, n * sizeof *pool);
	b->pool.n += n;
	ck_assert(pv_batch_put_event(b, e, e->time));
}

void heap_kit_start(struct heap_kit *k)
{
	heap_kit_event(k, &(struct pv_event){ .kind = PV_KIND_HEAP_START, .time = 100 }, NULL, 0);
}

void heap_kit_end(struct heap_kit *k)
{
	heap_kit_event(k, &(struct pv_event){ .kind = PV_KIND_HEAP_END, .time = 200 }, NULL, 0);
}

void heap_kit_object(struct heap_kit *k, uint64_t object, uint64_t type, uint64_t size,
	const uint64_t *refs, uint32_t n)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT, .time = 150 };
	e.heap_object.object = object;
	e.heap_object.type = type;
	e.heap_object.size = size;
	e.heap_object.refs = (struct pv_span){ (uint32_t)k->batch.pool.n, 2 * n };
	heap_kit_event(k, &e, refs, 2 * n);
}

void heap_kit_roots(struct heap_kit *k, const uint64_t *pairs, uint32_t n)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOTS, .time = 120 };
	e.roots.width = 2;
	e.roots.roots = (struct pv_span){ (uint32_t)k->batch.pool.n, 2 * n };
	heap_kit_event(k, &e, pairs, 2 * n);
}

void heap_kit_finish(struct heap_kit *k)
{
	pv_batch_finish(&k->batch);
}

void heap_kit_graph(const struct heap_kit *k, uint32_t shot, bool handles, struct pv_graph *ret)
{
	struct pv_error err = { 0 };
	struct pv_graph_build *b =
		pv_graph_build_create(&(struct pv_graph_build_options){ .shot = shot,
			.skip = shot,
			.rules = k->rules ? k->rules : 17,
			.handles = handles });
	ck_assert_ptr_nonnull(b);
	ck_assert_msg(pv_graph_build_add(b, &k->batch, &err), "%s", err.what);
	ck_assert(pv_graph_build_begun(b));
	ck_assert_msg(pv_graph_build_finish(b, NULL, NULL, ret, &err), "%s", err.what);
	pv_graph_build_destroy(b);
}

void heap_kit_heap(const struct heap_kit *k, bool weak, struct pv_heap *ret)
{
	struct pv_error err = { 0 };
	struct pv_graph g;
	heap_kit_graph(k, 0, weak, &g);
	ck_assert_msg(pv_heap_init(ret, &g, weak, true, NULL, &err), "%s", err.what);
}
