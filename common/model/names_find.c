/* Names as asked for: which meaning of a key a use had, and what that is called. */
#include <inttypes.h>
#include <stdio.h>

#include "common/model/names.h"

static enum pv_entity_kind kind_of(const struct pv_class_use *use)
{
	return use->by_vtable ? PV_ENTITY_VTABLE : PV_ENTITY_CLASS;
}

/* The newest epoch of a key with its load at or before `time`, else the first later one. */
static uint32_t entity_at(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	uint32_t id = pv_map_get(&n->entity_of[kind], key);
	if (id == PV_MAP_NONE)
		return 0;
	const struct pv_entity *v = n->entity[kind].v;
	while (v[id].before && v[id].load_ns > time)
		id = v[id].before;
	return id;
}

/* Too many classes: whatever comes now is one class. */
static uint32_t other_class(struct pv_names *n)
{
	n->folded_uses++;
	if (n->other_class)
		return n->other_class;
	if (!pv_reserve(&n->class_use, 1))
		return 0;
	n->other_class = (uint32_t)n->class_use.n;
	n->class_use.v[n->class_use.n++] = (struct pv_class_use){ .other = true };
	return n->other_class;
}

static uint32_t add_class_use(struct pv_names *n, uint64_t key, int64_t time, uint32_t before)
{
	uint32_t id = (uint32_t)n->class_use.n;
	if (id >= n->class_cap)
		return other_class(n);
	if (!pv_reserve(&n->class_use, 1) || !pv_map_set(&n->class_of, key, id))
		return 0;
	struct pv_class_use use = {
		.key = key, .by_vtable = n->classes_by_vtable, .before = before
	};
	use.entity = entity_at(n, kind_of(&use), key, time);
	if (use.entity && before && use.entity == n->class_use.v[before].entity)
		use.entity = 0; /* the next definition is still to come */
	n->class_use.v[n->class_use.n++] = use;
	return id;
}

static int64_t load_of(const struct pv_names *n, const struct pv_class_use *use)
{
	return use->entity ? n->entity[kind_of(use)].v[use->entity].load_ns : PV_NEVER;
}

/* Once a key has had two meanings the time decides. */
static uint32_t class_epoch(struct pv_names *n, uint32_t id, int64_t time)
{
	const struct pv_class_use *use = &n->class_use.v[id];
	int64_t end = use->entity ? n->entity[kind_of(use)].v[use->entity].unload_ns : PV_NEVER;
	if (use->ended && time > end)
		return add_class_use(n, use->key, time, id);
	while (use->before && load_of(n, use) > time) {
		const struct pv_class_use *old = &n->class_use.v[use->before];
		if (!use->entity && old->entity &&
			time > n->entity[kind_of(old)].v[old->entity].unload_ns)
			break; /* behind the old meaning's end, before the new one is defined */
		id = use->before;
		use = old;
	}
	return id;
}

uint32_t pv_names_class(struct pv_names *n, uint64_t key, int64_t time)
{
	uint32_t id = pv_map_get(&n->class_of, key);
	if (id == PV_MAP_NONE)
		return add_class_use(n, key, time, 0);
	const struct pv_class_use *use = &n->class_use.v[id];
	return use->ended || use->before ? class_epoch(n, id, time) : id;
}

uint32_t pv_names_resolved(const struct pv_names *n, uint32_t method)
{
	if (method >= n->method.n || !n->method.v[method].native)
		return method;
	uint32_t in = pv_ranges_find(&n->code, n->method.v[method].key);
	return in ? in : method;
}

uint32_t pv_names_method_name(const struct pv_names *n, uint32_t method)
{
	if (method >= n->method.n)
		return 0;
	const struct pv_method *m = &n->method.v[pv_names_resolved(n, method)];
	return m->native ? pv_ranges_find(&n->symbols, m->key) : m->name;
}

/* The entity of the class itself, past its vtable; 0 unknown. */
static uint32_t class_entity(const struct pv_names *n, uint32_t class_use)
{
	if (class_use >= n->class_use.n)
		return 0;
	const struct pv_class_use *use = &n->class_use.v[class_use];
	/* Builds that said 15 before there were vtables (formats.md 1.11) name classes in place. */
	if (!use->entity && use->by_vtable && n->entity[PV_ENTITY_VTABLE].n == 1)
		return entity_at(n, PV_ENTITY_CLASS, use->key, INT64_MAX);
	if (!use->entity || !use->by_vtable)
		return use->entity;
	const struct pv_entity *vtable = &n->entity[PV_ENTITY_VTABLE].v[use->entity];
	return entity_at(n, PV_ENTITY_CLASS, vtable->owner, vtable->load_ns);
}

uint32_t pv_names_class_name(const struct pv_names *n, uint32_t class_use)
{
	uint32_t id = class_entity(n, class_use);
	return id ? n->entity[PV_ENTITY_CLASS].v[id].name : 0;
}

uint32_t pv_names_class_image(const struct pv_names *n, uint32_t class_use)
{
	uint32_t id = class_entity(n, class_use);
	if (!id)
		return 0;
	const struct pv_entity *x = &n->entity[PV_ENTITY_CLASS].v[id];
	uint32_t image = entity_at(n, PV_ENTITY_IMAGE, x->owner, x->load_ns);
	return image ? n->entity[PV_ENTITY_IMAGE].v[image].name : 0;
}

static const char *name_or_key(const struct pv_names *n, uint32_t name, uint64_t key, char buf[24])
{
	if (name)
		return pv_intern_text(&n->text, name);
	snprintf(buf, 24, "0x%" PRIx64, key);
	return buf;
}

const char *pv_names_method_text(const struct pv_names *n, uint32_t method, char buf[24])
{
	uint64_t key = method < n->method.n ? n->method.v[method].key : 0;
	return name_or_key(n, pv_names_method_name(n, method), key, buf);
}

const char *pv_names_class_text(const struct pv_names *n, uint32_t class_use, char buf[24])
{
	uint64_t key = class_use < n->class_use.n ? n->class_use.v[class_use].key : 0;
	if (class_use && class_use == n->other_class)
		return "other";
	return name_or_key(n, pv_names_class_name(n, class_use), key, buf);
}
