/* SPDX-License-Identifier: MIT */
/*
 * Names of fields. Each class that is asked for has its own fields once (a layout), and refers to
 * its parent class: fields that a thousand classes inherit are not copied a thousand times. The
 * records of a class's key are read once, whatever the number of classes that the key has meant.
 */
#include <stdlib.h>

#include "common/heap/graph_parts.h"
#include "common/model/model.h"

/* Facts about a layout's class besides its fields. */
struct of_class {
	uint32_t parent; /* id in entity[CLASS]; 0: not known */
	bool has_parent; /* a parent was recorded, known or not */
	uint32_t first_element, element_size;
};

struct naming {
	const struct pv_model *m;
	struct pv_graph *g;
	struct pv_map layout_of;      /* class entity -> index + 1 */
	struct pv_map read;           /* keys of classes read already */
	PV_ARRAY(struct of_class) of; /* by layout */
	uint32_t order;
};

static const struct pv_entity *class_at(const struct naming *x, uint32_t entity)
{
	return &x->m->names.entity[PV_ENTITY_CLASS].v[entity];
}

/* The index of the class's layout, made when new; PV_MAP_NONE: out of memory. */
static uint32_t layout_of(struct naming *x, uint32_t entity)
{
	struct pv_graph *g = x->g;
	uint32_t known = pv_map_get(&x->layout_of, entity);
	if (known != PV_MAP_NONE)
		return known;
	uint32_t at = (uint32_t)g->layout.n, name = class_at(x, entity)->name;
	if (!pv_reserve(&g->layout, 1) || !pv_reserve(&x->of, 1) ||
		!pv_map_set(&x->layout_of, entity, at))
		return PV_MAP_NONE;
	g->layout.v[g->layout.n++] =
		(struct pv_graph_layout){ .owner = name ? pv_intern_text(&x->m->names.text, name)
							: NULL };
	x->of.v[x->of.n++] = (struct of_class){ 0 };
	return at;
}

/*
 * Keys are used again: the layout of the class that had the key at the time of a record. *ret is
 * PV_MAP_NONE when no class had. False: out of memory.
 */
static bool layout_then(struct naming *x, uint64_t key, int64_t time_ns, uint32_t *ret)
{
	uint32_t entity = pv_names_entity(&x->m->names, PV_ENTITY_CLASS, key, time_ns);
	*ret = entity ? layout_of(x, entity) : PV_MAP_NONE;
	return !entity || *ret != PV_MAP_NONE;
}

static uint32_t newest_index(const struct pv_map *of, uint64_t key)
{
	uint32_t at = pv_map_get(of, key);
	return at == PV_MAP_NONE ? 0 : at;
}

static bool read_fields(struct naming *x, uint64_t key)
{
	const struct pv_fields *f = &x->m->fields;
	const struct pv_field *one;
	for (uint32_t at = newest_index(&f->field_of, key); at; at = one->before) {
		one = &f->field.v[at - 1];
		struct pv_graph_fields *to = one->is_static ? &x->g->static_field : &x->g->field;
		uint32_t layout;
		if (!layout_then(x, key, one->time_ns, &layout))
			return false;
		if (layout == PV_MAP_NONE)
			continue;
		if (!pv_reserve(to, 1))
			return false;
		to->v[to->n++] = (struct pv_graph_field){ .layout = layout,
			.offset = one->offset,
			.order = x->order++,
			.name = pv_intern_text(&x->m->names.text, one->name) };
	}
	return true;
}

/* The newest of repeated records counts, and comes first. */
static bool read_parents(struct naming *x, uint64_t key)
{
	const struct pv_fields *f = &x->m->fields;
	const struct pv_parent *one;
	for (uint32_t at = newest_index(&f->parent_of, key); at; at = one->before) {
		one = &f->parent.v[at - 1];
		uint32_t layout;
		if (!layout_then(x, key, one->time_ns, &layout))
			return false;
		if (layout != PV_MAP_NONE && !x->of.v[layout].has_parent) {
			x->of.v[layout].has_parent = true;
			x->of.v[layout].parent = pv_names_entity(
				&x->m->names, PV_ENTITY_CLASS, one->parent, x->g->time_ns);
		}
	}
	return true;
}

