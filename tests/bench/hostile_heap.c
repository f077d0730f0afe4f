/* SPDX-License-Identifier: MIT */
/* Heap shots that are hard on who works on their graphs: fields, statics, classes. */
#include <stdio.h>
#include <string.h>

#include "common/model/objects/roots.h"
#include "tests/bench/hostile_made.h"

enum {
	CLASS = HOSTILE_CLASS, /* they are 64 apart */
	BASE = 0x8000,
	VTABLE = 0x30000000,
	OBJECT = HOSTILE_OBJECT,
	IMAGE = 0x9000,
	FIRST = 16,  /* offset of the first field */
	TURN = 1000, /* ns that a key has one meaning */
	CHAIN = 16,  /* classes of one that is not hostile */
};
#define AREA      UINT64_C(0x100000000)
#define AREA_STEP (UINT64_C(1) << 20)

static uint64_t class_of(unsigned i)
{
	return CLASS + (uint64_t)i * 64;
}

static uint64_t vtable_of(unsigned i)
{
	return VTABLE + (uint64_t)i * 64;
}

static uint64_t object_of(unsigned i)
{
	return OBJECT + (uint64_t)i * 64;
}

static void put_class(struct made *x, uint64_t key, unsigned name)
{
	hostile_put_load(x, PV_KIND_CLASS_LOAD, key, IMAGE, name);
}

static void put_vtable(struct made *x, unsigned i, uint64_t class)
{
	hostile_put_load(x, PV_KIND_VTABLE_LOAD, vtable_of(i), class, 0);
}

static void put_field(
	struct made *x, uint64_t class, unsigned offset, bool is_static, unsigned name)
{
	char text[20];
	struct pv_event e = { .kind = PV_KIND_EXT_FIELD };
	snprintf(text, sizeof text, "f%u", name);
	e.field.owner = class;
	e.field.offset = offset;
	e.field.is_static = is_static;
	e.field.name = (struct pv_text){ text, strlen(text) };
	e.field.type = (struct pv_text){ "T", 1 };
	hostile_put(x, &e);
}

static void put_parent(struct made *x, uint64_t class, uint64_t parent)
{
	struct pv_event e = { .kind = PV_KIND_EXT_PARENT };
	e.class_parent.owner = class;
	e.class_parent.parent = parent;
	hostile_put(x, &e);
}

static void put_elements(struct made *x, uint64_t class, unsigned size)
{
	struct pv_event e = { .kind = PV_KIND_EXT_ELEMENTS };
	e.elements.owner = class;
	e.elements.first = 1 << 20;
	e.elements.size = size;
	hostile_put(x, &e);
}

static void put_area(struct made *x, unsigned i, unsigned size)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOT_REGISTER };
	e.root_area.start = AREA + i * AREA_STEP;
	e.root_area.size = size;
	e.root_area.source = PV_ROOT_STATIC;
	e.root_area.key = vtable_of(i);
	e.root_area.name = (struct pv_text){ "", 0 };
	hostile_put(x, &e);
}

static void put_mark(struct made *x, uint8_t kind)
{
	const struct pv_event e = { .kind = kind };
	hostile_put(x, &e);
}

/* Object i, which refers to those before and after it that are asked for; at fields' places. */
static void put_object(struct made *x, unsigned i, unsigned n, bool back)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_OBJECT };
	e.heap_object.object = object_of(i);
	e.heap_object.type = vtable_of(i);
	e.heap_object.size = 48;
	if (i + 1 < n)
		e.heap_object.refs = hostile_pair(x, FIRST + 8 * i, object_of(i + 1));
	if (back && i > 0)
		e.heap_object.refs = hostile_pair(x, FIRST + 8 * i, object_of(i - 1));
	hostile_put(x, &e);
}

static void put_root(struct made *x, uint64_t slot, unsigned object)
{
	struct pv_event e = { .kind = PV_KIND_HEAP_ROOTS };
	e.roots.width = 2;
	e.roots.roots = hostile_pair(x, slot, object_of(object));
	hostile_put(x, &e);
}

