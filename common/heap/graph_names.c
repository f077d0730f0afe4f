/* SPDX-License-Identifier: MIT */
/* Names of a graph's classes and roots, from the model. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/heap/graph_parts.h"
#include "common/model/model.h"

/* --- classes */

/* A text owned by the graph; NULL when out of memory. */
static const char *hex(struct pv_graph *g, uint64_t key)
{
	return pv_arena_printf(&g->text, "0x%" PRIx64, key);
}

static bool class_named(struct pv_model *m, const struct pv_raw_type *t, struct pv_graph *g,
	struct pv_graph_class *ret)
{
	*ret = (struct pv_graph_class){ .id = t->key };
	if (!m)
		return (ret->name = hex(g, t->key)) != NULL;
	struct pv_names *n = &m->names;
	ret->class_use = pv_names_class(n, t->key, t->time_ns);
	if (!ret->class_use)
		return false;
	uint32_t name = pv_names_class_name(n, ret->class_use);
	uint32_t image = pv_names_class_image(n, ret->class_use);
	ret->id = pv_names_class_row(n, ret->class_use);
	ret->image = image ? pv_intern_text(&n->text, image) : NULL;
	ret->name = name                                   ? pv_intern_text(&n->text, name)
		    : n->class_use.v[ret->class_use].other ? "(other)"
							   : hex(g, t->key);
	return ret->name != NULL;
}

static bool name_classes(struct pv_raw *r, struct pv_model *m, struct pv_graph *g)
{
	struct pv_map known = { 0 }; /* id -> index in klass */
	uint32_t *of = malloc((r->type.n + 1) * sizeof *of);
	bool ok = of != NULL;
	for (size_t i = 0; ok && i < r->type.n; i++) {
		struct pv_graph_class c;
		ok = class_named(m, &r->type.v[i], g, &c) && pv_reserve(&g->klass, 1);
		if (!ok)
			break;
		of[i] = pv_map_get(&known, c.id);
		if (of[i] != PV_MAP_NONE)
			continue;
		of[i] = (uint32_t)g->klass.n;
		g->klass.v[g->klass.n++] = c;
		ok = pv_map_set(&known, c.id, of[i]);
	}
	for (uint32_t node = 0; ok && node < g->nodes; node++) {
		struct pv_graph_class *c = &g->klass.v[of[g->class_of[node]]];
		g->class_of[node] = of[g->class_of[node]];
		c->objects++;
		c->bytes += g->size[node];
	}
	free(of);
	pv_map_finish(&known);
	return ok;
}

/* --- areas */

static const char *class_of_vtable(const struct pv_names *n, uint64_t vtable, int64_t time)
{
	uint32_t id = pv_names_entity(n, PV_ENTITY_VTABLE, vtable, time);
	const struct pv_entity *v = n->entity[PV_ENTITY_VTABLE].v;
	uint32_t klass = id ? pv_names_entity(n, PV_ENTITY_CLASS, v[id].owner, time) : 0;
	uint32_t name = klass ? n->entity[PV_ENTITY_CLASS].v[klass].name : 0;
	return name ? pv_intern_text(&n->text, name) : NULL;
}

static const char *entity_name_of(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	uint32_t id = pv_names_entity(n, kind, key, time);
	uint32_t name = id ? n->entity[kind].v[id].name : 0;
	return name ? pv_intern_text(&n->text, name) : NULL;
}

/* Name of the thing with the area's key; NULL when it has none. */
static const char *owner(const struct pv_model *m, const struct pv_root_area *a, int64_t time)
{
	uint32_t at = 0, name;
	if (!a->key)
		return NULL;
	switch (a->source) {
	case PV_ROOT_STATIC:
		return class_of_vtable(&m->names, a->key, time);
	case PV_ROOT_DOMAIN:
		return entity_name_of(&m->names, PV_ENTITY_DOMAIN, a->key, time);
	case PV_ROOT_CONTEXT_STATIC:
		return entity_name_of(&m->names, PV_ENTITY_CONTEXT, a->key, time);
	case PV_ROOT_STACK:
	case PV_ROOT_THREAD_STATIC:
	case PV_ROOT_HANDLE_STACK:
	case PV_ROOT_THREADING:
		at = pv_threads_at(&m->threads, a->key, time);
		name = at ? m->threads.thread.v[at]->name : 0;
		return name ? pv_intern_text(&m->names.text, name) : NULL;
	default:
		return NULL;
	}
}

struct known_area {
	const struct pv_root_area *area;
	uint32_t at; /* index in the graph's + 1 */
};

struct areas {
	PV_ARRAY(struct known_area) known; /* areas registered at the shot's time, by start */
};

static int by_area_start(const void *a, const void *b)
{
	const struct known_area *x = a, *y = b;
	if (x->area->start != y->area->start)
		return x->area->start < y->area->start ? -1 : 1;
	return (x->area > y->area) - (x->area < y->area);
}

static bool areas_then(const struct pv_roots *r, int64_t time, struct areas *ret)
{
	if (!pv_reserve(&ret->known, r->area.n))
		return false;
	for (size_t i = 0; i < r->area.n; i++) {
		const struct pv_root_area *a = &r->area.v[i];
		if (a->registered_ns <= time && time <= a->unregistered_ns)
			ret->known.v[ret->known.n++] = (struct known_area){ .area = a };
	}
	if (ret->known.n)
		qsort(ret->known.v, ret->known.n, sizeof *ret->known.v, by_area_start);
	return true;
}

/* The area with the slot that begins last. */
static struct known_area *area_of(const struct areas *s, uint64_t slot)
{
	enum { LOOK_BACK = 64 };
	size_t low = 0, high = s->known.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (s->known.v[mid].area->start <= slot)
			low = mid + 1;
		else
			high = mid;
	}
	for (size_t i = low; i > 0 && low - i < LOOK_BACK; i--) {
		const struct pv_root_area *a = s->known.v[i - 1].area;
		if (slot == a->start || slot - a->start < a->size)
			return &s->known.v[i - 1];
	}
	return NULL;
}

static bool add_area(struct pv_graph *g, const struct pv_model *m, struct known_area *k)
{
	const struct pv_root_area *a = k->area;
	if (!pv_reserve(&g->area, 1))
		return false;
	g->area.v[g->area.n++] = (struct pv_graph_area){ .start = a->start,
		.size = a->size,
		.key = a->key,
		.name = pv_intern_text(&m->names.text, a->name),
		.owner = owner(m, a, g->time_ns),
		.source = a->source };
	k->at = (uint32_t)g->area.n;
	return true;
}

static bool name_roots(const struct pv_model *m, struct pv_graph *g)
{
	struct areas s = { 0 };
	bool ok = areas_then(&m->roots, g->time_ns, &s);
	for (size_t i = 0; ok && i < g->root.n; i++) {
		struct pv_graph_root *r = &g->root.v[i];
		if (r->source != PV_ROOT_UNKNOWN || !r->slot)
			continue;
		struct known_area *k = area_of(&s, r->slot);
		if (!k)
			continue;
		ok = k->at || add_area(g, m, k);
		r->area = k->at;
		r->source = k->area->source;
	}
	pv_array_finish(&s.known);
	return ok;
}

bool pv_graph_name(struct pv_raw *r, struct pv_model *m, struct pv_graph *g)
{
	if (!m)
		return name_classes(r, NULL, g);
	pv_model_lock(m);
	bool ok = name_classes(r, m, g) && name_roots(m, g) && pv_graph_name_fields(m, g);
	pv_model_unlock(m);
	return ok;
}
