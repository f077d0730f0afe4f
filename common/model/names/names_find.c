/* SPDX-License-Identifier: MIT */
/* Names at query time: the meaning of a key for a use, and the name of that meaning. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/model/names/names_parts.h"

static enum pv_entity_kind class_kind(const struct pv_names *n)
{
	return n->classes_by_vtable ? PV_ENTITY_VTABLE : PV_ENTITY_CLASS;
}

uint32_t pv_names_newest(const struct pv_names *n, enum pv_entity_kind kind, uint64_t key)
{
	uint32_t id = pv_map_get(&n->entity_of[kind], key);
	return id == PV_MAP_NONE ? 0 : id;
}

uint32_t pv_names_entity(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	const struct pv_entity *v = n->entity[kind].v;
	uint32_t later, id;
	if (!pv_epochs_around(&n->key_epochs[kind], key, time, &id, &later)) {
		id = pv_names_newest(n, kind, key);
		later = id && v[id].load_ns != PV_NEVER && v[id].load_ns > time ? id : 0;
		id = later ? 0 : id;
	}
	return id && time <= v[id].unload_ns ? id : later;
}

uint32_t pv_names_begun(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	uint32_t id, next;
	if (!pv_epochs_around(&n->key_epochs[kind], key, time, &id, &next))
		return pv_names_newest(n, kind, key);
	return id ? id : next;
}

/* The use of all classes beyond the cap. */
static uint32_t other_class(struct pv_names *n)
{
	n->folded_uses++;
	if (n->other_class)
		return n->other_class;
	if (!pv_reserve(&n->class_use, 1))
		return 0;
	n->other_class = (uint32_t)n->class_use.n;
	n->changes++;
	n->class_use.v[n->class_use.n++] = (struct pv_class_use){ .other = true };
	return n->other_class;
}

static uint64_t bound_key(bool by_vtable, uint32_t entity)
{
	return (uint64_t)by_vtable << 32 | entity;
}

/* Makes the use found by its meaning from now on. */
static bool note_use(struct pv_names *n, uint32_t id)
{
	const struct pv_class_use *u = &n->class_use.v[id];
	if (!u->entity)
		return pv_map_set(&n->use_unbound, u->key, id);
	return pv_map_set(&n->use_of_entity, bound_key(u->by_vtable, u->entity), id);
}

static uint32_t add_class_use(struct pv_names *n, uint64_t key, uint32_t entity, uint32_t before)
{
	enum { IDS = 4 }; /* times the cap: folding gives no id back */
	uint32_t id = (uint32_t)n->class_use.n;
	bool full = id - n->classes_folded >= n->class_cap || id >= IDS * n->class_cap;
	if (full || (!entity && n->undefined))
		return other_class(n);
	if (!pv_reserve(&n->class_use, 1) || !pv_map_set(&n->class_of, key, id))
		return 0;
	const struct pv_entity *v = n->entity[class_kind(n)].v;
	uint32_t newest = pv_names_newest(n, class_kind(n), key);
	n->changes++;
	n->class_use.v[n->class_use.n++] = (struct pv_class_use){ .key = key,
		.entity = entity,
		.ended = newest && (v[newest].before || v[newest].unload_ns != PV_NEVER),
		.by_vtable = n->classes_by_vtable,
		.before = before,
		.last_ns = INT64_MIN };
	return note_use(n, id) ? id : 0;
}

static uint32_t entity_of_use(const struct pv_names *n, uint64_t key, int64_t time)
{
	return pv_names_entity(n, class_kind(n), key, time);
}

/* The use of the key with the meaning `entity`, among uses by vtable or by class as now. */
static uint32_t use_of(const struct pv_names *n, uint64_t key, uint32_t entity)
{
	uint32_t id =
		entity ? pv_map_get(&n->use_of_entity, bound_key(n->classes_by_vtable, entity))
		       : pv_map_get(&n->use_unbound, key);
	if (id == PV_MAP_NONE || id == 0 || n->class_use.v[id].other ||
		n->class_use.v[id].by_vtable != n->classes_by_vtable)
		return 0;
	return id;
}

