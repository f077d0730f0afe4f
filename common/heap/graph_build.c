/* SPDX-License-Identifier: MIT */
/* Collects the objects, references, roots and handles of a shot from events. */
#include "common/heap/graph_build.h"

#include <stdlib.h>

#include "common/format/batch_event.h"
#include "common/heap/graph_parts.h"
#include "common/model/model.h"
#include "common/model/objects/shots.h"

enum state { BEFORE, INSIDE, DONE };

struct pv_graph_build {
	struct pv_graph_build_options options;
	enum state state;
	uint32_t index;      /* of the last shot met */
	uint64_t collection; /* the shot's collection, in a log of 2007 */
	bool summary;        /* the last shot was a summary */
	bool collecting;     /* a collection has begun and the world stands still */
	bool torn;
	struct pv_raw raw; /* roots: of the present collection until the shot begins */
	struct pv_weak_handles handles;
};

struct pv_graph_build *pv_graph_build_create(const struct pv_graph_build_options *options)
{
	struct pv_graph_build *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->options = *options;
	if (!b->options.most || b->options.most > PV_GRAPH_NONE - 2)
		b->options.most = PV_GRAPH_NONE - 2;
	b->index = UINT32_MAX;
	return b;
}

static void finish_raw(struct pv_raw *r)
{
	pv_array_finish(&r->object);
	pv_array_finish(&r->target);
	pv_array_finish(&r->offset);
	pv_array_finish(&r->type);
	pv_map_finish(&r->type_of);
	pv_array_finish(&r->root);
	pv_array_finish(&r->string);
	pv_arena_finish(&r->text);
}

void pv_graph_build_destroy(struct pv_graph_build *b)
{
	if (!b)
		return;
	finish_raw(&b->raw);
	pv_weak_handles_finish(&b->handles);
	free(b);
}

void pv_graph_build_reset(struct pv_graph_build *b)
{
	struct pv_graph_build_options options = b->options;
	finish_raw(&b->raw);
	pv_weak_handles_finish(&b->handles);
	*b = (struct pv_graph_build){ .options = options, .index = UINT32_MAX };
}

bool pv_graph_build_done(const struct pv_graph_build *b)
{
	return b->state == DONE;
}

int64_t pv_graph_build_time(const struct pv_graph_build *b)
{
	return b->raw.time_ns;
}

bool pv_graph_build_begun(const struct pv_graph_build *b)
{
	return b->state != BEFORE;
}

/* --- events */

/* A log of 2007 may list a collection's objects and sum them up: the same shot. */
static bool same_shot(const struct pv_graph_build *b, const struct pv_event *e)
{
	return b->index != UINT32_MAX && e->shot.collection &&
	       e->shot.collection == b->collection && (e->shot.summary != 0) != b->summary;
}

static void shot_starts(struct pv_graph_build *b, const struct pv_event *e)
{
	if (b->state == INSIDE) {
		b->torn = true;
		b->state = DONE;
		return;
	}
	if (!same_shot(b, e))
		b->index++;
	b->collection = e->shot.collection;
	b->summary = e->shot.summary != 0;
	if (b->options.rules > 13 && !b->collecting)
		b->raw.root.n = 0; /* of an earlier collection: this shot brings its own */
	if (b->index != b->options.skip || b->summary)
		return;
	b->state = INSIDE;
	b->raw.time_ns = (int64_t)e->time;
}

static uint32_t raw_type_of(struct pv_graph_build *b, const struct pv_event *e)
{
	struct pv_raw *r = &b->raw;
	uint64_t key = e->heap_object.type;
	uint32_t at = pv_map_get(&r->type_of, key);
	if (at != PV_MAP_NONE)
		return at;
	at = (uint32_t)r->type.n;
	if (!pv_reserve(&r->type, 1) || !pv_map_set(&r->type_of, key, at))
		return PV_MAP_NONE;
	r->type.v[r->type.n++] = (struct pv_raw_type){ key, (int64_t)e->time };
	return at;
}

