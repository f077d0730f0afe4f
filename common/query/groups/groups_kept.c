/* SPDX-License-Identifier: MIT */
/* Makes groupings of methods and classes only by name, in parts, for the cache. */
#include "common/query/groups/groups_kept.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/model/model.h"

static const char *const zero_name[PV_GROUPED_KINDS] = {
	[PV_GROUPED_METHODS] = "(other)", [PV_GROUPED_CLASSES] = "(class not recorded)"
};

/* Without vtables, classes are looked up by the time of their use. */
static bool rest_on_times(const struct pv_names *n)
{
	return n->classes_by_vtable && n->entity[PV_ENTITY_VTABLE].n == 1 && n->class_use.n > 1;
}

static struct pv_groups_key groups_key(const struct pv_model *m, enum pv_grouped kind)
{
	return (struct pv_groups_key){ .model = m->id,
		.changes = m->names.changes,
		.generation = rest_on_times(&m->names) ? pv_model_generation(m) : 0,
		.kind = kind,
		.in = "" };
}

/* A valid grouping with a reference for the caller; NULL: none. */
static struct pv_groups_shared *known_groups(
	struct pv_groups_cache *c, const struct pv_model *m, enum pv_grouped kind)
{
	const struct pv_groups_key key = groups_key(m, kind);
	return pv_groups_cache_find(c, &key);
}

/* --- making groupings */

struct making {
	struct pv_groups_shared *to;
	PV_ARRAY(uint32_t) of;    /* by id, so far */
	PV_ARRAY(uint32_t) first; /* by name: the first group; 0: none */
	struct pv_map further;    /* row id -> group, for further groups of a name */
	uint32_t other;           /* the group of classes beyond the model's limit */
};

static bool put_group_row(struct making *k, const struct pv_group_row *row, uint32_t *ret_group)
{
	if (!pv_reserve(&k->to->g.row, 1))
		return false;
	*ret_group = (uint32_t)k->to->g.row.n;
	k->to->g.row.v[k->to->g.row.n++] = *row;
	return true;
}

static bool start_groups(struct making *k, enum pv_grouped kind)
{
	const struct pv_group_row zero = { .id = PV_ROW_NONE, .name = zero_name[kind] };
	uint32_t none;
	*k = (struct making){ .to = pv_groups_shared_create() };
	if (!k->to || !pv_reserve(&k->of, 1) || !put_group_row(k, &zero, &none))
		return false;
	k->of.v[k->of.n++] = none;
	return true;
}

/* The finished grouping; NULL: failed. */
static struct pv_groups_shared *finish_groups(struct making *k, bool ok)
{
	pv_array_finish(&k->first);
	pv_map_finish(&k->further);
	if (ok) {
		k->to->g.of = k->of.v;
		k->to->g.of_n = k->of.n;
		k->to->by_name = true;
		return k->to;
	}
	pv_array_finish(&k->of);
	pv_groups_shared_give_back(k->to);
	return NULL;
}

/* The group of a row with a name, made when new. */
static bool put_named(struct making *k, const struct pv_names *n, uint32_t name,
	struct pv_group_row *row, uint32_t *ret_group)
{
	if (name >= k->first.n) {
		if (!pv_reserve(&k->first, n->text.text.n - k->first.n))
			return false;
		while (k->first.n < n->text.text.n)
			k->first.v[k->first.n++] = 0;
	}
	uint32_t first = k->first.v[name];
	*ret_group = first;
	if (first && k->to->g.row.v[first].id == row->id)
		return true;
	if (first && (*ret_group = pv_map_get(&k->further, row->id)) != PV_MAP_NONE)
		return true;
	row->name = pv_intern_text(&n->text, name);
	if (!put_group_row(k, row, ret_group))
		return false;
	if (first)
		return pv_map_set(&k->further, row->id, *ret_group);
	k->first.v[name] = *ret_group;
	return true;
}

static bool add_method(struct making *k, const struct pv_names *n, uint32_t id, uint32_t *ret_group)
{
	uint32_t name = pv_names_method_name(n, id);
	struct pv_group_row row = { .id = name ? name : PV_ROW_NAMELESS | id,
		.key = n->method.v[id].key };
	if (name)
		return put_named(k, n, name, &row, ret_group);
	k->to->nameless += !n->method.v[id].native;
	return put_group_row(k, &row, ret_group);
}

static bool add_class(struct making *k, const struct pv_names *n, uint32_t id, uint32_t *ret_group)
{
	const struct pv_class_use *use = &n->class_use.v[id];
	const struct pv_class_said said = pv_names_class_said(n, id);
	struct pv_group_row row = { .id = said.row, .key = use->key };
	if (said.image)
		row.image = pv_intern_text(&n->text, said.image);
	if (said.name)
		return put_named(k, n, said.name, &row, ret_group);
	k->to->nameless += !use->other;
	if (!use->other)
		return put_group_row(k, &row, ret_group);
	*ret_group = k->other;
	row.name = "(other)";
	if (k->other)
		return true;
	bool ok = put_group_row(k, &row, ret_group);
	k->other = *ret_group;
	return ok;
}