/* Once a key has had two meanings the time decides. `id`: the key's newest use. */
static uint32_t use_at(struct pv_names *n, uint32_t id, int64_t time)
{
	uint64_t key = n->class_use.v[id].key;
	uint32_t entity = entity_of_use(n, key, time);
	uint32_t at = use_of(n, key, entity);
	if (at)
		return at;
	return add_class_use(n, key, entity, id);
}

uint32_t pv_names_class(struct pv_names *n, uint64_t key, int64_t time)
{
	uint32_t id = pv_map_get(&n->class_of, key);
	if (id == PV_MAP_NONE)
		id = add_class_use(n, key, entity_of_use(n, key, time), 0);
	else if (n->class_use.v[id].ended || n->class_use.v[id].before)
		id = use_at(n, id, time);
	if (time > n->class_use.v[id].last_ns)
		n->class_use.v[id].last_ns = time;
	return id;
}

void pv_names_uses_ended(struct pv_names *n, uint64_t key, uint32_t entity, int64_t time)
{
	uint32_t id = use_of(n, key, entity);
	if (!id)
		return;
	n->class_use.v[id].ended = true;
	n->ambiguous_ends += n->class_use.v[id].last_ns > time;
}

/* Uses without a known definition take the first definition. */
bool pv_names_uses_defined(struct pv_names *n, uint64_t key, uint32_t entity)
{
	enum pv_entity_kind kind = class_kind(n);
	uint32_t id = use_of(n, key, 0), newest = pv_names_newest(n, kind, key);
	if (id && !use_of(n, key, entity)) {
		n->class_use.v[id].entity = entity;
		if (!note_use(n, id) || !pv_map_set(&n->use_unbound, key, 0))
			return false;
	}
	id = pv_map_get(&n->class_of, key);
	if (id == PV_MAP_NONE || newest == entity || n->class_use.v[id].ended)
		return true;
	n->class_use.v[id].ended = true; /* an earlier meaning is defined after the present one */
	n->ambiguous_ends += n->entity[kind].v[entity].load_ns < n->class_use.v[id].last_ns;
	return true;
}

/* From the oldest on, so that the newest use of a kind is found. */
static bool link_uses(struct pv_names *n)
{
	bool ok = true;
	pv_map_clear(&n->use_of_entity);
	pv_map_clear(&n->use_unbound);
	for (uint32_t id = 1; id < n->class_use.n && ok; id++)
		ok = n->class_use.v[id].other || note_use(n, id);
	return ok;
}

static int64_t from_of(const void *entities, uint32_t id)
{
	int64_t load_ns = ((const struct pv_entity *)entities)[id].load_ns;
	return load_ns == PV_NEVER ? INT64_MIN : load_ns;
}

static bool link_entities(struct pv_names *n, enum pv_entity_kind kind)
{
	const struct pv_entity *v = n->entity[kind].v;
	struct pv_map first = { 0 };
	bool *again =
		calloc(n->entity[kind].n, sizeof *again); /* the key has had another meaning, too */
	bool ok = again != NULL;
	pv_epochs_clear(&n->key_epochs[kind]);
	for (uint32_t id = 1; id < n->entity[kind].n && ok; id++)
		if (v[id].before)
			again[id] = again[v[id].before] = true;
	for (uint32_t id = 1; id < n->entity[kind].n && ok; id++)
		if (again[id])
			ok = pv_epochs_link(&n->key_epochs[kind], &first, v[id].key,
				(struct pv_epoch){ id, from_of(v, id) }, from_of, v);
	pv_map_finish(&first);
	free(again);
	return ok;
}

bool pv_names_link(struct pv_names *n)
{
	bool ok = link_uses(n);
	for (enum pv_entity_kind kind = 0; kind < PV_ENTITY_KINDS; kind++)
		ok = ok && link_entities(n, kind);
	return ok && pv_names_link_methods(n);
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
	if (!m->native)
		return m->name;
	uint32_t function = pv_ranges_find(&n->functions, m->key);
	if (function)
		return function;
	uint32_t symbol = pv_ranges_find(&n->symbols, m->key);
	/* A path is the name of the whole file. */
	return m->name && *pv_intern_text(&n->text, symbol) == '/' ? m->name : symbol;
}

