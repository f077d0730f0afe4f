/* SPDX-License-Identifier: MIT */
/* GC roots by source, and the memory areas of roots. */
#include <string.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/root_text.h"
#include "common/query/groups/specs.h"

/* The object held by the root in the newest list; 0: the root is not in the list. */
static uint64_t newest_object(const struct pv_roots *r, const struct pv_root_count *c)
{
	return c->list == r->list ? c->newest : 0;
}

/* --- by source; a row's id is the source + 1 */

enum {
	R_ROOTS,
	R_SHARE,
	R_ALL,
	R_AREAS,
	R_BYTES,
	R_REGISTERED,
	R_UNREGISTERED,
	R_PINNING,
	R_WEAK,
	R_INTERIOR,
	R_SOURCE
};

static const struct pv_column root_columns[] = {
	[R_ROOTS] = { "roots", "ROOTS", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "Roots in the newest list" },
	[R_SHARE] = { "roots_percent", "ROOTS%", PV_UNIT_PERCENT, 6, 3, .flags = PV_COLUMN_ADDS,
		.help = "Its part of all roots" },
	[R_ALL] = { "roots_total", "IN ALL", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS, .json = 3 },
	[R_AREAS] = { "areas", "AREAS", PV_UNIT_COUNT, 6, 1, PV_COLUMN_ADDS, .json = 4,
		.help = "Memory areas that hold such roots" },
	[R_BYTES] = { "area_bytes", "SIZE", PV_UNIT_BYTES, 9, 2, PV_COLUMN_ADDS, .json = 5,
		.help = "Size of the areas" },
	[R_REGISTERED] = { "registered", "REGISTERED", PV_UNIT_COUNT, 10, 5, .json = 6,
		.help = "Areas that were registered while recording" },
	[R_UNREGISTERED] = { "unregistered", "ENDED", PV_UNIT_COUNT, 6, 6, .json = 7,
		.help = "Areas that were taken back" },
	[R_PINNING] = { "pinning", "PINNING", PV_UNIT_COUNT, 7, 7, .json = 8,
		.help = "Roots that keep their object from being moved" },
	[R_WEAK] = { "weak", "WEAK", PV_UNIT_COUNT, 6, 8, .json = 9,
		.help = "Roots that do not keep their object" },
	[R_INTERIOR] = { "interior", "INTERIOR", PV_UNIT_COUNT, 8, 9, .json = 10,
		.help = "Roots that point into an object" },
	[R_SOURCE] = { "source", "SOURCE", PV_UNIT_TEXT, 18, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1 },
};

static void put_source(struct pv_build *b, const struct pv_roots *r, size_t i, uint64_t all)
{
	const struct pv_root_sum *s = &r->source[i];
	bool areas = !r->old_form, lists = r->lists > 0;
	uint64_t now = newest_object(r, &s->roots);
	struct pv_cell *c = pv_build_row(b, i + 1);
	pv_cell_u_if(&c[R_ROOTS], lists, now);
	pv_cell_share(&c[R_SHARE], (double)now, (double)all);
	pv_cell_u_if(&c[R_ALL], lists, s->roots.all);
	pv_cell_u_if(&c[R_AREAS], areas, s->live);
	pv_cell_u_if(&c[R_BYTES], areas, s->live_bytes);
	pv_cell_u_if(&c[R_REGISTERED], areas, s->registered);
	pv_cell_u_if(&c[R_UNREGISTERED], areas, s->unregistered);
	pv_cell_u_if(&c[R_PINNING], r->flags, s->pinning);
	pv_cell_u_if(&c[R_WEAK], r->flags, s->weak);
	pv_cell_u_if(&c[R_INTERIOR], r->flags, s->interior);
	pv_cell_s(&c[R_SOURCE], i == PV_ROOT_UNKNOWN && r->old_form
					? "(unknown)"
					: pv_root_source_text((enum pv_root_source)i));
}

static void copy_roots(struct pv_build *b, struct pv_model *m)
{
	const struct pv_roots *r = &m->roots;
	uint64_t all = 0;
	for (size_t i = 0; i < PV_ROOT_SOURCES; i++)
		all += newest_object(r, &r->source[i].roots);
	for (size_t i = 0; i < PV_ROOT_SOURCES; i++) {
		const struct pv_root_sum *s = &r->source[i];
		if (s->roots.all || s->registered || s->live)
			put_source(b, r, i, all);
	}
}

const struct pv_view_spec pv_spec_roots = { .column = root_columns,
	.columns = PV_COUNT_OF(root_columns),
	.name = "source",
	.sort = "roots",
	.then = "areas",
	.copy = copy_roots };

/* --- areas: of the source `select`, or all */

enum { A_ROOTS, A_ALL, A_BYTES, A_FROM, A_TO, A_START, A_SOURCE, A_NAME, A_KEY, A_OWNER };

