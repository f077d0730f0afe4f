/* SPDX-License-Identifier: MIT */
/* Logs that no pattern makes of a family: what they tell is made up event by event. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/bench/hostile_made.h"

enum {
	KEYS = HOSTILE_KEYS,
	PAYLOAD = 48 << 10,
	THREAD = HOSTILE_THREAD,
	CLASS = HOSTILE_CLASS,
	METHOD = 0x20000000,
	IMAGE = 0x30000000,
	OBJECT = HOSTILE_OBJECT,
	STEP = 10,
	LONG = 1000000000, /* ns */
};
#define BEGINS UINT64_C(1000000000000)

void hostile_put(struct made *x, const struct pv_event *e)
{
	if (x->w.events.n > PAYLOAD)
		wire_buffer(&x->w, THREAD);
	wire_event(&x->w, e, &x->pools);
	pv_batch_reset(&x->pools);
}

struct pv_span hostile_pair(struct made *x, uint64_t a, uint64_t b)
{
	ck_assert(pv_reserve(&x->pools.pool, 2));
	x->pools.pool.v[x->pools.pool.n++] = a;
	x->pools.pool.v[x->pools.pool.n++] = b;
	return (struct pv_span){ 0, (uint32_t)x->pools.pool.n };
}

void hostile_put_load(struct made *x, uint8_t kind, uint64_t key, uint64_t owner, unsigned name)
{
	snprintf(x->text, sizeof x->text, "N.C%u", name);
	struct pv_event e = { .kind = kind };
	e.meta.key = key;
	e.meta.image = e.meta.owner = owner;
	e.meta.name = (struct pv_text){ x->text, strlen(x->text) };
	hostile_put(x, &e);
}

static void put_method(struct made *x, uint64_t key, unsigned class, unsigned name)
{
	struct pv_event e = { .kind = PV_KIND_METHOD_JIT };
	snprintf(x->text, sizeof x->text, "N.C%u:M%u ()", class, name);
	e.jit.method = key;
	e.jit.name = (struct pv_text){ x->text, strlen(x->text) };
	hostile_put(x, &e);
}

static void put_handle(struct made *x, bool made, uint64_t handle, uint64_t object)
{
	struct pv_event e = { .kind = made ? PV_KIND_GC_HANDLE_CREATED
					   : PV_KIND_GC_HANDLE_DESTROYED };
	e.handle.handle = handle;
	e.handle.object = object;
	hostile_put(x, &e);
}

static void put_move(struct made *x, uint64_t from, uint64_t to)
{
	struct pv_event e = { .kind = PV_KIND_GC_MOVE };
	e.moves.pairs = hostile_pair(x, from, to);
	hostile_put(x, &e);
}

static void put_shot(struct made *x)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_START };
	hostile_put(x, &e);
	e = (struct pv_event){ .kind = PV_KIND_HEAP_OBJECT };
	e.heap_object.object = OBJECT;
	e.heap_object.type = CLASS;
	e.heap_object.size = 24;
	hostile_put(x, &e);
	e = (struct pv_event){ .kind = PV_KIND_HEAP_END };
	hostile_put(x, &e);
}

/* Members of a later life, and deaths of earlier ones. */
static void outlived_classes(struct made *x, bool benign, unsigned n)
{
	unsigned keys = benign ? KEYS : n;
	x->w.now = BEGINS + (benign ? 0 : LONG);
	for (unsigned i = 0; i < n; i++)
		hostile_put_load(x, PV_KIND_CLASS_LOAD, CLASS + i % keys * 64,
			benign ? IMAGE + i % keys * 64 : IMAGE, i % keys);
	wire_buffer(&x->w, THREAD);
	x->w.now = BEGINS + (benign ? LONG : 0);
	wire_buffer(&x->w, THREAD);
	for (unsigned i = 0; i < n; i++) {
		uint64_t key = benign ? IMAGE + i % keys * 64 : IMAGE;
		hostile_put_load(x, PV_KIND_IMAGE_LOAD, key, 0, i % keys);
		hostile_put_load(x, PV_KIND_IMAGE_UNLOAD, key, 0, i % keys);
	}
}

