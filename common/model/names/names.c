/* SPDX-License-Identifier: MIT */
/* Loads, names and ends of classes, images, assemblies, domains and contexts, by key and time. */
#include "common/model/names/names.h"

#include <string.h>

#include "common/base/text/resumption.h"
#include "common/model/names/names_parts.h"

bool pv_names_init(struct pv_names *n)
{
	*n = (struct pv_names){ .class_cap = PV_CLASSES_CAP,
		.entity_cap = PV_ENTITIES_CAP,
		.method_cap = PV_METHODS_CAP,
		.applied_ns = INT64_MIN };
	uint32_t resumed;
	if (!pv_intern_add(&n->text, PV_RESUMED, sizeof PV_RESUMED - 1, &resumed) ||
		!pv_reserve(&n->method, 256) || !pv_reserve(&n->class_use, 256))
		return false;
	n->method.v[n->method.n++] =
		(struct pv_method){ .from_ns = PV_NEVER, .jit_ns = PV_NEVER, .end_ns = PV_NEVER };
	n->class_use.v[n->class_use.n++] = (struct pv_class_use){ 0 };
	for (int kind = 0; kind < PV_ENTITY_KINDS; kind++) {
		if (!pv_reserve(&n->entity[kind], 16))
			return false;
		n->entity[kind].v[n->entity[kind].n++] = (struct pv_entity){ 0 };
	}
	return true;
}

void pv_names_finish(struct pv_names *n)
{
	pv_intern_finish(&n->text);
	for (int kind = 0; kind < PV_ENTITY_KINDS; kind++) {
		pv_array_finish(&n->entity[kind]);
		pv_map_finish(&n->entity_of[kind]);
		pv_map_finish(&n->owned[kind]);
		pv_epochs_finish(&n->key_epochs[kind]);
	}
	for (int kind = 0; kind < PV_ENTITY_KINDS; kind++)
		pv_members_finish(&n->outlived[kind]);
	pv_members_finish(&n->outlived_domain);
	pv_members_finish(&n->outlived_class);
	pv_map_finish(&n->in_domain);
	pv_epochs_finish(&n->method_epochs);
	pv_array_finish(&n->newly_shared);
	pv_map_finish(&n->use_of_entity);
	pv_map_finish(&n->use_unbound);
	pv_map_finish(&n->methods_of);
	pv_map_finish(&n->living);
	pv_array_finish(&n->method);
	pv_map_finish(&n->method_of);
	pv_map_finish(&n->place_of);
	pv_array_finish(&n->class_use);
	pv_map_finish(&n->class_of);
	pv_map_finish(&n->native_of);
	pv_ranges_finish(&n->symbols);
	pv_ranges_finish(&n->functions);
	pv_ranges_finish(&n->code);
}

/* --- things that are loaded and unloaded */

/* An epoch that was only unloaded or used so far precedes all other epochs of its key. */
static struct pv_epoch epoch_of(const struct pv_names *n, enum pv_entity_kind kind, uint32_t id)
{
	int64_t load_ns = n->entity[kind].v[id].load_ns;
	return (struct pv_epoch){ id, load_ns == PV_NEVER ? INT64_MIN : load_ns };
}

/*
 * Adds the epoch of the key that begins at `from`, between `before` and `above` in time; the newest
 * without `above`.
 */
static uint32_t add_entity(struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t from,
	uint32_t before, uint32_t above)
{
	uint32_t id = (uint32_t)n->entity[kind].n;
	const struct pv_epoch it = { id, from };
	if ((before || above) && !pv_epochs_add(&n->key_epochs[kind], key, it,
					 epoch_of(n, kind, before ? before : above)))
		return 0;
	if (!pv_reserve(&n->entity[kind], 1) ||
		(!above && !pv_map_set(&n->entity_of[kind], key, id)))
		return 0;
	n->entity[kind].v[n->entity[kind].n++] = (struct pv_entity){
		.key = key, .load_ns = PV_NEVER, .unload_ns = PV_NEVER, .before = before
	};
	if (above)
		n->entity[kind].v[above].before = id;
	n->epochs += before || above;
	return id;
}

static bool end_entity(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time);
static bool infer_end(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time);

static uint32_t *next_member(struct pv_entity *x, bool domain)
{
	return domain ? &x->next_in_domain : &x->next_owned;
}

static bool add_member(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, bool domain)
{
	struct pv_entity *x = &n->entity[kind].v[id];
	struct pv_map *first = domain ? &n->in_domain : &n->owned[kind];
	uint64_t container = domain ? x->domain : x->owner;
	uint32_t at = pv_map_get(first, container);
	*next_member(x, domain) = at == PV_MAP_NONE ? 0 : at;
	return pv_map_set(first, container, id);
}

