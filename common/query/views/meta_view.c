/* SPDX-License-Identifier: MIT */
/* Images, assemblies, domains and contexts, kinds of events, and damage. */
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

/* --- images, assemblies, domains, contexts --- */

enum { E_ID, E_LOAD, E_UNLOAD, E_TOOK, E_FAILED, E_OF, E_EXTRA, E_NAME };

static const struct pv_column entity_columns[] = {
	[E_ID] = { "id", "ID", PV_UNIT_ADDRESS, 14, 3, PV_COLUMN_ASCENDING, .json = 1 },
	[E_LOAD] = { "load_ns", "LOADED", PV_UNIT_TIME, 12, 1, PV_COLUMN_ASCENDING, .json = 3,
		.help = "When it was loaded" },
	[E_UNLOAD] = { "unload_ns", "UNLOADED", PV_UNIT_TIME, 12, 2, PV_COLUMN_ASCENDING, .json = 4,
		.help = "When it was unloaded" },
	[E_TOOK] = { "load_took_ns", "TOOK", PV_UNIT_NS, 9, 4, .json = 5,
		.help = "How long loading took" },
	[E_FAILED] = { "failed", "FAILED", PV_UNIT_BOOL, 6, 5, .json = 6 },
	[E_OF] = { "of", "OF", PV_UNIT_TEXT, 20, 6, PV_COLUMN_ASCENDING, .json = 7 },
	[E_EXTRA] = { "mvid", "MVID", PV_UNIT_TEXT, 36, 7, PV_COLUMN_ASCENDING, .json = 8,
		.help = "The number that tells builds of a module apart" },
	[E_NAME] = { "name", "NAME", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE, .json = 2 },
};

/* Key to find a load by: the loaded thing and the time. */
static uint64_t load_key(uint64_t key, int64_t end_ns)
{
	return pv_hash(pv_hash(key) ^ (uint64_t)end_ns);
}

static bool map_loads(struct pv_map *map, const struct pv_model *m, enum pv_entity_kind kind)
{
	bool ok = true;
	for (size_t i = 0; ok && i < m->loads.load.n; i++) {
		const struct pv_load *l = &m->loads.load.v[i];
		if (l->what == kind && !l->unload)
			ok = pv_map_set(map, load_key(l->key, l->end_ns), (uint32_t)i);
	}
	return ok;
}

static void put_took(struct pv_cell *c, const struct pv_model *m, uint32_t load)
{
	int64_t ns = load == PV_MAP_NONE ? PV_NEVER : m->loads.load.v[load].took_ns;
	pv_cell_i_if(c, ns != PV_NEVER, ns);
}

/* An assembly's image, a context's domain. */
static const char *owner_text(struct pv_build *b, const struct pv_model *m,
	enum pv_entity_kind kind, const struct pv_entity *e)
{
	enum pv_entity_kind of = kind == PV_ENTITY_CONTEXT ? PV_ENTITY_DOMAIN : PV_ENTITY_IMAGE;
	if (e->owner == 0)
		return NULL;
	uint32_t id = pv_names_begun(&m->names, of, e->owner, e->load_ns);
	uint32_t name = id ? m->names.entity[of].v[id].name : 0;
	return name ? pv_intern_text(&m->names.text, name) : pv_build_hex(b, e->owner);
}

struct entities {
	struct pv_build *b;
	const struct pv_model *m;
	enum pv_entity_kind kind;
	struct pv_map loads; /* by load_key() */
};

static void put_entity(const struct entities *x, size_t id, struct pv_cell *c)
{
	const struct pv_model *m = x->m;
	const struct pv_entity *e = &m->names.entity[x->kind].v[id];
	bool old = m->target.logging2007; /* 2007 logs have ids from stage D on */
	pv_cell_u_if(&c[E_ID], !old || pv_stage_at_least(m, 'D'), e->key);
	pv_cell_time(&c[E_LOAD], m, e->load_ns);
	pv_cell_time(&c[E_UNLOAD], m, e->unload_ns);
	put_took(&c[E_TOOK], m, pv_map_get(&x->loads, load_key(e->key, e->load_ns)));
	pv_cell_u_if(&c[E_FAILED], old || e->failed, e->failed);
	pv_cell_s(&c[E_OF], owner_text(x->b, m, x->kind, e));
	pv_cell_s(&c[E_EXTRA], e->extra ? pv_intern_text(&m->names.text, e->extra) : NULL);
	pv_cell_s(&c[E_NAME],
		e->name ? pv_intern_text(&m->names.text, e->name) : pv_build_hex(x->b, e->key));
}

static void copy_entities(struct pv_build *b, const struct pv_model *m, enum pv_entity_kind kind)
{
	struct entities x = { .b = b, .m = m, .kind = kind };
	if (!map_loads(&x.loads, m, kind))
		pv_build_fail(b);
	for (size_t i = 1; i < m->names.entity[kind].n; i++)
		put_entity(&x, i, pv_build_row(b, i));
	pv_map_finish(&x.loads);
}

static void copy_images(struct pv_build *b, struct pv_model *m)
{
	copy_entities(b, m, PV_ENTITY_IMAGE);
}

static void copy_assemblies(struct pv_build *b, struct pv_model *m)
{
	copy_entities(b, m, PV_ENTITY_ASSEMBLY);
}

