#include "common/query/groups.h"

#include <stdlib.h>

#include "common/base/map.h"
#include "common/model/model.h"

/* Row ids tell kinds of keys apart, so that a name and a bare key never share one. */
#define ID_NAMELESS (UINT64_C(1) << 62)
#define ID_NONE (UINT64_C(1) << 63)

static bool start(struct pv_groups *g, size_t n, const char *zero)
{
	*g = (struct pv_groups){ .of_n = n };
	g->of = calloc(n ? n : 1, sizeof *g->of);
	if (!g->of || !pv_reserve(&g->row, 1))
		return false;
	g->row.v[g->row.n++] = (struct pv_group_row){ .id = ID_NONE, .name = zero };
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

bool pv_groups_methods(const struct pv_model *m, struct pv_groups *ret)
{
	const struct pv_names *n = &m->names;
	struct pv_map known = { 0 };
	bool ok = start(ret, n->method.n, "(other)");
	for (uint32_t i = 1; ok && i < n->method.n; i++) {
		uint32_t name = pv_names_method_name(n, i);
		struct pv_group_row row = { .id = name ? name : ID_NAMELESS | i,
			.key = n->method.v[i].key };
		if (name)
			row.name = pv_intern_text(&n->text, name);
		ok = assign(ret, &known, i, &row);
	}
	pv_map_finish(&known);
	return ok;
}

bool pv_groups_classes(const struct pv_model *m, struct pv_groups *ret)
{
	const struct pv_names *n = &m->names;
	struct pv_map known = { 0 };
	bool ok = start(ret, n->class_use.n, "(class not recorded)");
	for (uint32_t i = 1; ok && i < n->class_use.n; i++) {
		uint32_t name = pv_names_class_name(n, i), image = pv_names_class_image(n, i);
		struct pv_group_row row = { .id = ID_NAMELESS | i, .key = n->class_use.v[i].key };
		if (image)
			row.image = pv_intern_text(&n->text, image);
		if (name) {
			row.id = ((uint64_t)image << 32 | name) & ~(ID_NAMELESS | ID_NONE);
			row.name = pv_intern_text(&n->text, name);
		}
		ok = assign(ret, &known, i, &row);
	}
	pv_map_finish(&known);
	return ok;
}

void pv_groups_finish(struct pv_groups *g)
{
	free(g->of);
	g->of = NULL;
	pv_array_finish(&g->row);
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
