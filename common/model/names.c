#include "common/model/names.h"

#include <inttypes.h>
#include <stdio.h>

/* A method's code can be this long; longer sizes are garbage from after an unload. */
enum { MAX_CODE = 64 << 20 };

bool pv_names_init(struct pv_names *n)
{
	*n = (struct pv_names){ .class_cap = PV_CLASSES_CAP, .method_cap = PV_METHODS_CAP };
	if (!pv_reserve(&n->method, 256) || !pv_reserve(&n->class_use, 256))
		return false;
	n->method.v[n->method.n++] = (struct pv_method){ .jit_ns = PV_NEVER };
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
	}
	pv_array_finish(&n->method);
	pv_map_finish(&n->method_of);
	pv_array_finish(&n->class_use);
	pv_map_finish(&n->class_of);
	pv_map_finish(&n->native_of);
	pv_ranges_finish(&n->symbols);
	pv_ranges_finish(&n->code);
}

/* --- methods */

static uint32_t add_method(struct pv_names *n, uint64_t key, uint32_t before)
{
	uint32_t id = (uint32_t)n->method.n;
	if (!pv_reserve(&n->method, 1) || !pv_map_set(&n->method_of, key, id))
		return 0;
	n->method.v[n->method.n++] =
		(struct pv_method){ .key = key, .jit_ns = PV_NEVER, .before = before };
	return id;
}

/* Too many methods: whatever comes now is one method. */
static uint32_t other_method(struct pv_names *n)
{
	n->folded_uses++;
	if (n->other_method)
		return n->other_method;
	struct pv_method x = { .jit_ns = PV_NEVER };
	if (!pv_intern_add(&n->text, "other", 5, &x.name) || !pv_reserve(&n->method, 1))
		return 0;
	n->other_method = (uint32_t)n->method.n;
	n->method.v[n->method.n++] = x;
	return n->other_method;
}

uint32_t pv_names_method(struct pv_names *n, uint64_t key)
{
	uint32_t id = pv_map_get(&n->method_of, key);
	if (id != PV_MAP_NONE)
		return id;
	return n->method.n >= n->method_cap ? other_method(n) : add_method(n, key, 0);
}

uint32_t pv_names_ip(struct pv_names *n, uint64_t address)
{
	uint32_t id = pv_ranges_find(&n->code, address);
	if (id)
		return id;
	id = pv_map_get(&n->native_of, address);
	if (id != PV_MAP_NONE)
		return id;
	if (n->native_of.n >= PV_NATIVE_CAP)
		return 0;
	id = (uint32_t)n->method.n;
	if (!pv_reserve(&n->method, 1) || !pv_map_set(&n->native_of, address, id))
		return 0;
	n->method.v[n->method.n++] =
		(struct pv_method){ .key = address, .jit_ns = PV_NEVER, .native = true };
	return id;
}

/* Another name begins a new epoch of the key. 0: out of memory. */
static uint32_t name_method(
	struct pv_names *n, uint64_t key, const struct pv_text *t, uint32_t *ret_renamed)
{
	uint32_t name;
	uint32_t id = pv_names_method(n, key);
	if (!id || !pv_intern_add(&n->text, t->at, t->len, &name))
		return 0;
	if (id == n->other_method || !name)
		return id;
	if (n->method.v[id].name && n->method.v[id].name != name) {
		uint32_t old = id;
		id = add_method(n, key, old);
		if (!id)
			return 0;
		n->epochs++;
		*ret_renamed = old;
	}
	n->method.v[id].name = name;
	return id;
}

static bool describe_method(struct pv_names *n, const struct pv_event *e, uint32_t *ret_renamed)
{
	uint32_t id = name_method(n, e->jit.method, &e->jit.name, ret_renamed);
	if (!id || id == n->other_method)
		return id != 0;
	struct pv_method *m = &n->method.v[id];
	m->jits++;
	if (m->jit_ns == PV_NEVER)
		m->jit_ns = (int64_t)e->time;
	if (!e->jit.code)
		return true;
	m->code = e->jit.code;
	m->code_size = e->jit.size <= MAX_CODE ? e->jit.size : 0;
	return m->code_size == 0 || pv_ranges_add(&n->code, m->code, m->code_size, id);
}