/*
 * Ends the members that died with their container; members of a later life of the container stay.
 */
static bool end_members(
	struct pv_names *n, enum pv_entity_kind kind, bool domain, uint64_t key, int64_t time)
{
	struct pv_map *first = domain ? &n->in_domain : &n->owned[kind];
	struct pv_members *outlived = domain ? &n->outlived_domain : &n->outlived[kind];
	uint32_t next, at = pv_map_get(first, key);
	bool ok = true;
	if (at == PV_MAP_NONE)
		return true;
	pv_map_set(first, key, 0); /* the key is present: no growth */
	for (; at && ok; at = next) {
		struct pv_entity *x = &n->entity[kind].v[at];
		next = *next_member(x, domain);
		*next_member(x, domain) = 0;
		if (x->load_ns == PV_NEVER || x->load_ns <= time)
			ok = infer_end(n, kind, at, time);
		else
			ok = pv_members_add(outlived, key, at, x->load_ns);
	}
	while (ok && (at = pv_members_take(outlived, key, time)))
		ok = infer_end(n, kind, at, time);
	return ok;
}

static bool move_member(struct pv_names *n, enum pv_entity_kind kind, const struct pv_entity *x)
{
	uint32_t id = (uint32_t)(x - n->entity[kind].v);
	return pv_members_move(&n->outlived[kind], x->owner, id, x->load_ns) &&
	       (kind != PV_ENTITY_VTABLE ||
		       pv_members_move(&n->outlived_domain, x->domain, id, x->load_ns));
}

static bool relist(
	struct pv_names *n, enum pv_entity_kind kind, struct pv_members *outlived, bool domain)
{
	bool ok = true;
	for (size_t i = 0; ok && outlived->root.slots && i <= outlived->root.mask; i++) {
		uint64_t key = outlived->root.slots[i].key;
		uint32_t id, *next;
		if (outlived->root.slots[i].value == PV_MAP_NONE)
			continue;
		while (ok && (id = pv_members_take(outlived, key, INT64_MAX))) {
			struct pv_map *first = domain ? &n->in_domain : &n->owned[kind];
			next = next_member(&n->entity[kind].v[id], domain);
			uint32_t listed = pv_map_get(first, key);
			*next = listed == PV_MAP_NONE ? 0 : listed;
			ok = pv_map_set(first, key, id);
		}
	}
	return ok;
}

bool pv_names_relist(struct pv_names *n)
{
	bool ok = relist(n, PV_ENTITY_VTABLE, &n->outlived_domain, true);
	for (enum pv_entity_kind kind = 0; kind < PV_ENTITY_KINDS; kind++)
		ok = ok && relist(n, kind, &n->outlived[kind], false);
	return ok && pv_names_relist_methods(n);
}

static bool end_parts(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time)
{
	uint64_t key = n->entity[kind].v[id].key, owner = n->entity[kind].v[id].owner;
	if (kind == PV_ENTITY_DOMAIN)
		return end_members(n, PV_ENTITY_VTABLE, true, key, time) &&
		       end_members(n, PV_ENTITY_CONTEXT, false, key, time);
	if (kind == PV_ENTITY_IMAGE)
		return end_members(n, PV_ENTITY_CLASS, false, key, time);
	if (kind == PV_ENTITY_CLASS)
		return end_members(n, PV_ENTITY_VTABLE, false, key, time);
	if (kind != PV_ENTITY_ASSEMBLY || !owner)
		return true;
	uint32_t image = pv_names_newest(n, PV_ENTITY_IMAGE, owner);
	if (image && n->entity[PV_ENTITY_IMAGE].v[image].load_ns <= time)
		return infer_end(n, PV_ENTITY_IMAGE, image, time);
	return true;
}

static bool end_entity(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time)
{
	struct pv_entity *x = &n->entity[kind].v[id];
	if (x->unload_ns != PV_NEVER)
		return true;
	x->unload_ns = time;
	if (pv_names_are_classes(n, kind))
		pv_names_uses_ended(n, x->key, id, time);
	bool ok = kind != PV_ENTITY_CLASS || pv_names_class_unloaded(n, x->name, time);
	return end_parts(n, kind, id, time) && ok;
}

/* Ends an entity with its container, unless it had ended before. */
static bool infer_end(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time)
{
	struct pv_entity *x = &n->entity[kind].v[id];
	x->inferred |= x->unload_ns == PV_NEVER;
	return end_entity(n, kind, id, time);
}

/* A load without a container may be a repeated load; a domain's key can be 0. */
static bool same_thing(const struct pv_entity *x, const struct pv_entity *said)
{
	if (x->name && said->name && x->name != said->name)
		return false;
	return (x->owner == said->owner || !x->owner || !said->owner) && x->domain == said->domain;
}

