/* SPDX-License-Identifier: MIT */
/* Groups methods and classes into rows: by name, image, namespace and so on. */
#include "common/query/groups/groups.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/model/model.h"
#include "common/query/membership.h"
#include "common/query/groups/groups_kept.h"

/* Row ids of groups. */
#define ID_PLACED (UINT64_C(1) << 61)

/* The group with this merge key, made from `fresh` when new. */
static bool assign(
	struct pv_groups *g, struct pv_map *known, uint32_t id, const struct pv_group_row *fresh)
{
	uint32_t at = fresh->name ? pv_map_get(known, fresh->id) : PV_MAP_NONE;
	if (at == PV_MAP_NONE) {
		if (!pv_reserve(&g->row, 1))
			return false;
		at = (uint32_t)g->row.n;
		g->row.v[g->row.n++] = *fresh;
		if (fresh->name && !pv_map_set(known, fresh->id, at))
			return false;
	}
	g->of[id] = at;
	return true;
}

/* --- by attribute */

typedef struct pv_slice membership(const struct pv_membership *x, uint32_t id, enum pv_by by);

struct making {
	struct pv_groups_shared *to;
	const struct pv_query *q;
	struct pv_map known;
	struct pv_membership x;
	membership *of;
};

static bool is_chosen(const struct pv_query *q)
{
	return q->in && q->in[0];
}

/* Whether the query asks for more than names. */
static bool is_placed(const struct pv_query *q)
{
	return q->group || q->split || is_chosen(q);
}

/* For n ids. False when out of memory. */
static bool begin_groups(struct making *k, const struct pv_model *m, size_t n, const char *zero)
{
	k->to = pv_groups_shared_create();
	struct pv_groups *g = k->to ? &k->to->g : NULL;
	if (!g || !(g->of = calloc(n ? n : 1, sizeof *g->of)) || !pv_reserve(&g->row, 1))
		return false;
	g->of_n = n;
	g->row.v[g->row.n++] =
		(struct pv_group_row){ .id = is_chosen(k->q) ? PV_ROW_OUTSIDE : PV_ROW_NONE,
			.name = zero };
	return pv_membership_init(&k->x, m);
}

/* The finished grouping; NULL: failed. */
static struct pv_groups_shared *end_groups(struct making *k, bool ok)
{
	pv_map_finish(&k->known);
	pv_membership_finish(&k->x);
	if (ok)
		return k->to;
	pv_groups_shared_give_back(k->to);
	return NULL;
}

static uint64_t placed_row_id(struct pv_slice s, uint64_t seed)
{
	uint64_t h = pv_hash(seed + 1);
	for (size_t i = 0; i < s.len; i++)
		h = pv_hash(h ^ (unsigned char)s.at[i]);
	return (h & (ID_PLACED - 1)) | ID_PLACED;
}

/* The name of an existing row; NULL: the row is new. */
static const char *placed_row_name(const struct making *k, uint64_t row_id)
{
	uint32_t at = pv_map_get(&k->known, row_id);
	return at == PV_MAP_NONE ? NULL : k->to->g.row.v[at].name;
}

/* Copied once for each group: a slice has no terminator. */
static void put_together(struct making *k, struct pv_slice s, struct pv_group_row *row)
{
	*row = (struct pv_group_row){ .id = placed_row_id(s, 0) };
	row->name = placed_row_name(k, row->id);
	if (!row->name)
		row->name = pv_arena_copy(&k->to->text, s.at, s.len < 390 ? s.len : 390);
}

/* Adds an attribute to a row's id and name. Cut: very many rows may share one long name. */
static void tell_apart(struct making *k, struct pv_slice s, struct pv_group_row *row)
{
	char hex[24], text[400];
	const char *name = row->name ? row->name : hex;
	row->id = placed_row_id(s, row->id);
	row->name = placed_row_name(k, row->id);
	if (row->name)
		return;
	snprintf(hex, sizeof hex, "0x%" PRIx64, row->key);
	snprintf(text, sizeof text, "%s [%.*s]", name, (int)(s.len < 150 ? s.len : 150), s.at);
	row->name = pv_arena_copy(&k->to->text, text, strlen(text));
}

static bool put_in_group(struct making *k, uint32_t id, struct pv_group_row row)
{
	const struct pv_slice none = { "(not recorded)", 14 };
	const struct pv_query *q = k->q;
	if (is_chosen(q) && !pv_slice_has(k->of(&k->x, id, q->in_by), q->in)) {
		k->to->g.of[id] = 0;
		return true;
	}
	enum pv_by by = q->group ? q->group : q->split;
	struct pv_slice s = by ? k->of(&k->x, id, by) : none;
	s = s.len ? s : none;
	if (q->group)
		put_together(k, s, &row);
	else if (q->split)
		tell_apart(k, s, &row);
	return (!by || row.name) && assign(&k->to->g, &k->known, id, &row);
}

