/* SPDX-License-Identifier: MIT */
/* Tests single names against the terms of a filter. */
#include "common/query/groups/name_filter.h"

#include <string.h>

#include "common/base/seed.h"
#include "common/model/model.h"
#include "common/query/groups/readable.h"

static uint64_t place_name_hash(const char *name)
{
	uint64_t h = 1;
	for (; *name; name++)
		h = pv_hash_part(h, (unsigned char)*name);
	return h;
}

bool pv_name_places_wanted(const struct pv_filter *f)
{
	return pv_filter_bits_of(f, PV_FILTER_ASSEMBLY) || pv_filter_bits_of(f, PV_FILTER_MODULE);
}

static bool add_name_place(
	struct pv_name_places *p, const char *name, struct pv_slice assembly, struct pv_slice image)
{
	if (!name[0] || (!assembly.len && !image.len))
		return true;
	if (!pv_reserve(&p->of, 1) || !pv_map_set(&p->at, place_name_hash(name), (uint32_t)p->of.n))
		return false;
	p->of.v[p->of.n++] = (struct pv_name_place){ assembly, image };
	return true;
}

bool pv_name_places_make(struct pv_name_places *p, const struct pv_model *m)
{
	const struct pv_names *n = &m->names;
	struct pv_membership x;
	bool ok = pv_membership_init(&x, m);
	for (uint32_t i = 1; ok && i < n->class_use.n; i++)
		ok = add_name_place(p, pv_intern_text(&n->text, pv_names_class_name(n, i)),
			pv_membership_class(&x, i, PV_BY_ASSEMBLY),
			pv_membership_class(&x, i, PV_BY_IMAGE));
	for (uint32_t i = 1; ok && i < n->method.n; i++)
		ok = add_name_place(p, pv_intern_text(&n->text, pv_names_method_name(n, i)),
			pv_membership_method(&x, i, PV_BY_ASSEMBLY),
			pv_membership_method(&x, i, PV_BY_IMAGE));
	pv_membership_finish(&x);
	return ok;
}

void pv_name_places_finish(struct pv_name_places *p)
{
	pv_map_finish(&p->at);
	pv_array_finish(&p->of);
}

static bool slice_has(const struct pv_filter_leaf *leaf, struct pv_slice s)
{
	return s.len && pv_filter_text_has(leaf, s.at, s.len);
}

static bool place_has(
	const struct pv_filter_leaf *leaf, const char *name, const struct pv_name_places *places)
{
	uint32_t at = places ? pv_map_get(&places->at, place_name_hash(name)) : PV_MAP_NONE;
	if (at == PV_MAP_NONE)
		return false;
	const struct pv_name_place *p = &places->of.v[at];
	return slice_has(leaf, leaf->field == PV_FILTER_MODULE ? p->image : p->assembly);
}

static bool name_has(
	const struct pv_filter_leaf *leaf, const struct pv_column *column, const char *name)
{
	char room[PV_READABLE_MAX];
	if (pv_filter_text_has(leaf, name, strlen(name)))
		return true;
	if (!pv_column_has_names(column))
		return false;
	const char *text = pv_readable_text(column, name, PV_NAME_READABLE, room);
	return text != name && pv_filter_text_has(leaf, text, strlen(text));
}

bool pv_name_holds(const struct pv_filter_leaf *leaf, const struct pv_column *column,
	const char *name, const struct pv_name_places *places)
{
	bool class = column->flags & PV_COLUMN_CLASS, method = column->flags & PV_COLUMN_METHOD;
	method = method || column->unit == PV_UNIT_LIST;
	if (leaf->what == PV_FILTER_COMPARES)
		return false;
	switch (leaf->field) {
	case PV_FILTER_ANY:
	case PV_FILTER_STACK:
	case PV_FILTER_SITE:
		return name_has(leaf, column, name);
	case PV_FILTER_METHOD:
		return method && name_has(leaf, column, name);
	case PV_FILTER_CLASS:
		return class ? name_has(leaf, column, name)
			     : method && slice_has(leaf, pv_membership_class_in(name));
	case PV_FILTER_NAMESPACE:
		return (class || method) &&
		       slice_has(leaf, pv_membership_namespace_in(name, method));
	case PV_FILTER_ASSEMBLY:
	case PV_FILTER_MODULE:
		return (class || method) && place_has(leaf, name, places);
	default:
		return false;
	}
}

uint64_t pv_name_bits(const struct pv_filter *f, const struct pv_column *column, const char *name,
	const char *kind, const struct pv_name_places *places)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < pv_filter_leaves(f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(f, i);
		bool is = leaf->field == PV_FILTER_KIND
				  ? kind && pv_filter_text_has(leaf, kind, strlen(kind))
				  : pv_name_holds(leaf, column, name, places);
		bits |= (uint64_t)is << i;
	}
	return bits;
}

uint64_t pv_filter_bits_of(const struct pv_filter *f, enum pv_filter_field field)
{
	uint64_t bits = 0;
	for (size_t i = 0; i < pv_filter_leaves(f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(f, i);
		if (leaf->field == field && leaf->what != PV_FILTER_COMPARES)
			bits |= UINT64_C(1) << i;
	}
	return bits;
}
