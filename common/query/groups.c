#include "common/query/groups.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/model/model.h"
#include "common/query/belongs.h"
#include "common/query/groups_kept.h"

/* Row ids of what is put together by what it belongs to. */
#define ID_PLACED (UINT64_C(1) << 61)

static bool start(struct pv_groups *g, size_t n, const char *zero)
{
	*g = (struct pv_groups){ .of_n = n };
	g->of = calloc(n ? n : 1, sizeof *g->of);
	if (!g->of || !pv_reserve(&g->row, 1))
		return false;
	g->row.v[g->row.n++] = (struct pv_group_row){ .id = PV_ROW_NONE, .name = zero };
	return true;
}

/* The group with this merge key, made from `fresh` when new. */
static bool assign(struct pv_groups *g, struct pv_map *known, uint32_t id,
	const struct pv_group_row *fresh)
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

/* --- by what they belong to */

typedef struct pv_slice belongs(const struct pv_belongs *x, uint32_t id, enum pv_by by);

struct making {
	struct pv_groups *g;
	struct pv_build *b;
	struct pv_map known;
	struct pv_belongs x;
	belongs *of;
};

/* Whether the query asks for more than names. */
static bool is_placed(const struct pv_build *b)
{
	const struct pv_query *q = b ? b->query : NULL;
	return q && (q->group || q->split || (q->in && q->in[0]));
}

static bool begin(struct making *k, const struct pv_model *m)
{
	const struct pv_query *q = k->b->query;
	if (q->in && q->in[0])
		k->g->row.v[0].id = PV_ROW_OUTSIDE;
	return pv_belongs_init(&k->x, m);
}

static void end(struct making *k)
{
	pv_map_finish(&k->known);
	pv_belongs_finish(&k->x);
}

static uint64_t id_of(struct pv_slice s, uint64_t seed)
{
	uint64_t h = pv_hash(seed + 1);
	for (size_t i = 0; i < s.len; i++)
		h = pv_hash(h ^ (unsigned char)s.at[i]);
	return (h & (ID_PLACED - 1)) | ID_PLACED;
}

/* Copied once for each group: the text of a slice ends where it does. */
static const char *text_of(struct making *k, struct pv_slice s, uint64_t id)
{
	uint32_t at = pv_map_get(&k->known, id);
	if (at != PV_MAP_NONE)
		return k->g->row.v[at].name;
	return pv_build_printf(k->b, "%.*s", (int)(s.len < 390 ? s.len : 390), s.at);
}

static bool put(struct making *k, uint32_t id, struct pv_group_row row)
{
	const struct pv_slice none = { "(not recorded)", 14 };
	const struct pv_query *q = k->b->query;
	if (q->in && q->in[0] && !pv_slice_has(k->of(&k->x, id, q->in_by), q->in)) {
		k->g->of[id] = 0;
		return true;
	}
	enum pv_by by = q->group ? q->group : q->split;
	struct pv_slice s = by ? k->of(&k->x, id, by) : none;
	s = s.len ? s : none;
	if (q->group) {
		row = (struct pv_group_row){ .id = id_of(s, 0) };
		row.name = text_of(k, s, row.id);
	} else if (q->split) {
		const char *name = row.name ? row.name : pv_build_hex(k->b, row.key);
		row.id = id_of(s, row.id);
		row.name = pv_map_get(&k->known, row.id) != PV_MAP_NONE
			? name : pv_build_printf(k->b, "%s [%.*s]", name,
				(int)(s.len < 150 ? s.len : 150), s.at);
	}
	return k->b->table && assign(k->g, &k->known, id, &row);
}

bool pv_groups_methods(struct pv_model *m, struct pv_build *b, struct pv_groups *ret)
{
	if (!is_placed(b))
		return pv_groups_borrow(m, PV_GROUPED_METHODS, ret);
	const struct pv_names *n = &m->names;
	struct making k = { .g = ret, .b = b, .of = pv_belongs_method };
	bool ok = start(ret, n->method.n, "(other)") && begin(&k, m);
	for (uint32_t i = 1; ok && i < n->method.n; i++) {
		uint32_t name = pv_names_method_name(n, i);
		struct pv_group_row row = { .id = name ? name : PV_ROW_NAMELESS | i,
			.key = n->method.v[i].key };
		if (name)
			row.name = pv_intern_text(&n->text, name);
		ok = put(&k, i, row);
	}
	end(&k);
	return ok;
}

bool pv_groups_classes(struct pv_model *m, struct pv_build *b, struct pv_groups *ret)
{
	if (!is_placed(b))
		return pv_groups_borrow(m, PV_GROUPED_CLASSES, ret);
	const struct pv_names *n = &m->names;
	struct making k = { .g = ret, .b = b, .of = pv_belongs_class };
	bool ok = start(ret, n->class_use.n, "(class not recorded)") && begin(&k, m);
	for (uint32_t i = 1; ok && i < n->class_use.n; i++) {
		const struct pv_class_said said = pv_names_class_said(n, i);
		struct pv_group_row row = { .id = said.row, .key = n->class_use.v[i].key };
		if (said.image)
			row.image = pv_intern_text(&n->text, said.image);
		if (said.name)
			row.name = pv_intern_text(&n->text, said.name);
		else if (n->class_use.v[i].other)
			row.name = "(other)";
		ok = put(&k, i, row);
	}
	end(&k);
	return ok;
}

void pv_groups_finish(struct pv_groups *g)
{
	if (g->shared) {
		pv_groups_give_back(g->shared);
	} else {
		free(g->of);
		pv_array_finish(&g->row);
	}
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