/* Groups at most `most` further ids. False when out of memory. */
static bool add_more_ids(
	struct making *k, const struct pv_names *n, enum pv_grouped kind, size_t most)
{
	size_t all = kind == PV_GROUPED_METHODS ? n->method.n : n->class_use.n;
	if (!pv_reserve(&k->of, all - k->of.n))
		return false;
	for (; k->of.n < all && most; k->of.n++, most--) {
		uint32_t id = (uint32_t)k->of.n, *group = &k->of.v[id];
		if (!(kind == PV_GROUPED_METHODS ? add_method : add_class)(k, n, id, group))
			return false;
	}
	return true;
}

static bool all_done(const struct making k[PV_GROUPED_KINDS], const struct pv_names *n)
{
	return k[PV_GROUPED_METHODS].of.n == n->method.n &&
	       k[PV_GROUPED_CLASSES].of.n == n->class_use.n;
}

/* Releases the lock for a moment: waiting threads come first. */
static void let_others(struct pv_model *m)
{
	pv_model_unlock(m);
	pv_model_lock(m);
}

/* With one reference each. False when out of memory: then all are NULL. */
static bool make_groups(
	struct pv_model *m, bool in_parts, struct pv_groups_shared *ret[PV_GROUPED_KINDS])
{
	enum { PART = 8192 }; /* ids, some 100 ns each */
	struct making k[PV_GROUPED_KINDS];
	uint64_t changes = m->names.changes;
	bool ok = true;
	for (int i = 0; i < PV_GROUPED_KINDS; i++)
		ok &= start_groups(&k[i], (enum pv_grouped)i);
	while (ok && !all_done(k, &m->names)) {
		for (int i = 0; ok && i < PV_GROUPED_KINDS; i++)
			ok = add_more_ids(&k[i], &m->names, (enum pv_grouped)i, PART);
		if (in_parts && ok && !all_done(k, &m->names))
			let_others(m);
	}
	for (int i = 0; i < PV_GROUPED_KINDS; i++) {
		ret[i] = finish_groups(&k[i], ok);
		if (ret[i])
			ret[i]->mixed = changes != m->names.changes;
	}
	return ok;
}

static bool make_and_keep(struct pv_groups_cache *c, struct pv_model *m, bool in_parts,
	struct pv_groups_shared *ret[PV_GROUPED_KINDS])
{
	bool ok = make_groups(m, in_parts, ret);
	for (int i = 0; ok && i < PV_GROUPED_KINDS; i++) {
		const struct pv_groups_key key = groups_key(m, (enum pv_grouped)i);
		pv_groups_cache_keep(c, &key, ret[i]);
	}
	return ok;
}

static void give_back(struct pv_groups_shared *of[PV_GROUPED_KINDS])
{
	for (int i = 0; i < PV_GROUPED_KINDS; i++)
		pv_groups_shared_give_back(of[i]);
}

void pv_groups_prepare(struct pv_groups_cache *c, struct pv_model *m)
{
	struct pv_groups_shared *of[PV_GROUPED_KINDS];
	bool good = c != NULL;
	for (int i = 0; i < PV_GROUPED_KINDS; i++) {
		of[i] = known_groups(c, m, (enum pv_grouped)i);
		good = good && of[i] && !of[i]->mixed;
	}
	give_back(of);
	if (c && !good && make_and_keep(c, m, true, of))
		give_back(of);
}

bool pv_groups_borrow(
	struct pv_groups_cache *c, struct pv_model *m, enum pv_grouped kind, struct pv_groups *ret)
{
	struct pv_groups_shared *s = known_groups(c, m, kind), *of[PV_GROUPED_KINDS];
	*ret = (struct pv_groups){ 0 };
	if (!s && make_and_keep(c, m, false, of)) {
		s = of[kind];
		pv_groups_shared_take(s);
		give_back(of);
	}
	if (!s)
		return false;
	*ret = s->g;
	ret->shared = s;
	return true;
}

void pv_groups_nameless(
	struct pv_groups_cache *c, const struct pv_model *m, uint64_t ret[PV_GROUPED_KINDS])
{
	const struct pv_names *n = &m->names;
	struct pv_groups_shared *of[PV_GROUPED_KINDS];
	bool good = true;
	for (int i = 0; i < PV_GROUPED_KINDS; i++) {
		of[i] = known_groups(c, m, (enum pv_grouped)i);
		good = good && of[i];
		ret[i] = of[i] ? of[i]->nameless : 0;
	}
	give_back(of);
	if (good)
		return;
	ret[PV_GROUPED_METHODS] = ret[PV_GROUPED_CLASSES] = 0;
	for (uint32_t i = 1; i < n->method.n; i++)
		ret[PV_GROUPED_METHODS] += !n->method.v[i].native && !pv_names_method_name(n, i);
	for (uint32_t i = 1; i < n->class_use.n; i++)
		ret[PV_GROUPED_CLASSES] += !n->class_use.v[i].other && !pv_names_class_name(n, i);
}