/* --- things that are loaded and unloaded */

static uint32_t newest(const struct pv_names *n, enum pv_entity_kind kind, uint64_t key)
{
	uint32_t id = pv_map_get(&n->entity_of[kind], key);
	return id == PV_MAP_NONE ? 0 : id;
}

static uint32_t add_entity(struct pv_names *n, enum pv_entity_kind kind, uint64_t key)
{
	uint32_t before = newest(n, kind, key);
	uint32_t id = (uint32_t)n->entity[kind].n;
	if (!pv_reserve(&n->entity[kind], 1) || !pv_map_set(&n->entity_of[kind], key, id))
		return 0;
	n->entity[kind].v[n->entity[kind].n++] = (struct pv_entity){
		.key = key, .load_ns = PV_NEVER, .unload_ns = PV_NEVER, .before = before
	};
	n->epochs += before != 0;
	return id;
}

static bool names_classes(const struct pv_names *n, enum pv_entity_kind kind)
{
	return kind == (n->classes_by_vtable ? PV_ENTITY_VTABLE : PV_ENTITY_CLASS);
}

/* Later uses of the key get an id of their own. */
static void end_class_use(struct pv_names *n, uint64_t key)
{
	uint32_t use = pv_map_get(&n->class_of, key);
	if (use != PV_MAP_NONE)
		n->class_use.v[use].ended = true;
}

static void end_entity(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time);

/* Ends what died with its container: of `kind`, where member `owner` or `domain` is the key. */
static void end_members(
	struct pv_names *n, enum pv_entity_kind kind, bool domain, uint64_t key, int64_t time)
{
	for (uint32_t i = 1; i < n->entity[kind].n; i++) {
		const struct pv_entity *x = &n->entity[kind].v[i];
		if (x->unload_ns == PV_NEVER && (domain ? x->domain : x->owner) == key &&
			(x->load_ns == PV_NEVER || x->load_ns <= time))
			end_entity(n, kind, i, time);
	}
}

static void end_entity(struct pv_names *n, enum pv_entity_kind kind, uint32_t id, int64_t time)
{
	struct pv_entity *x = &n->entity[kind].v[id];
	if (x->unload_ns != PV_NEVER)
		return;
	x->unload_ns = time;
	if (names_classes(n, kind) && newest(n, kind, x->key) == id)
		end_class_use(n, x->key);
	if (kind == PV_ENTITY_DOMAIN) {
		end_members(n, PV_ENTITY_VTABLE, true, x->key, time);
		end_members(n, PV_ENTITY_CONTEXT, false, x->key, time);
	} else if (kind == PV_ENTITY_IMAGE) {
		end_members(n, PV_ENTITY_CLASS, false, x->key, time);
	} else if (kind == PV_ENTITY_CLASS) {
		end_members(n, PV_ENTITY_VTABLE, false, x->key, time);
	} else if (kind == PV_ENTITY_ASSEMBLY && x->owner) {
		uint32_t image = newest(n, PV_ENTITY_IMAGE, x->owner);
		if (image && n->entity[PV_ENTITY_IMAGE].v[image].load_ns <= time)
			end_entity(n, PV_ENTITY_IMAGE, image, time);
	}
}

static bool same_thing(const struct pv_entity *x, const struct pv_entity *said)
{
	if (x->name && said->name && x->name != said->name)
		return false;
	return x->owner == said->owner && x->domain == said->domain;
}

/* The entity a load or name event speaks of; a second meaning of a key begins an epoch. */
static uint32_t loaded(struct pv_names *n, enum pv_entity_kind kind, const struct pv_entity *said)
{
	uint32_t id = newest(n, kind, said->key);
	if (!id)
		return add_entity(n, kind, said->key);
	const struct pv_entity *x = &n->entity[kind].v[id];
	bool first = x->load_ns == PV_NEVER && !x->name; /* only unloaded or used so far */
	if (x->unload_ns == PV_NEVER && (first || same_thing(x, said)))
		return id;
	if (x->unload_ns != PV_NEVER && said->load_ns <= x->unload_ns && same_thing(x, said))
		return id; /* the load came behind its unload */
	end_entity(n, kind, id, said->load_ns);
	return add_entity(n, kind, said->key);
}