static bool refers(struct pv_raw *r, const uint64_t *pair, size_t n)
{
	if (!pv_reserve(&r->target, n) || !pv_reserve(&r->offset, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t offset = pair[2 * i];
		r->offset.v[r->offset.n++] =
			offset < PV_GRAPH_NONE ? (uint32_t)offset : PV_GRAPH_NONE;
		r->target.v[r->target.n++] = pair[2 * i + 1];
	}
	return true;
}

static bool object(struct pv_graph_build *b, const struct pv_batch *batch, const struct pv_event *e,
	struct pv_error *reterr)
{
	struct pv_raw *r = &b->raw;
	size_t n = e->heap_object.refs.n / 2;
	if (r->object.n >= b->options.most || r->target.n + n > b->options.most)
		return pv_fail(reterr, PV_EUSAGE, batch->offset,
			"the shot has too many objects or references for its graph");
	uint32_t type = raw_type_of(b, e);
	if (type == PV_MAP_NONE || !pv_reserve(&r->object, 1))
		return pv_fail(reterr, PV_ENOMEM, batch->offset, "out of memory");
	r->object.v[r->object.n++] = (struct pv_raw_object){ .address = e->heap_object.object,
		.size = e->heap_object.size,
		.type = type,
		.first = (uint32_t)r->target.n,
		.unsized = e->heap_object.unsized != 0 };
	return n == 0 || refers(r, batch->pool.v + e->heap_object.refs.at, n) ||
	       pv_fail(reterr, PV_ENOMEM, batch->offset, "out of memory");
}

static bool roots(struct pv_graph_build *b, const struct pv_batch *batch, const struct pv_event *e)
{
	struct pv_raw *r = &b->raw;
	uint64_t width = e->roots.width;
	if (width < 2 || width > 3 || e->roots.roots.n == 0)
		return true;
	const uint64_t *v = batch->pool.v + e->roots.roots.at;
	size_t n = e->roots.roots.n / width;
	if (r->root.n + n > b->options.most || !pv_reserve(&r->root, n))
		return false;
	for (size_t i = 0; i < n; i++, v += width) {
		if (width == 2) {
			r->root.v[r->root.n++] = (struct pv_raw_root){ .object = v[1],
				.slot = v[0],
				.source = PV_ROOT_UNKNOWN,
				.in_area = true };
			continue;
		}
		unsigned flags = pv_root_old_flags(v[1]);
		r->root.v[r->root.n++] = (struct pv_raw_root){ .object = v[0],
			.source = (uint8_t)pv_root_old_source(b->options.rules, v[1]),
			.flags =
				(uint8_t)((flags & PV_ROOT_OLD_PINNING ? PV_GRAPH_PINNING : 0) |
					  (flags & PV_ROOT_OLD_WEAK ? PV_GRAPH_WEAK : 0) |
					  (flags & PV_ROOT_OLD_INTERIOR ? PV_GRAPH_INTERIOR : 0)) };
	}
	return true;
}

/* Up to data version 13, and in builds of 14, a collection's roots stand before its shot. */
static void collection(struct pv_graph_build *b, const struct pv_event *e)
{
	switch (e->gc.step) {
	case PV_GC_START:
		b->collecting = true;
		if (b->state == BEFORE)
			b->raw.root.n = 0;
		break;
	case PV_GC_PRE_STOP:
	case PV_GC_POST_START:
		b->collecting = false;
		break;
	default:
		break;
	}
}

static bool wants_roots(const struct pv_graph_build *b)
{
	return b->state == INSIDE || b->options.rules < 15;
}

static bool event(struct pv_graph_build *b, const struct pv_batch *batch, const struct pv_event *e,
	struct pv_error *reterr)
{
	bool ok = true;
	switch (e->kind) {
	case PV_KIND_HEAP_START:
		shot_starts(b, e);
		break;
	case PV_KIND_HEAP_END:
		b->state = b->state == INSIDE ? DONE : b->state;
		break;
	case PV_KIND_HEAP_OBJECT:
		return b->state != INSIDE || object(b, batch, e, reterr);
	case PV_KIND_EXT_STRING:
		ok = b->state != INSIDE || pv_raw_string_add(&b->raw, e);
		break;
	case PV_KIND_HEAP_ROOTS:
		ok = !wants_roots(b) || roots(b, batch, e);
		break;
	case PV_KIND_GC_EVENT:
		collection(b, e);
		break;
	case PV_KIND_GC_MOVE:
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		ok = !b->options.handles || pv_weak_handles_apply(&b->handles, batch, e);
		break;
	default:
		break;
	}
	return ok || pv_fail(reterr, PV_ENOMEM, batch->offset, "out of memory");
}

bool pv_graph_build_add(
	struct pv_graph_build *b, const struct pv_batch *batch, struct pv_error *reterr)
{
	for (size_t i = 0; i < batch->n && b->state != DONE; i++) {
		switch (batch->kind[i]) {
		case PV_KIND_METHOD_ENTER:
		case PV_KIND_METHOD_LEAVE:
		case PV_KIND_METHOD_EXC_LEAVE:
		case PV_KIND_ALLOC:
			continue;
		default:
			break;
		}
		const struct pv_event *e = pv_batch_event(batch, i);
		if (e && !event(b, batch, e, reterr))
			return false;
	}
	return true;
}

/* --- the end */

static bool add_handles(struct pv_graph_build *b)
{
	struct pv_weak_handles *w = &b->handles;
	for (size_t i = 0; i < w->handle.n; i++) {
		const struct pv_raw_handle *h = &w->handle.v[i];
		uint64_t object = pv_weak_handle_object(w, i);
		if (!object)
			continue;
		if (!pv_reserve(&b->raw.root, 1))
			return false;
		b->raw.root.v[b->raw.root.n++] = (struct pv_raw_root){ .object = object,
			.slot = h->name & UINT32_MAX,
			.source = PV_ROOT_HANDLE,
			.flags = PV_GRAPH_WEAK };
	}
	return true;
}

static bool is_live(struct pv_model *m)
{
	if (!m)
		return false;
	pv_model_lock(m);
	bool live = pv_shots_content(m) == PV_SHOTS_LIVE;
	pv_model_unlock(m);
	return live;
}

bool pv_graph_build_finish(struct pv_graph_build *b, struct pv_model *m,
	const struct pv_progress *progress, struct pv_graph *ret, struct pv_error *reterr)
{
	struct pv_graph g = { .shot = b->options.shot,
		.time_ns = b->raw.time_ns,
		.torn = b->torn || b->state != DONE,
		.handles = b->options.handles };
	g.inferred = b->raw.root.n == 0;
	pv_raw_strings_give(&b->raw, &g);
	bool ok = add_handles(b) || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	pv_weak_handles_finish(&b->handles);
	ok = ok && pv_graph_link(&b->raw, progress, &g, reterr);
	if (ok && (!pv_graph_name(&b->raw, m, &g) || !pv_graph_infer_roots(&g, is_live(m))))
		ok = pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (ok)
		*ret = g;
	else
		pv_graph_finish(&g);
	return ok;
}