static const struct pv_column area_columns[] = {
	[A_ROOTS] = { "roots", "ROOTS", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 9 },
	[A_ALL] = { "roots_total", "IN ALL", PV_UNIT_COUNT, 8, 5, PV_COLUMN_ADDS, .json = 10 },
	[A_BYTES] = { "bytes", "SIZE", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 4,
		.help = "Size of the area" },
	[A_FROM] = { "registered_ns", "REGISTERED", PV_UNIT_TIME, 12, 3, PV_COLUMN_ASCENDING,
		.json = 7, .help = "When it was registered" },
	[A_TO] = { "unregistered_ns", "ENDED", PV_UNIT_TIME, 12, 6, PV_COLUMN_ASCENDING, .json = 8,
		.help = "When it was taken back" },
	[A_START] = { "start", "START", PV_UNIT_ADDRESS, 14, 7, PV_COLUMN_ASCENDING, .json = 3,
		.help = "Where the area begins" },
	[A_SOURCE] = { "source", "SOURCE", PV_UNIT_TEXT, 14, 4, PV_COLUMN_ASCENDING, .json = 2 },
	[A_NAME] = { "name", "AREA", PV_UNIT_TEXT, 20, 0, PV_COLUMN_ASCENDING, .json = 1 },
	[A_KEY] = { "key", "KEY", PV_UNIT_ADDRESS, 14, 8, PV_COLUMN_ASCENDING, .json = 5,
		.help = "What the runtime calls it" },
	[A_OWNER] = { "owner", "OF", PV_UNIT_TEXT, 24, 2, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 6 },
};

/* The epoch of a key for a thing of that time; 0 when the key is unknown. */
static uint32_t entity_at(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	uint32_t id = pv_map_get(&n->entity_of[kind], key);
	if (id == PV_MAP_NONE)
		return 0;
	while (n->entity[kind].v[id].before && n->entity[kind].v[id].load_ns != PV_NEVER &&
		n->entity[kind].v[id].load_ns > time)
		id = n->entity[kind].v[id].before;
	return id;
}

static const char *entity_text(
	const struct pv_names *n, enum pv_entity_kind kind, uint64_t key, int64_t time)
{
	uint32_t id = entity_at(n, kind, key, time);
	uint32_t name = id ? n->entity[kind].v[id].name : 0;
	return name ? pv_intern_text(&n->text, name) : NULL;
}

static const char *static_of(const struct pv_names *n, uint64_t vtable, int64_t time)
{
	uint32_t id = entity_at(n, PV_ENTITY_VTABLE, vtable, time);
	if (!id)
		return NULL;
	return entity_text(n, PV_ENTITY_CLASS, n->entity[PV_ENTITY_VTABLE].v[id].owner, time);
}

static const char *thread_of(
	struct pv_build *b, const struct pv_model *m, uint64_t id, int64_t time)
{
	uint32_t at = pv_threads_at(&m->threads, id, time);
	uint32_t name = at ? m->threads.thread.v[at]->name : 0;
	return name ? pv_intern_text(&m->names.text, name) : pv_build_hex(b, id);
}

/*
 * Text of the key's target. A vtable's event comes directly after its area's, so the end of the
 * area still counts.
 */
static const char *owner_text(
	struct pv_build *b, const struct pv_model *m, const struct pv_root_area *a)
{
	if (a->key == 0)
		return NULL;
	switch (a->source) {
	case PV_ROOT_STACK:
	case PV_ROOT_THREAD_STATIC:
	case PV_ROOT_HANDLE_STACK:
	case PV_ROOT_THREADING:
		return thread_of(b, m, a->key, a->registered_ns);
	case PV_ROOT_STATIC:
		return static_of(&m->names, a->key, a->unregistered_ns);
	case PV_ROOT_DOMAIN:
		return entity_text(&m->names, PV_ENTITY_DOMAIN, a->key, a->unregistered_ns);
	default:
		return NULL;
	}
}

static void copy_root_areas(struct pv_build *b, struct pv_model *m)
{
	const struct pv_roots *r = &m->roots;
	for (size_t i = 0; i < r->area.n; i++) {
		const struct pv_root_area *a = &r->area.v[i];
		if (b->query->select && b->query->select != a->source + 1u)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u_if(&c[A_ROOTS], r->lists, newest_object(r, &a->roots));
		pv_cell_u_if(&c[A_ALL], r->lists, a->roots.all);
		pv_cell_u(&c[A_BYTES], a->size);
		pv_cell_time(&c[A_FROM], m, a->registered_ns);
		pv_cell_time(&c[A_TO], m, a->unregistered_ns);
		pv_cell_u(&c[A_START], a->start);
		pv_cell_s(&c[A_SOURCE], a->source == PV_ROOT_UNKNOWN
						? pv_build_printf(b, "source %u", a->number)
						: pv_root_source_text(a->source));
		pv_cell_s(&c[A_NAME], pv_intern_text(&m->names.text, a->name));
		pv_cell_u_if(&c[A_KEY], a->key, a->key);
		pv_cell_s(&c[A_OWNER], owner_text(b, m, a));
	}
}

const struct pv_view_spec pv_spec_root_areas = { .column = area_columns,
	.columns = PV_COUNT_OF(area_columns),
	.name = "name",
	.sort = "roots",
	.then = "bytes",
	.copy = copy_root_areas };