static bool read_elements(struct naming *x, uint64_t key)
{
	const struct pv_fields *f = &x->m->fields;
	const struct pv_elements *one;
	for (uint32_t at = newest_index(&f->elements_of, key); at; at = one->before) {
		one = &f->elements.v[at - 1];
		uint32_t layout;
		if (!layout_then(x, key, one->time_ns, &layout))
			return false;
		if (layout != PV_MAP_NONE && !x->of.v[layout].element_size) {
			x->of.v[layout].first_element = one->first;
			x->of.v[layout].element_size = one->size;
		}
	}
	return true;
}

/* The class's layout, index + 1, once all records of its key have been read. */
static bool find_layout(struct naming *x, uint32_t entity, uint32_t *ret)
{
	uint32_t layout = layout_of(x, entity);
	uint64_t key = class_at(x, entity)->key;
	*ret = layout + 1;
	if (layout == PV_MAP_NONE || pv_map_get(&x->read, key) != PV_MAP_NONE)
		return layout != PV_MAP_NONE;
	return pv_map_set(&x->read, key, 1) && read_fields(x, key) && read_parents(x, key) &&
	       read_elements(x, key);
}

static bool find_class(struct naming *x, struct pv_graph_class *c)
{
	uint32_t entity = c->class_use ? pv_names_class_entity(&x->m->names, c->class_use) : 0;
	if (!entity)
		return true;
	if (!find_layout(x, entity, &c->layout))
		return false;
	c->first_element = x->of.v[c->layout - 1].first_element;
	c->element_size = x->of.v[c->layout - 1].element_size;
	return true;
}

static bool find_area(struct naming *x, struct pv_graph_area *a)
{
	const struct pv_names *n = &x->m->names;
	if (a->source != PV_ROOT_STATIC)
		return true;
	uint32_t vtable = pv_names_entity(n, PV_ENTITY_VTABLE, a->key, x->g->time_ns);
	uint64_t key = vtable ? n->entity[PV_ENTITY_VTABLE].v[vtable].owner : 0;
	uint32_t entity = vtable ? pv_names_entity(n, PV_ENTITY_CLASS, key, x->g->time_ns) : 0;
	return !entity || find_layout(x, entity, &a->layout);
}

/* Finds the parents' layouts; new layouts are appended, and get theirs in turn. */
static bool find_parents(struct naming *x)
{
	for (size_t i = 0; i < x->of.n; i++) {
		uint32_t parent = 0;
		if (x->of.v[i].parent && !find_layout(x, x->of.v[i].parent, &parent))
			return false;
		x->g->layout.v[i].parent = parent;
	}
	return true;
}

static int by_layout_and_offset(const void *a, const void *b)
{
	const struct pv_graph_field *x = a, *y = b;
	if (x->layout != y->layout)
		return x->layout < y->layout ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static void deal_out(struct pv_graph *g, struct pv_graph_fields *f, bool statics)
{
	if (f->n)
		qsort(f->v, f->n, sizeof *f->v, by_layout_and_offset);
	for (size_t i = f->n; i-- > 0;) {
		struct pv_graph_layout *of = &g->layout.v[f->v[i].layout];
		struct pv_graph_range *range = statics ? &of->statics : &of->fields;
		range->first = (uint32_t)i;
		range->n++;
	}
}

bool pv_graph_name_fields(const struct pv_model *m, struct pv_graph *g)
{
	struct naming x = { .m = m, .g = g };
	bool ok = true;
	for (uint32_t i = 0; ok && i < g->klass.n; i++)
		ok = find_class(&x, &g->klass.v[i]);
	for (uint32_t i = 0; ok && i < g->area.n; i++)
		ok = find_area(&x, &g->area.v[i]);
	ok = ok && find_parents(&x);
	deal_out(g, &g->field, false);
	deal_out(g, &g->static_field, true);
	pv_map_finish(&x.layout_of);
	pv_map_finish(&x.read);
	pv_array_finish(&x.of);
	return ok;
}