/*
 * True if a load event is about this entity. A further meaning of a key begins an epoch, placed by
 * its time.
 */
static bool is_it(const struct pv_entity *x, const struct pv_entity *said)
{
	bool first = x->load_ns == PV_NEVER && !x->name; /* only unloaded or used so far */
	return said->load_ns <= x->unload_ns && (first || same_thing(x, said));
}

static uint32_t loaded(struct pv_names *n, enum pv_entity_kind kind, const struct pv_entity *said)
{
	uint32_t at, next = 0;
	const struct pv_entity *v = n->entity[kind].v;
	if (!pv_epochs_around(&n->key_epochs[kind], said->key, said->load_ns, &at, &next)) {
		at = pv_names_newest(n, kind, said->key);
		bool later = at && v[at].load_ns != PV_NEVER && v[at].load_ns > said->load_ns &&
			     said->load_ns <= v[at].unload_ns;
		next = later ? at : 0;
		at = later ? 0 : at;
	}
	if (next && is_it(&v[next], said))
		return next;
	if (at && is_it(&v[at], said))
		return at;
	if (at && !end_entity(n, kind, at, said->load_ns))
		return 0;
	return add_entity(n, kind, said->key, said->load_ns, at, next);
}

/* Stores new facts about an epoch. */
static bool define_epoch(
	struct pv_names *n, enum pv_entity_kind kind, uint32_t id, const struct pv_entity *said)
{
	struct pv_entity *x = &n->entity[kind].v[id];
	bool named = !x->name && said->name, placed = x->load_ns == PV_NEVER;
	if (placed || said->load_ns < x->load_ns) {
		x->load_ns = said->load_ns;
		if (!placed && !move_member(n, kind, x))
			return false;
	}
	if (!pv_epochs_move(&n->key_epochs[kind], x->key, epoch_of(n, kind, id)))
		return false;
	x->name = said->name ? said->name : x->name;
	x->extra = said->extra ? said->extra : x->extra;
	x->owner = said->owner ? said->owner : x->owner;
	x->domain = said->domain;
	x->failed = said->failed;
	bool ok = !placed || add_member(n, kind, id, false);
	if (placed && kind == PV_ENTITY_VTABLE)
		ok &= add_member(n, kind, id, true);
	if (named && kind == PV_ENTITY_CLASS)
		ok &= pv_names_class_loaded(n, said->name);
	return ok && (!pv_names_are_classes(n, kind) || pv_names_uses_defined(n, said->key, id));
}

/*
 * Class names are the memory that grows in a program with ever new classes. Beyond the cap only
 * classes that known entities ask for are defined: a used vtable, the class of a vtable; and a
 * known class keeps its one name.
 */
static bool has_place(const struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	uint64_t key = e->meta.key;
	uint32_t id = pv_names_newest(n, kind, key);
	if (n->entity[kind].n < n->entity_cap)
		return true;
	if (id) {
		const struct pv_entity *x = &n->entity[kind].v[id];
		size_t len = e->meta.name.at ? e->meta.name.len : 0;
		return x->unload_ns == PV_NEVER &&
		       (!x->name || !len || pv_intern_is(&n->text, x->name, e->meta.name.at, len));
	}
	if (kind == PV_ENTITY_CLASS && pv_map_get(&n->owned[PV_ENTITY_VTABLE], key) != PV_MAP_NONE)
		return true;
	return pv_names_are_classes(n, kind) && pv_map_get(&n->class_of, key) != PV_MAP_NONE;
}

/* Leaves a definition out, but ends the key's earlier meaning. */
static bool leave_out_entity(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	uint32_t id = pv_names_newest(n, kind, e->meta.key);
	n->undefined++;
	return !id || n->entity[kind].v[id].load_ns > (int64_t)e->time ||
	       end_entity(n, kind, id, (int64_t)e->time);
}

static bool load_entity(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	if (!has_place(n, kind, e))
		return leave_out_entity(n, kind, e);
	struct pv_entity said = { .key = e->meta.key, .load_ns = (int64_t)e->time };
	if (e->meta.name.at && !pv_names_intern(n, &e->meta.name, &said.name))
		return false;
	if (e->meta.mvid.at &&
		!pv_intern_add(&n->text, e->meta.mvid.at, e->meta.mvid.len, &said.extra))
		return false;
	if (kind == PV_ENTITY_CLASS || kind == PV_ENTITY_ASSEMBLY)
		said.owner = e->meta.image;
	else if (kind == PV_ENTITY_VTABLE)
		said.owner = e->meta.owner;
	else if (kind == PV_ENTITY_CONTEXT)
		said.owner = e->meta.domain;
	if (kind == PV_ENTITY_VTABLE)
		said.domain = e->meta.domain;
	else if (kind == PV_ENTITY_CLASS)
		said.domain = e->meta.owner;
	said.failed = e->meta.failed != 0;
	uint32_t id = loaded(n, kind, &said);
	return id && define_epoch(n, kind, id, &said);
}