uint32_t pv_names_class_entity(const struct pv_names *n, uint32_t class_use)
{
	if (class_use >= n->class_use.n)
		return 0;
	const struct pv_class_use *use = &n->class_use.v[class_use];
	/* Builds that said 15 before there were vtables (formats.md 1.11) name classes in place. */
	if (!use->entity && use->by_vtable && n->entity[PV_ENTITY_VTABLE].n == 1)
		return pv_names_entity(n, PV_ENTITY_CLASS, use->key, use->last_ns);
	if (!use->entity || !use->by_vtable)
		return use->entity;
	const struct pv_entity *vtable = &n->entity[PV_ENTITY_VTABLE].v[use->entity];
	return pv_names_entity(n, PV_ENTITY_CLASS, vtable->owner, vtable->load_ns);
}

uint32_t pv_names_class_name(const struct pv_names *n, uint32_t class_use)
{
	uint32_t id = pv_names_class_entity(n, class_use);
	return id ? n->entity[PV_ENTITY_CLASS].v[id].name : 0;
}

uint32_t pv_names_key_type(const struct pv_names *n, uint64_t key, int64_t time)
{
	uint32_t id = entity_of_use(n, key, time);
	if (!n->classes_by_vtable)
		return id ? n->entity[PV_ENTITY_CLASS].v[id].name : 0;
	const struct pv_entity *vtable = &n->entity[PV_ENTITY_VTABLE].v[id];
	id = id ? pv_names_entity(n, PV_ENTITY_CLASS, vtable->owner, vtable->load_ns)
		: pv_names_entity(n, PV_ENTITY_CLASS, key, time);
	return id ? n->entity[PV_ENTITY_CLASS].v[id].name : 0;
}

uint32_t pv_names_address(const struct pv_names *n, uint64_t address)
{
	uint32_t in = pv_ranges_find(&n->code, address);
	if (in)
		return n->method.v[in].name;
	uint32_t function = pv_ranges_find(&n->functions, address);
	return function ? function : pv_ranges_find(&n->symbols, address);
}

/* The image of a class entity. */
static uint32_t image_of(const struct pv_names *n, uint32_t id)
{
	const struct pv_entity *x = &n->entity[PV_ENTITY_CLASS].v[id];
	enum pv_entity_kind kind = x->domain ? PV_ENTITY_ASSEMBLY : PV_ENTITY_IMAGE;
	uint32_t of = pv_names_entity(n, kind, x->domain ? x->domain : x->owner, x->load_ns);
	return of ? n->entity[kind].v[of].name : 0;
}

uint32_t pv_names_class_image(const struct pv_names *n, uint32_t class_use)
{
	uint32_t id = pv_names_class_entity(n, class_use);
	return id ? image_of(n, id) : 0;
}

struct pv_class_said pv_names_class_said(const struct pv_names *n, uint32_t class_use)
{
	const uint64_t nameless = UINT64_C(1) << 62; /* the two highest bits are for such rows */
	uint32_t id = pv_names_class_entity(n, class_use);
	struct pv_class_said said = { .row = nameless | class_use };
	if (id) {
		said.name = n->entity[PV_ENTITY_CLASS].v[id].name;
		said.image = image_of(n, id);
	}
	if (class_use < n->class_use.n && n->class_use.v[class_use].other)
		said.row = nameless; /* one row for all */
	else if (said.name)
		said.row = ((uint64_t)said.image << 32 | said.name) & (nameless - 1);
	return said;
}

uint64_t pv_names_class_row(const struct pv_names *n, uint32_t class_use)
{
	return pv_names_class_said(n, class_use).row;
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
	if (class_use < n->class_use.n && n->class_use.v[class_use].other)
		return "other";
	return name_or_key(n, pv_names_class_name(n, class_use), key, buf);
}

bool pv_names_compiled(const struct pv_names *n, uint32_t method, bool codeless)
{
	const struct pv_method *m = &n->method.v[method];
	if (!m->jits || m->native || (!m->code && !codeless))
		return false;
	if (!m->code || !pv_ranges_find(&n->symbols, m->code))
		return true;
	const char *name = pv_intern_text(&n->text, pv_names_method_name(n, method));
	return strchr(name, ':') && strstr(name, " (");
}
