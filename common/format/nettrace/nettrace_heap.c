/* SPDX-License-Identifier: MIT */
/*
 * Heap shots: objects, their references and roots, as listed by the runtime in a collection on
 * request. References come apart from their objects, in the same order; names of classes may come
 * after everything else. Layouts: ClrEtwAll.man of dotnet/runtime, events 15 to 19 and 38.
 */
#include <stdio.h>

#include "common/format/nettrace/nettrace_parts.h"

/* Kinds of roots, and a flag of a root. */
enum { FROM_STACK, FROM_FINALIZER, FROM_HANDLE, FROM_OLDER, FROM_SIZED, FROM_OVERFLOW };
enum { WEAK = 2 };
/* Numbers of areas on the wire, from model/objects/roots.h. */
enum { AREA_STACK = 1, AREA_FINALIZER = 2, AREA_STATIC = 3, AREA_HANDLE = 6, AREA_OTHER = 17 };

/*
 * Slots of roots have no addresses, so they get numbers. The roots of a kind share an area; a root
 * with a name, a static or a method, has an area of its own.
 */
#define AREAS    (UINT64_C(1) << 61)
#define AREA_LEN (UINT64_C(1) << 24)

static bool reserve_pool(struct pv_stream *s, size_t n)
{
	struct nettrace *d = nt_of(s);
	bool ok = s->batch.pool.n <= UINT32_MAX - n && pv_reserve(&s->batch.pool, n);
	d->nomem |= !ok;
	return ok;
}

static void begin_shot(struct pv_stream *s, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	if (h->open)
		return;
	h->open = true;
	h->broken = false;
	h->time = d->now;
	h->lost = d->lost;
	h->node.n = h->edge.n = h->node_at = h->edge_at = 0;
	h->nodes = h->edges = h->root_events = 0;
	h->roots = 0;
	nt_add(s, PV_KIND_HEAP_START, offset);
}

/* Events of a kind are numbered from 0: a hole is a loss. */
static void check_number(struct nt_shot *h, uint32_t *next, uint32_t index)
{
	h->broken |= index != *next;
	*next = index + 1;
}

/* --- objects and references */

/*
 * Adds an object of the size in its event, with the references that have come; returns their
 * number.
 */
static uint32_t add_object(
	struct pv_stream *s, const struct nt_node *o, uint64_t size, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	size_t have = h->edge.n - h->edge_at;
	uint32_t n = o->left < have ? o->left : (uint32_t)have;
	struct pv_batch *b = &s->batch;
	if (!reserve_pool(s, 2 * (size_t)n))
		return 0;
	struct pv_event *e = nt_add(s, PV_KIND_HEAP_OBJECT, offset);
	if (!e)
		return 0;
	e->heap_object.object = o->object;
	e->heap_object.type = o->type;
	e->heap_object.size = size;
	e->heap_object.refs = (struct pv_span){ (uint32_t)b->pool.n, 2 * n };
	for (uint32_t i = 0; i < n; i++) {
		b->pool.v[b->pool.n++] = UINT32_MAX; /* the field is not known */
		b->pool.v[b->pool.n++] = h->edge.v[h->edge_at++];
	}
	return n;
}

/*
 * Moves the waiting entries to the front once they are the fewer, so that the copying stays linear.
 */
static void forget_passed(struct nt_shot *h)
{
	if (h->node_at && h->node_at >= h->node.n - h->node_at) {
		h->node.n -= h->node_at;
		memmove(h->node.v, h->node.v + h->node_at, h->node.n * sizeof *h->node.v);
		h->node_at = 0;
	}
	if (h->edge_at && h->edge_at >= h->edge.n - h->edge_at) {
		h->edge.n -= h->edge_at;
		memmove(h->edge.v, h->edge.v + h->edge_at, h->edge.n * sizeof *h->edge.v);
		h->edge_at = 0;
	}
}

static void nodes(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	check_number(h, &h->nodes, pv_get_u32(c));
	uint32_t n = pv_get_u32(c);
	pv_get_u16(c);
	for (; n && pv_cursor_ok(c); n--) {
		struct nt_node o = { .object = nt_pointer(d, c) };
		uint64_t size = pv_get_u64(c);
		o.type = pv_get_u64(c);
		uint64_t edges = pv_get_u64(c);
		if (!pv_cursor_ok(c))
			break;
		o.left = edges < NT_SHOT_WAITS ? (uint32_t)edges : NT_SHOT_WAITS;
		bool first = h->node_at == h->node.n;
		const struct nt_node bare = { .object = o.object, .type = o.type };
		o.left -= add_object(s, first ? &o : &bare, size ? size : 1, b->offset);
		if (!o.left)
			continue;
		if (h->node.n >= NT_SHOT_WAITS) {
			h->broken = true;
		} else if (!pv_reserve(&h->node, 1)) {
			d->nomem = true;
			return;
		} else {
			h->node.v[h->node.n++] = o;
		}
	}
	h->broken |= n > 0;
	forget_passed(h);
}