static void outlived_methods(struct made *x, bool benign, unsigned n)
{
	unsigned keys = benign ? KEYS : n;
	x->w.now = BEGINS + (benign ? 0 : LONG);
	for (unsigned i = 0; i < n; i++)
		put_method(x, METHOD + i % keys * 64, benign ? i % keys : 0, i % keys);
	wire_buffer(&x->w, THREAD);
	x->w.now = BEGINS + (benign ? LONG : 0);
	wire_buffer(&x->w, THREAD);
	for (unsigned i = 0; i < n; i++) {
		unsigned class = benign ? i % keys : 0;
		hostile_put_load(x, PV_KIND_CLASS_LOAD, CLASS + i % keys * 64, IMAGE, class);
		hostile_put_load(x, PV_KIND_CLASS_UNLOAD, CLASS + i % keys * 64, IMAGE, class);
	}
}

/* Handles of one object: the oldest is destroyed first. */
static void handles_of_one(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_handle(x, true, i + 1, OBJECT + (benign ? i % KEYS * 64 : 0));
	for (unsigned i = 0; i < n; i++)
		put_handle(x, false, i + 1, 0);
	put_shot(x);
}

/* Likewise: it is moved again and again. */
static void moves_of_one(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_handle(x, true, i + 1, OBJECT + (benign ? i % KEYS * 64 : 0));
	for (unsigned i = 0; i < n; i++) {
		uint64_t from = benign ? OBJECT + i % KEYS * 64 : OBJECT;
		put_move(x, from + i % 2 * 16, from + (i + 1) % 2 * 16);
	}
	put_shot(x);
}

/* Very many calls are open, and buffers are small. */
static void open_calls(struct made *x, bool benign, unsigned n)
{
	unsigned most = n < 16000 ? n : 16000;
	for (unsigned i = 0; i < 2 * KEYS; i++)
		put_method(x, METHOD + i % KEYS * 64, 0, i % KEYS);
	for (unsigned i = 0; !benign && i < most; i++) {
		if (x->w.events.n > PAYLOAD)
			wire_buffer(&x->w, THREAD);
		wire_enter(&x->w, METHOD + i % KEYS * 64);
	}
	for (unsigned i = 0; i < n; i++) {
		wire_buffer(&x->w, THREAD);
		for (unsigned k = 0; k < 4; k++) {
			wire_enter(&x->w, METHOD + i % KEYS * 64);
			wire_leave(&x->w, METHOD + i % KEYS * 64);
		}
	}
}

static const struct hostile_family families[] = {
	{ "classes that outlive images", outlived_classes, false },
	{ "methods that outlive classes", outlived_methods, false },
	{ "weak handles of one object", handles_of_one, false },
	{ "moves of an object with handles", moves_of_one, false },
	{ "open calls and small buffers", open_calls, false },
	{ "inherited fields", hostile_inherited_fields, true },
	{ "fields of a chain of classes", hostile_chain_of_classes, true },
	{ "fields of one key", hostile_fields_of_one_key, true },
	{ "statics of one class", hostile_statics_of_one_class, true },
	{ "objects within others of other classes", hostile_nested_classes, true },
	{ "linked objects of other classes", hostile_linked_classes, true },
	{ "shots of many classes", hostile_shots_of_classes, true },
};

static const struct hostile_family *family_at(size_t at)
{
	size_t n = PV_COUNT_OF(families);
	return at < n ? &families[at] : &hostile_ext[at - n];
}

size_t hostile_families_made(void)
{
	size_t n = PV_COUNT_OF(families);
	while (family_at(n)->name)
		n++;
	return n;
}

bool hostile_is_heap_made(size_t family)
{
	return family_at(family)->heap;
}

const char *hostile_family_name_made(size_t family)
{
	return family_at(family)->name;
}

void hostile_write_made(size_t family, bool benign, unsigned n, struct hostile_bytes *ret)
{
	struct made x = { 0 };
	wire_init(&x.w);
	x.w.now = BEGINS;
	x.w.step = STEP;
	wire_header(&x.w, 1, 1000);
	wire_buffer(&x.w, THREAD);
	family_at(family)->make(&x, benign, n);
	wire_end_buffer(&x.w);
	*ret = (struct hostile_bytes){ x.w.out.v, x.w.out.n, x.w.out.room };
	x.w.out.v = NULL;
	x.w.out.n = x.w.out.room = 0;
	wire_finish(&x.w);
	pv_batch_finish(&x.pools);
}
