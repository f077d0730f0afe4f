/* SPDX-License-Identifier: MIT */
/* Applies fields, parents and array elements of classes. */
#include "common/model/names/fields.h"

#include "common/model/ground/model_parts.h"

void pv_fields_finish(struct pv_fields *f)
{
	pv_array_finish(&f->field);
	pv_array_finish(&f->parent);
	pv_array_finish(&f->elements);
	pv_map_finish(&f->field_of);
	pv_map_finish(&f->parent_of);
	pv_map_finish(&f->elements_of);
	pv_map_finish(&f->known);
}

static uint64_t field_hash(const struct pv_field *one)
{
	uint64_t place = (uint64_t)one->offset << 33 ^ (uint64_t)one->is_static << 32 ^ one->name;
	return pv_hash_word(pv_hash_word(1, one->owner), place);
}

bool pv_fields_link(struct pv_fields *f)
{
	bool ok = true;
	pv_map_clear(&f->known);
	for (size_t i = 0; ok && i < f->field.n; i++)
		ok = pv_map_set(&f->known, field_hash(&f->field.v[i]), (uint32_t)i + 1);
	return ok;
}

static uint32_t newest_field(const struct pv_map *m, uint64_t key)
{
	uint32_t at = pv_map_get(m, key);
	return at == PV_MAP_NONE ? 0 : at;
}

/* True if the field is defined again: a probe repeats its names for a new reader. */
static bool is_known(const struct pv_fields *f, uint64_t hash, const struct pv_field *one)
{
	uint32_t at = newest_field(&f->known, hash);
	const struct pv_field *k = at && at <= f->field.n ? &f->field.v[at - 1] : NULL;
	return k && k->owner == one->owner && k->offset == one->offset && k->name == one->name &&
	       k->is_static == one->is_static;
}

static bool field(struct pv_context *x, const struct pv_event *e)
{
	struct pv_fields *f = &x->m->fields;
	struct pv_field one = { .owner = e->field.owner,
		.time_ns = x->time,
		.offset = (uint32_t)e->field.offset,
		.is_static = e->field.is_static != 0 };
	if (e->field.offset > INT32_MAX) /* statics of threads have no place in an area */
		return true;
	if (!pv_intern_add(&x->m->names.text, e->field.name.at, e->field.name.len, &one.name))
		return false;
	uint64_t hash = field_hash(&one);
	if (is_known(f, hash, &one))
		return true;
	if (f->field.n >= PV_FIELDS_CAP) {
		f->dropped++;
		return true;
	}
	one.before = newest_field(&f->field_of, one.owner);
	if (!pv_reserve(&f->field, 1) ||
		!pv_map_set(&f->field_of, one.owner, (uint32_t)f->field.n + 1) ||
		!pv_map_set(&f->known, hash, (uint32_t)f->field.n + 1))
		return false;
	f->field.v[f->field.n++] = one;
	return true;
}

static bool parent(struct pv_context *x, const struct pv_event *e)
{
	struct pv_fields *f = &x->m->fields;
	struct pv_parent one = {
		.owner = e->class_parent.owner, .parent = e->class_parent.parent, .time_ns = x->time
	};
	one.before = newest_field(&f->parent_of, one.owner);
	if (one.before && f->parent.v[one.before - 1].parent == one.parent)
		return true;
	if (f->parent.n >= PV_FIELDS_CAP) {
		f->dropped++;
		return true;
	}
	if (!pv_reserve(&f->parent, 1) ||
		!pv_map_set(&f->parent_of, one.owner, (uint32_t)f->parent.n + 1))
		return false;
	f->parent.v[f->parent.n++] = one;
	return true;
}

static bool elements(struct pv_context *x, const struct pv_event *e)
{
	struct pv_fields *f = &x->m->fields;
	struct pv_elements one = { .owner = e->elements.owner,
		.time_ns = x->time,
		.first = (uint32_t)e->elements.first,
		.size = (uint32_t)e->elements.size };
	if (e->elements.first > INT32_MAX || e->elements.size > INT32_MAX || !one.size)
		return true;
	one.before = newest_field(&f->elements_of, one.owner);
	const struct pv_elements *last = one.before ? &f->elements.v[one.before - 1] : NULL;
	if (last && last->first == one.first && last->size == one.size)
		return true;
	if (f->elements.n >= PV_FIELDS_CAP) {
		f->dropped++;
		return true;
	}
	if (!pv_reserve(&f->elements, 1) ||
		!pv_map_set(&f->elements_of, one.owner, (uint32_t)f->elements.n + 1))
		return false;
	f->elements.v[f->elements.n++] = one;
	return true;
}

bool pv_fields_apply(struct pv_context *x, const struct pv_event *e)
{
	if (e->kind == PV_KIND_EXT_ELEMENTS)
		return elements(x, e);
	return e->kind == PV_KIND_EXT_FIELD ? field(x, e) : parent(x, e);
}