static void copy_domains(struct pv_build *b, struct pv_model *m)
{
	copy_entities(b, m, PV_ENTITY_DOMAIN);
}

static void copy_contexts(struct pv_build *b, struct pv_model *m)
{
	copy_entities(b, m, PV_ENTITY_CONTEXT);
}

#define ENTITIES(copied)                                                                           \
	{ .column = entity_columns,                                                                \
		.columns = PV_COUNT_OF(entity_columns),                                            \
		.name = "name",                                                                    \
		.sort = "load_ns",                                                                 \
		.copy = copied }

const struct pv_view_spec pv_spec_images = ENTITIES(copy_images);
const struct pv_view_spec pv_spec_assemblies = ENTITIES(copy_assemblies);
const struct pv_view_spec pv_spec_domains = ENTITIES(copy_domains);
const struct pv_view_spec pv_spec_contexts = ENTITIES(copy_contexts);

/* --- all four as a tree, a branch each --- */

static void put_branch(
	struct pv_build *b, const struct pv_model *m, enum pv_entity_kind kind, const char *name)
{
	uint64_t branch = ((uint64_t)kind + 1) << 40;
	struct entities x = { .b = b, .m = m, .kind = kind };
	if (m->names.entity[kind].n <= 1)
		return;
	struct pv_cell *c = pv_build_child(b, branch, 0, PV_ROW_HAS_CHILDREN);
	for (size_t i = 0; i < PV_COUNT_OF(entity_columns); i++)
		pv_cell_null(&c[i]);
	pv_cell_s(&c[E_NAME], name);
	if (!pv_build_wants_children(b, branch))
		return;
	if (!map_loads(&x.loads, m, kind))
		pv_build_fail(b);
	for (size_t i = 1; i < m->names.entity[kind].n; i++)
		put_entity(&x, i, pv_build_child(b, branch | i, branch, 0));
	pv_map_finish(&x.loads);
}

static void copy_loaded(struct pv_build *b, struct pv_model *m)
{
	put_branch(b, m, PV_ENTITY_DOMAIN, "domains");
	put_branch(b, m, PV_ENTITY_CONTEXT, "contexts");
	put_branch(b, m, PV_ENTITY_ASSEMBLY, "assemblies");
	put_branch(b, m, PV_ENTITY_IMAGE, "images");
}

const struct pv_view_spec pv_spec_loaded = { .column = entity_columns,
	.columns = PV_COUNT_OF(entity_columns),
	.name = "name",
	.sort = "load_ns",
	.tree = true,
	.copy = copy_loaded };

/* --- every kind of event met --- */

static const struct pv_column event_columns[] = {
	{ "count", "EVENTS", PV_UNIT_COUNT, 10, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "How many events of this kind" },
	{ "percent", "SHARE%", PV_UNIT_PERCENT, 6, 1, PV_COLUMN_ADDS,
		.help = "Its part of all events" },
	{ "name", "KIND", PV_UNIT_TEXT, 26, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1 },
};

static void put_kind(struct pv_build *b, uint64_t row, uint64_t n, uint64_t all, const char *name)
{
	struct pv_cell *c = pv_build_row(b, row);
	pv_cell_u(&c[0], n);
	pv_cell_share(&c[1], (double)n, (double)all);
	pv_cell_s(&c[2], name);
}

static void copy_events(struct pv_build *b, struct pv_model *m)
{
	uint64_t all = 0;
	for (size_t i = 0; i < PV_KIND_COUNT; i++)
		all += m->kinds[i];
	uint64_t unnamed = m->kinds[PV_KIND_EXT_UNKNOWN];
	for (size_t i = 0; i < m->notes.unread.n; i++) {
		const struct pv_unread *u = &m->notes.unread.v[i];
		put_kind(b, PV_KIND_COUNT + 1 + i, u->events, all,
			pv_intern_text(&m->names.text, u->name));
		unnamed -= u->events < unnamed ? u->events : unnamed;
	}
	for (size_t i = 0; i < PV_KIND_COUNT; i++) {
		uint64_t n = i == PV_KIND_EXT_UNKNOWN ? unnamed : m->kinds[i];
		if (n)
			put_kind(b, i + 1, n, all, pv_kind_name((unsigned)i));
	}
}

const struct pv_view_spec pv_spec_events = { .column = event_columns,
	.columns = PV_COUNT_OF(event_columns),
	.name = "name",
	.sort = "count",
	.copy = copy_events };

/* --- places that could not be read --- */

static const struct pv_column damage_columns[] = {
	{ "offset", "OFFSET", PV_UNIT_EXACT, 15, 0, PV_COLUMN_ASCENDING, .json = 1,
		.help = "The byte of the log, unpacked, at which it begins" },
	{ "bytes", "BYTES", PV_UNIT_EXACT, 13, 0, .json = 2, .help = "So many bytes were skipped" },
	{ "reason", "REASON", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 3,
		.help = "What is wrong there" },
};

static void copy_damage(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < m->damage.n; i++) {
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[0], m->damage.v[i].offset);
		pv_cell_u(&c[1], m->damage.v[i].bytes);
		pv_cell_s(&c[2], pv_build_text(b, m->damage.v[i].reason));
	}
}

const struct pv_view_spec pv_spec_damage = { .column = damage_columns,
	.columns = PV_COUNT_OF(damage_columns),
	.name = "reason",
	.sort = "offset",
	.copy = copy_damage };