static void edges(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	check_number(h, &h->edges, pv_get_u32(c));
	uint32_t n = pv_get_u32(c);
	pv_get_u16(c);
	size_t size = 4 + d->pointer, left = pv_cursor_left(c) / size;
	h->broken |= n > left;
	n = n < left ? n : (uint32_t)left;
	if (h->edge.n - h->edge_at + n > NT_SHOT_WAITS) {
		h->broken = true;
		return;
	}
	if (!pv_reserve(&h->edge, n)) {
		d->nomem = true;
		return;
	}
	for (; n; n--) {
		h->edge.v[h->edge.n++] = nt_pointer(d, c);
		pv_get_u32(c); /* the field: always 0 */
	}
	while (h->node_at < h->node.n && h->edge_at < h->edge.n && !d->nomem) {
		struct nt_node *o = &h->node.v[h->node_at];
		o->left -= add_object(s, o, 0, b->offset);
		h->node_at += o->left == 0;
	}
	forget_passed(h);
}

/* A dependent handle: its value lives as long as its key. */
static void dependents(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	pv_get_u32(c);
	uint32_t n = pv_get_u32(c);
	pv_get_u16(c);
	for (; n && pv_cursor_ok(c) && !d->nomem; n--) {
		uint64_t key = nt_pointer(d, c), value = nt_pointer(d, c);
		nt_pointer(d, c); /* the handle */
		if (!pv_cursor_ok(c) || !key || !value || !reserve_pool(s, 2))
			continue;
		struct pv_event *e = nt_add(s, PV_KIND_HEAP_OBJECT, b->offset);
		if (!e)
			return;
		e->heap_object.object = key;
		e->heap_object.refs = (struct pv_span){ (uint32_t)s->batch.pool.n, 2 };
		s->batch.pool.v[s->batch.pool.n++] = UINT32_MAX;
		s->batch.pool.v[s->batch.pool.n++] = value;
	}
}

/* --- roots */

/*
 * The area of a key and name, registered in the shot; if there are too many, the area of all roots
 * without a name. 0: out of memory.
 */
static uint64_t area(
	struct pv_stream *s, uint64_t key, uint64_t source, struct pv_text name, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	uint32_t at = pv_map_get(&h->area_of, key);
	if (at != PV_MAP_NONE)
		return AREAS + at * AREA_LEN;
	at = (uint32_t)h->area_of.n;
	if (at >= NT_SHOT_AREAS && name.len)
		return area(s, AREAS | source, source, (struct pv_text){ "", 0 }, offset);
	if (!pv_map_set(&h->area_of, key, at)) {
		d->nomem = true;
		return 0;
	}
	uint64_t now = d->now;
	d->now = h->time;
	struct pv_event *e = nt_add(s, PV_KIND_HEAP_ROOT_REGISTER, offset);
	d->now = now;
	if (e) {
		e->root_area.start = AREAS + at * AREA_LEN;
		e->root_area.size = AREA_LEN;
		e->root_area.source = source;
		e->root_area.name = name;
	}
	return AREAS + at * AREA_LEN;
}

/* The area of roots of a kind; for roots of a stack the area of the method. */
static uint64_t area_of_kind(struct pv_stream *s, uint8_t kind, uint64_t id, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	static const uint8_t source[] = { [FROM_STACK] = AREA_STACK,
		[FROM_FINALIZER] = AREA_FINALIZER,
		[FROM_HANDLE] = AREA_HANDLE,
		[FROM_OLDER] = AREA_OTHER,
		[FROM_SIZED] = AREA_HANDLE,
		[FROM_OVERFLOW] = AREA_OTHER };
	uint32_t at = kind == FROM_STACK ? pv_map_get(&d->method_of, id) : PV_MAP_NONE;
	if (at != PV_MAP_NONE)
		return area(s, id, AREA_STACK, nt_text_of(d, d->method.v[at].name), offset);
	kind = kind < PV_COUNT_OF(source) ? kind : FROM_OVERFLOW;
	return area(s, AREAS | source[kind], source[kind], (struct pv_text){ "", 0 }, offset);
}