static struct pv_groups_shared *place_methods(const struct pv_model *m, const struct pv_query *q)
{
	const struct pv_names *n = &m->names;
	struct making k = { .q = q, .of = pv_membership_method };
	bool ok = begin_groups(&k, m, n->method.n, "(other)");
	for (uint32_t i = 1; ok && i < n->method.n; i++) {
		uint32_t name = pv_names_method_name(n, i);
		struct pv_group_row row = { .id = name ? name : PV_ROW_NAMELESS | i,
			.key = n->method.v[i].key };
		if (name)
			row.name = pv_intern_text(&n->text, name);
		ok = put_in_group(&k, i, row);
	}
	return end_groups(&k, ok);
}

static struct pv_groups_shared *place_classes(const struct pv_model *m, const struct pv_query *q)
{
	const struct pv_names *n = &m->names;
	struct making k = { .q = q, .of = pv_membership_class };
	bool ok = begin_groups(&k, m, n->class_use.n, "(class not recorded)");
	for (uint32_t i = 1; ok && i < n->class_use.n; i++) {
		const struct pv_class_said said = pv_names_class_said(n, i);
		struct pv_group_row row = { .id = said.row, .key = n->class_use.v[i].key };
		if (said.image)
			row.image = pv_intern_text(&n->text, said.image);
		if (said.name)
			row.name = pv_intern_text(&n->text, said.name);
		else if (n->class_use.v[i].other)
			row.name = "(other)";
		ok = put_in_group(&k, i, row);
	}
	return end_groups(&k, ok);
}

/* The log may name an image or assembly at any time, without a change of names. */
static bool placed(
	struct pv_model *m, struct pv_build *b, enum pv_grouped kind, struct pv_groups *ret)
{
	const struct pv_query *q = b->query;
	const struct pv_groups_key key = { .model = m->id,
		.changes = m->names.changes,
		.generation = pv_model_generation(m),
		.kind = kind,
		.group = q->group,
		.split = q->split,
		.in_by = is_chosen(q) ? q->in_by : PV_BY_NAME,
		.in = is_chosen(q) ? q->in : "" };
	struct pv_groups_shared *s = pv_groups_cache_find(q->groups, &key);
	*ret = (struct pv_groups){ 0 };
	if (!s) {
		s = (kind == PV_GROUPED_METHODS ? place_methods : place_classes)(m, q);
		if (!s)
			return false;
		pv_groups_cache_keep(q->groups, &key, s);
	}
	*ret = s->g;
	ret->shared = s;
	return pv_build_hold(b, s);
}

bool pv_groups_methods(struct pv_model *m, struct pv_build *b, struct pv_groups *ret)
{
	if (is_placed(b->query))
		return placed(m, b, PV_GROUPED_METHODS, ret);
	return pv_groups_borrow(b->query->groups, m, PV_GROUPED_METHODS, ret);
}

bool pv_groups_classes(struct pv_model *m, struct pv_build *b, struct pv_groups *ret)
{
	if (is_placed(b->query))
		return placed(m, b, PV_GROUPED_CLASSES, ret);
	return pv_groups_borrow(b->query->groups, m, PV_GROUPED_CLASSES, ret);
}

bool pv_groups_methods_by_name(struct pv_model *m, const struct pv_build *b, struct pv_groups *ret)
{
	return pv_groups_borrow(b->query->groups, m, PV_GROUPED_METHODS, ret);
}

bool pv_groups_classes_by_name(struct pv_model *m, const struct pv_build *b, struct pv_groups *ret)
{
	return pv_groups_borrow(b->query->groups, m, PV_GROUPED_CLASSES, ret);
}

void pv_groups_finish(struct pv_groups *g)
{
	pv_groups_shared_give_back(g->shared);
	*g = (struct pv_groups){ 0 };
}

uint32_t pv_groups_find(const struct pv_groups *g, uint64_t row_id)
{
	for (size_t i = 0; i < g->row.n; i++)
		if (g->row.v[i].id == row_id)
			return (uint32_t)i;
	return UINT32_MAX;
}

const char *pv_group_name(struct pv_build *b, const struct pv_groups *g, uint32_t group)
{
	const struct pv_group_row *r = &g->row.v[group];
	return r->name ? r->name : pv_build_hex(b, r->key);
}