/* A shot of n objects in chains of so many, each held by a root. */
static void put_shot(struct made *x, unsigned n, unsigned chain, bool back)
{
	put_mark(x, PV_KIND_HEAP_START);
	for (unsigned i = 0; i < n; i += chain) {
		unsigned end = n - i < chain ? n : i + chain;
		put_root(x, AREA + (uint64_t)i * AREA_STEP + 8 * i, i);
		for (unsigned k = i; k < end; k++)
			put_object(x, k, end, back && k > i);
	}
	put_mark(x, PV_KIND_HEAP_END);
}

static void put_classes(struct made *x, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		put_class(x, class_of(i), i);
		put_vtable(x, i, class_of(i));
	}
}

/* Very many classes of a class with very many fields. */
void hostile_inherited_fields(struct made *x, bool benign, unsigned n)
{
	put_class(x, BASE, n);
	put_classes(x, n);
	for (unsigned i = 0; i < n; i++) {
		put_parent(x, class_of(i), BASE);
		put_field(x, benign ? class_of(i) : BASE, FIRST + 8 * i, false, i);
	}
	put_shot(x, n, CHAIN, false);
}

/* Each of the one before it. */
void hostile_chain_of_classes(struct made *x, bool benign, unsigned n)
{
	put_class(x, BASE, n);
	put_classes(x, n);
	for (unsigned i = 0; i < n; i++) {
		put_parent(x, class_of(i), i % (benign ? CHAIN : n) ? class_of(i - 1) : BASE);
		put_field(x, class_of(i), FIRST + 8 * i, false, i);
	}
	put_shot(x, n, CHAIN, false);
}

/*
 * A key has been given to one class after the other, the last one of which is reported first: so
 * none of them ends the vtables of those before it, and objects of all are alive.
 */
void hostile_fields_of_one_key(struct made *x, bool benign, unsigned n)
{
	uint64_t begin = x->w.now;
	for (unsigned i = n; i-- > 0;) {
		x->w.now = begin + (uint64_t)i * TURN;
		put_class(x, benign ? class_of(i) : BASE, i);
	}
	for (unsigned i = 0; i < n; i++) {
		uint64_t key = benign ? class_of(i) : BASE;
		x->w.now = begin + (uint64_t)i * TURN + TURN / 4;
		put_vtable(x, i, key);
		put_parent(x, key, class_of(n + i));
		put_elements(x, key, 8 + i % 2);
		put_field(x, key, FIRST + 8 * i, false, i);
		put_field(x, key, FIRST + 8 * i, true, i);
	}
	put_shot(x, n, CHAIN, false);
}

/* A class of many domains, with many statics in each. */
void hostile_statics_of_one_class(struct made *x, bool benign, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t key = benign ? class_of(i) : BASE;
		if (benign || i == 0)
			put_class(x, key, i);
		put_vtable(x, i, key);
		put_field(x, key, 8 * i, true, i);
		put_area(x, i, 8 * n);
	}
	put_shot(x, n, 1, false);
}

/* Each class keeps another set of classes for each object. */
void hostile_nested_classes(struct made *x, bool benign, unsigned n)
{
	put_classes(x, n);
	put_shot(x, n, benign ? CHAIN : n, false);
}

void hostile_linked_classes(struct made *x, bool benign, unsigned n)
{
	put_classes(x, n);
	put_shot(x, n, benign ? CHAIN : n, true);
}

/* Shots of one object each, of which no two are of one class. */
void hostile_shots_of_classes(struct made *x, bool benign, unsigned n)
{
	put_classes(x, benign ? 1 : n);
	for (unsigned i = 0; i < n; i++) {
		put_mark(x, PV_KIND_HEAP_START);
		put_object(x, benign ? 0 : i, 0, false);
		put_mark(x, PV_KIND_HEAP_END);
	}
}
