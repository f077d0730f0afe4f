/* Names of fields: of each class of the graph, those that it inherits too; of statics by area. */
#include <stdlib.h>

#include "common/heap/graph_parts.h"
#include "common/model/model.h"

/* What of the model is looked at. */
struct look {
	const struct pv_model *m;
	struct pv_graph *g;
	uint32_t order;
};

/* Keys are used again: what was told of the class that had it at that time. */
static bool told_of(const struct look *l, uint32_t klass, uint64_t key, int64_t told_ns)
{
	return klass == pv_names_entity(&l->m->names, PV_ENTITY_CLASS, key, told_ns);
}

/* The fields of one class, whose id in entity[CLASS] is `klass`, without inherited ones. */
static bool add_own(
	struct look *l, uint32_t klass, bool is_static, uint32_t group, struct pv_graph_fields *to)
{
	const struct pv_fields *f = &l->m->fields;
	uint64_t key = l->m->names.entity[PV_ENTITY_CLASS].v[klass].key;
	uint32_t at = pv_map_get(&f->field_of, key);
	for (at = at == PV_MAP_NONE ? 0 : at; at; at = f->field.v[at - 1].before) {
		const struct pv_field *one = &f->field.v[at - 1];
		if (one->is_static != is_static || !told_of(l, klass, key, one->told_ns))
			continue;
		if (!pv_reserve(to, 1))
			return false;
		to->v[to->n++] = (struct pv_graph_field){ .group = group,
			.offset = one->offset,
			.order = l->order++,
			.name = pv_intern_text(&l->m->names.text, one->name) };
	}
	return true;
}

/* What a class derives from, as an id in entity[CLASS]; 0: nothing that was told. */
static uint32_t parent_of(const struct look *l, uint32_t klass)
{
	const struct pv_fields *f = &l->m->fields;
	uint64_t key = l->m->names.entity[PV_ENTITY_CLASS].v[klass].key;
	uint32_t at = pv_map_get(&f->parent_of, key);
	for (at = at == PV_MAP_NONE ? 0 : at; at; at = f->parent.v[at - 1].before)
		if (told_of(l, klass, key, f->parent.v[at - 1].told_ns))
			return pv_names_entity(&l->m->names, PV_ENTITY_CLASS,
				f->parent.v[at - 1].parent, l->g->time_ns);
	return 0;
}

static void find_elements(const struct look *l, uint32_t klass, struct pv_graph_class *to)
{
	const struct pv_fields *f = &l->m->fields;
	uint64_t key = l->m->names.entity[PV_ENTITY_CLASS].v[klass].key;
	uint32_t at = pv_map_get(&f->elements_of, key);
	for (at = at == PV_MAP_NONE ? 0 : at; at; at = f->elements.v[at - 1].before) {
		if (!told_of(l, klass, key, f->elements.v[at - 1].told_ns))
			continue;
		to->first_element = f->elements.v[at - 1].first;
		to->element_size = f->elements.v[at - 1].size;
		return;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct pv_graph_field *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool add_class(struct look *l, uint32_t at, struct pv_graph_fields *to)
{
	enum { DEEPEST = 64 };
	uint32_t use = l->g->klass.v[at].class_use;
	uint32_t klass = use ? pv_names_class_entity(&l->m->names, use) : 0;
	if (klass)
		find_elements(l, klass, &l->g->klass.v[at]);
	for (unsigned i = 0; klass && i < DEEPEST; i++, klass = parent_of(l, klass))
		if (!add_own(l, klass, false, at, to))
			return false;
	return true;
}

static bool add_area(struct look *l, uint32_t at, struct pv_graph_fields *to)
{
	const struct pv_graph_area *a = &l->g->area.v[at];
	const struct pv_names *n = &l->m->names;
	if (a->source != PV_ROOT_STATIC)
		return true;
	uint32_t vtable = pv_names_entity(n, PV_ENTITY_VTABLE, a->key, l->g->time_ns);
	uint64_t key = vtable ? n->entity[PV_ENTITY_VTABLE].v[vtable].owner : 0;
	uint32_t klass = vtable ? pv_names_entity(n, PV_ENTITY_CLASS, key, l->g->time_ns) : 0;
	return !klass || add_own(l, klass, true, at, to);
}

static void sort(struct pv_graph_fields *f)
{
	if (f->n)
		qsort(f->v, f->n, sizeof *f->v, by_place);
}

bool pv_graph_name_fields(const struct pv_model *m, struct pv_graph *g)
{
	struct look l = { .m = m, .g = g };
	bool ok = true;
	for (uint32_t i = 0; ok && i < g->klass.n; i++)
		ok = add_class(&l, i, &g->field);
	for (uint32_t i = 0; ok && i < g->area.n; i++)
		ok = add_area(&l, i, &g->static_field);
	sort(&g->field);
	sort(&g->static_field);
	return ok;
}
