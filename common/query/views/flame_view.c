/* SPDX-License-Identifier: MIT */
/* Flames as a tree of rows, a root for each recorded measure, for reports. */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/query/groups/code_kind.h"
#include "common/query/flame/flame.h"
#include "common/query/groups/identity_line.h"
#include "common/query/groups/specs.h"

enum { F_SHARE, F_WEIGHT, F_SELF, F_UNIT, F_KIND, F_FRAME };
enum { PARTS = 1000 }; /* lighter siblings are one row */

static const struct pv_column flame_columns[] = {
	[F_SHARE] = { "weight_percent", "SHARE%", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	[F_WEIGHT] = { "weight", "WEIGHT", PV_UNIT_EXACT, 14, 2, .json = 2 },
	[F_SELF] = { "weight_self", "SELF", PV_UNIT_EXACT, 14, 3, .json = 3 },
	[F_UNIT] = { "unit", "UNIT", PV_UNIT_TEXT, 6, 4, PV_COLUMN_ASCENDING, .json = 4 },
	[F_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 5, PV_COLUMN_ASCENDING, .json = 5 },
	[F_FRAME] = { "frame", "FLAME", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE | PV_COLUMN_METHOD,
		.json = 1 },
};

static const char *unit_text(enum pv_flame_measure m)
{
	enum pv_unit unit = pv_flame_unit(m);
	return unit == PV_UNIT_NS ? "ns" : unit == PV_UNIT_BYTES ? "bytes" : "count";
}

enum row_kind { ROW_MEASURE, ROW_THIN, ROW_FRAME }; /* and above: several frames of one name */

/* Ids follow from the way to a row, and so are the same in every query. */
static uint64_t id_below(uint64_t parent, uint64_t kind, uint64_t key)
{
	uint64_t id = pv_hash(parent * 31 + pv_hash(pv_hash(key) + kind));
	return id ? id : 1;
}

/*
 * Number of siblings with the same name before a cell: overloads in two images, types of one name.
 */
static uint64_t namesakes(const struct pv_flame *f, uint32_t cell)
{
	uint64_t n = 0;
	for (uint32_t i = f->cell[f->cell[cell].parent].child; i < cell; i++)
		n += f->cell[i].key == f->cell[cell].key;
	return n;
}

static const char *kind_text(const struct pv_flame_cell *c)
{
	if (c->flags & PV_FLAME_CLASS)
		return "class";
	return c->key ? pv_code_kind_text((enum pv_code_kind)c->kind) : NULL;
}

struct put {
	struct pv_build *b;
	const struct pv_flame *f;
	enum pv_flame_measure measure;
	uint64_t *id; /* by cell */
};

static void put_flame_row(struct put *p, uint64_t id, uint64_t parent, uint64_t weight,
	uint64_t self, const char *name, const char *kind, bool children)
{
	struct pv_cell *c = pv_build_child(p->b, id, parent, children ? PV_ROW_HAS_CHILDREN : 0);
	pv_cell_share(&c[F_SHARE], (double)weight, (double)p->f->all);
	pv_cell_u(&c[F_WEIGHT], weight);
	pv_cell_u(&c[F_SELF], self);
	pv_cell_s(&c[F_UNIT], unit_text(p->measure));
	pv_cell_s(&c[F_KIND], kind);
	pv_cell_s(&c[F_FRAME], name);
}

static void put_flame_cell(struct put *p, uint32_t i)
{
	const struct pv_flame_cell *c = &p->f->cell[i];
	uint64_t parent = i ? p->id[c->parent] : 0;
	if (i && (!parent || !pv_build_wants_children(p->b, parent)))
		return;
	if (i)
		p->id[i] = id_below(parent, ROW_FRAME + namesakes(p->f, i), c->key);
	else
		p->id[i] = id_below(0, ROW_MEASURE, p->measure);
	const char *name = i ? pv_build_text(p->b, c->name) : pv_flame_name(p->measure);
	put_flame_row(p, p->id[i], parent, c->weight, c->self, name, kind_text(c),
		c->children || c->thin);
	if (c->thin && pv_build_wants_children(p->b, p->id[i]))
		put_flame_row(p, id_below(p->id[i], ROW_THIN, 0), p->id[i], c->thin_weight,
			c->thin_weight, pv_build_printf(p->b, "(%" PRIu32 " thinner)", c->thin),
			NULL, false);
}

static bool put_measure(struct pv_build *b, struct pv_model *m, enum pv_flame_measure measure)
{
	struct pv_flame_tree *t = pv_flame_tree_make(m, measure, b->query);
	struct pv_flame *f = t ? pv_flame_ask(t, &(struct pv_flame_wish){ .parts = PARTS }) : NULL;
	struct put p = { .b = b, .f = f, .measure = measure };
	p.id = f ? calloc(f->cells, sizeof *p.id) : NULL;
	for (uint32_t i = 0; p.id && i < f->cells; i++)
		put_flame_cell(&p, i);
	bool ok = p.id != NULL;
	free(p.id);
	pv_flame_destroy(f);
	pv_flame_tree_drop(t);
	return ok;
}

/* With identity of objects, only live bytes: the model has nothing else. */
static void run_flame(struct pv_build *b, struct pv_model *m)
{
	if (b->query->identity) {
		pv_model_lock(m);
		pv_build_stamp(b, m);
		pv_model_unlock(m);
		pv_identity_line(b);
		if (b->table && !put_measure(b, m, PV_FLAME_LIVE))
			pv_build_fail(b);
		return;
	}
	pv_model_lock(m);
	pv_build_stamp(b, m);
	unsigned groups = pv_groups_recorded(m);
	pv_model_unlock(m);
	for (unsigned i = 0; i < PV_FLAME_MEASURES && b->table; i++)
		if (i != PV_FLAME_LIVE && pv_flame_recorded(groups, (enum pv_flame_measure)i) &&
			!put_measure(b, m, (enum pv_flame_measure)i))
			pv_build_fail(b);
}

#define FLAME                                                                                      \
	{ .column = flame_columns,                                                                 \
		.columns = PV_COUNT_OF(flame_columns),                                             \
		.name = "frame",                                                                   \
		.sort = "weight",                                                                  \
		.tree = true,                                                                      \
		.run = run_flame }
const struct pv_view_spec pv_spec_flame = FLAME, pv_spec_heap_flame = FLAME;