/* A name without a load: for the newest epoch that has not ended, or the first event of the key. */
static bool name(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	uint32_t text, id = pv_names_newest(n, kind, e->meta.key);
	if (!id && n->entity[kind].n >= n->entity_cap) {
		n->undefined++;
		return true;
	}
	if (!pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &text))
		return false;
	if (!id)
		id = add_entity(n, kind, e->meta.key, INT64_MIN, 0, 0);
	if (!id)
		return false;
	n->entity[kind].v[id].name = text;
	return true;
}

static bool unload(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	n->unloads++;
	int64_t time = (int64_t)e->time;
	uint32_t text = 0, id = pv_names_begun(n, kind, e->meta.key, time);
	if (!id && n->entity[kind].n >= n->entity_cap) {
		n->undefined++;
		return true;
	}
	if (!id) {
		id = add_entity(n, kind, e->meta.key, INT64_MIN, 0, 0);
		if (id && pv_names_are_classes(n, kind) &&
			!pv_names_uses_defined(n, e->meta.key, id))
			return false;
	}
	if (!id)
		return false;
	if (e->meta.name.at && !pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &text))
		return false;
	struct pv_entity *x = &n->entity[kind].v[id];
	if (!x->name && text) {
		x->name = text;
		if (kind == PV_ENTITY_CLASS && !pv_names_class_loaded(n, text))
			return false;
	}
	if (x->inferred)
		x->unload_ns = time; /* the entity's own end is reported after its container's */
	x->inferred = false;
	return end_entity(n, kind, id, time);
}

static bool symbol(struct pv_names *n, const struct pv_event *e)
{
	uint32_t text;
	if (!pv_names_intern(n, &e->symbol.name, &text))
		return false;
	return text == 0 || pv_ranges_add(&n->symbols, e->symbol.address, e->symbol.size, text);
}

static bool apply(struct pv_names *n, const struct pv_event *e)
{
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
		return pv_names_describe(n, e);
	case PV_KIND_EXT_PLACE:
		return pv_names_place(n, e);
	case PV_KIND_METHOD_JIT_START: /* with the name in OpenPSS's logs only */
		return !e->jit.name.at ||
		       pv_names_name_method(n, e->jit.method, &e->jit.name, (int64_t)e->time);
	case PV_KIND_METHOD_NAME:
		return pv_names_name_method(n, e->meta.key, &e->meta.name, (int64_t)e->time);
	case PV_KIND_METHOD_FREE:
		pv_names_free_method(n, e);
		return true;
	case PV_KIND_SAMPLE_SYMBOL:
		return symbol(n, e);
	case PV_KIND_CLASS_NAME:
	case PV_KIND_CLASS_LOAD:
		return load_entity(n, PV_ENTITY_CLASS, e);
	case PV_KIND_VTABLE_LOAD:
		return load_entity(n, PV_ENTITY_VTABLE, e);
	case PV_KIND_IMAGE_LOAD:
		return load_entity(n, PV_ENTITY_IMAGE, e);
	case PV_KIND_ASSEMBLY_LOAD:
		return load_entity(n, PV_ENTITY_ASSEMBLY, e);
	case PV_KIND_DOMAIN_LOAD:
		return load_entity(n, PV_ENTITY_DOMAIN, e);
	case PV_KIND_CONTEXT_LOAD:
		return load_entity(n, PV_ENTITY_CONTEXT, e);
	case PV_KIND_DOMAIN_NAME:
		return name(n, PV_ENTITY_DOMAIN, e);
	case PV_KIND_CLASS_UNLOAD:
		return unload(n, PV_ENTITY_CLASS, e);
	case PV_KIND_IMAGE_UNLOAD:
		return unload(n, PV_ENTITY_IMAGE, e);
	case PV_KIND_ASSEMBLY_UNLOAD:
		return unload(n, PV_ENTITY_ASSEMBLY, e);
	case PV_KIND_DOMAIN_UNLOAD:
		return unload(n, PV_ENTITY_DOMAIN, e);
	case PV_KIND_CONTEXT_UNLOAD:
		return unload(n, PV_ENTITY_CONTEXT, e);
	default:
		return true;
	}
}

bool pv_names_apply(struct pv_names *n, const struct pv_event *e, bool *ret_shared)
{
	n->newly_shared.n = 0;
	n->all_shared = false;
	n->changes++;
	bool ok = apply(n, e);
	*ret_shared = n->newly_shared.n > 0 || n->all_shared;
	return ok;
}