struct list {
	uint32_t first, n; /* in the batch's pool */
};

static void add_root(struct pv_stream *s, struct list *l, uint64_t from, uint64_t object)
{
	struct nettrace *d = nt_of(s);
	if (!from || !reserve_pool(s, 2))
		return;
	s->batch.pool.v[s->batch.pool.n++] = from + d->shot.roots++ % AREA_LEN;
	s->batch.pool.v[s->batch.pool.n++] = object;
	l->n += 2;
}

static void give_roots(struct pv_stream *s, const struct list *l, uint64_t offset)
{
	struct pv_event *e = l->n ? nt_add(s, PV_KIND_HEAP_ROOTS, offset) : NULL;
	if (!e)
		return;
	e->roots.width = 2;
	e->roots.roots = (struct pv_span){ l->first, l->n };
}

static void roots(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct list l = { .first = (uint32_t)s->batch.pool.n };
	check_number(&d->shot, &d->shot.root_events, pv_get_u32(c));
	uint32_t n = pv_get_u32(c);
	pv_get_u16(c);
	for (; n && pv_cursor_ok(c) && !d->nomem; n--) {
		uint64_t object = nt_pointer(d, c);
		uint8_t kind = pv_get_u8(c);
		uint32_t flags = pv_get_u32(c);
		uint64_t id = nt_pointer(d, c);
		if (pv_cursor_ok(c) && object && !(flags & WEAK))
			add_root(s, &l, area_of_kind(s, kind, id, b->offset), object);
	}
	give_roots(s, &l, b->offset);
}

/* The event has the name of the field, but not the declaring class. */
static void statics(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	struct list l = { .first = (uint32_t)s->batch.pool.n };
	uint32_t n = pv_get_u32(c);
	pv_get_u64(c); /* domain */
	pv_get_u16(c);
	for (; n && pv_cursor_ok(c) && !d->nomem; n--) {
		uint64_t id = nt_pointer(d, c), object = nt_pointer(d, c);
		pv_get_u64(c); /* class of the object */
		pv_get_u32(c); /* 1: thread static */
		uint32_t name = nt_text(d, c);
		if (pv_cursor_ok(c) && object)
			add_root(s, &l,
				area(s, id ? id : object, AREA_STATIC, nt_text_of(d, name),
					b->offset),
				object);
	}
	give_roots(s, &l, b->offset);
}

/* --- classes */

static void types(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	struct nettrace *d = nt_of(s);
	uint32_t n = pv_get_u32(c);
	pv_get_u16(c);
	for (; n && pv_cursor_ok(c) && !d->nomem; n--) {
		uint64_t key = pv_get_u64(c);
		(void)pv_get_bytes(c, 8 + 4 + 4 + 1); /* module, token, flags, kind */
		uint32_t name = nt_class_name(d, c);
		uint32_t parameters = pv_get_u32(c);
		if (parameters > pv_cursor_left(c) / 8)
			return;
		(void)pv_get_bytes(c, (size_t)parameters * 8);
		if (!pv_cursor_ok(c) || !name || pv_map_get(&d->shot.type_of, key) == name)
			continue;
		if (!pv_map_set(&d->shot.type_of, key, name)) {
			d->nomem = true;
			return;
		}
		nt_say_class(s, key, name, b->offset);
	}
}

/* --- */

void nt_heap(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	enum nt_event_kind what = nt_of(s)->kind.v[b->kind].what;
	if (what == NT_TYPES) {
		types(s, b, c);
		return;
	}
	begin_shot(s, b->offset);
	if (what == NT_NODES)
		nodes(s, b, c);
	else if (what == NT_EDGES)
		edges(s, b, c);
	else if (what == NT_ROOTS)
		roots(s, b, c);
	else if (what == NT_DEPENDENTS)
		dependents(s, b, c);
	else
		statics(s, b, c);
}

void nt_end_shot(struct pv_stream *s, uint64_t offset)
{
	struct nettrace *d = nt_of(s);
	struct nt_shot *h = &d->shot;
	if (!h->open)
		return;
	bool whole = !h->broken && h->lost == d->lost && h->node_at == h->node.n &&
		     h->edge_at == h->edge.n;
	h->open = false;
	h->node.n = h->edge.n = h->node_at = h->edge_at = 0;
	if (whole)
		nt_add(s, PV_KIND_HEAP_END, offset);
}