/* The class use of this key that has no definition yet takes the first one. */
static void bind_class_use(struct pv_names *n, uint64_t key, uint32_t entity)
{
	uint32_t use = pv_map_get(&n->class_of, key);
	if (use != PV_MAP_NONE && n->class_use.v[use].entity == 0 &&
		n->class_use.v[use].by_vtable == n->classes_by_vtable)
		n->class_use.v[use].entity = entity;
}

static bool load(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	struct pv_entity said = { .key = e->meta.key, .load_ns = (int64_t)e->time };
	if (e->meta.name.at &&
		!pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &said.name))
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
	uint32_t id = loaded(n, kind, &said);
	if (!id)
		return false;
	struct pv_entity *x = &n->entity[kind].v[id];
	if (x->load_ns == PV_NEVER || said.load_ns < x->load_ns)
		x->load_ns = said.load_ns;
	x->name = said.name ? said.name : x->name;
	x->extra = said.extra ? said.extra : x->extra;
	x->owner = said.owner;
	x->domain = said.domain;
	x->failed = e->meta.failed != 0;
	if (names_classes(n, kind))
		bind_class_use(n, said.key, id);
	return true;
}

/* A name without a load: of the newest epoch that has not ended, or the first word of the key. */
static bool name(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	uint32_t text, id = newest(n, kind, e->meta.key);
	if (!pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &text))
		return false;
	if (!id)
		id = add_entity(n, kind, e->meta.key);
	if (!id)
		return false;
	n->entity[kind].v[id].name = text;
	return true;
}

static bool unload(struct pv_names *n, enum pv_entity_kind kind, const struct pv_event *e)
{
	n->unloads++;
	uint32_t id = newest(n, kind, e->meta.key);
	if (!id)
		id = add_entity(n, kind, e->meta.key);
	if (!id)
		return false;
	uint32_t text = 0;
	if (e->meta.name.at && !pv_intern_add(&n->text, e->meta.name.at, e->meta.name.len, &text))
		return false;
	if (!n->entity[kind].v[id].name)
		n->entity[kind].v[id].name = text;
	end_entity(n, kind, id, (int64_t)e->time);
	return true;
}

static bool symbol(struct pv_names *n, const struct pv_event *e)
{
	uint32_t text;
	if (!pv_intern_add(&n->text, e->symbol.name.at, e->symbol.name.len, &text))
		return false;
	return text == 0 || pv_ranges_add(&n->symbols, e->symbol.address, e->symbol.size, text);
}

bool pv_names_apply(struct pv_names *n, const struct pv_event *e, uint32_t *ret_renamed)
{
	*ret_renamed = 0;
	switch (e->kind) {
	case PV_KIND_METHOD_JIT:
		return describe_method(n, e, ret_renamed);
	case PV_KIND_METHOD_JIT_START: /* with the name in OpenPSS's logs alone */
		return !e->jit.name.at ||
			name_method(n, e->jit.method, &e->jit.name, ret_renamed) != 0;
	case PV_KIND_METHOD_NAME:
		return name_method(n, e->meta.key, &e->meta.name, ret_renamed) != 0;
	case PV_KIND_SAMPLE_SYMBOL:
		return symbol(n, e);
	case PV_KIND_CLASS_NAME:
	case PV_KIND_CLASS_LOAD:
		return load(n, PV_ENTITY_CLASS, e);
	case PV_KIND_VTABLE_LOAD:
		return load(n, PV_ENTITY_VTABLE, e);
	case PV_KIND_IMAGE_LOAD:
		return load(n, PV_ENTITY_IMAGE, e);
	case PV_KIND_ASSEMBLY_LOAD:
		return load(n, PV_ENTITY_ASSEMBLY, e);
	case PV_KIND_DOMAIN_LOAD:
		return load(n, PV_ENTITY_DOMAIN, e);
	case PV_KIND_CONTEXT_LOAD:
		return load(n, PV_ENTITY_CONTEXT, e);
	case PV_KIND_DOMAIN_NAME:
		return name(n, PV_ENTITY_DOMAIN, e);
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
