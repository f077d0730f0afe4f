/* SPDX-License-Identifier: MIT */
/* GC handles by type and by who made them; finalized objects by class. */
#include <stdlib.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/site_rows.h"
#include "common/query/groups/specs.h"

/* --- handles by type; a row's id is the type + 1 */

enum { H_LIVE, H_MOST, H_CREATED, H_DESTROYED, H_TYPE };

static const struct pv_column handle_columns[] = {
	[H_LIVE] = { "live", "ALIVE", PV_UNIT_COUNT, 9, 0, PV_COLUMN_ADDS, .json = 2 },
	[H_MOST] = { "most_live", "MOST", PV_UNIT_COUNT, 9, 3, .json = 3,
		.help = "Most there were at a time" },
	[H_CREATED] = { "created", "CREATED", PV_UNIT_COUNT, 9, 1, PV_COLUMN_ADDS, .json = 4 },
	[H_DESTROYED] = { "destroyed", "DESTROYED", PV_UNIT_COUNT, 9, 2, PV_COLUMN_ADDS, .json = 5,
		.help = "Freed while recording" },
	[H_TYPE] = { "type", "TYPE", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
};

static const char *const type_text[PV_HANDLE_TYPES] = { [PV_HANDLE_WEAK] = "weak",
	[PV_HANDLE_WEAK_TRACK] = "weak track resurrection",
	[PV_HANDLE_NORMAL] = "normal",
	[PV_HANDLE_PINNED] = "pinned",
	[PV_HANDLE_OTHER] = "other" };

static void copy_handles(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < PV_HANDLE_TYPES; i++) {
		const struct pv_handle_sum *h = &m->handles.type[i];
		bool any = h->created || h->destroyed;
		if (!any && (i == PV_HANDLE_OTHER || !(pv_groups_known(m) & PV_GROUP_HANDLES)))
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[H_LIVE], h->live);
		pv_cell_u(&c[H_MOST], h->most);
		pv_cell_u(&c[H_CREATED], h->created);
		pv_cell_u(&c[H_DESTROYED], h->destroyed);
		pv_cell_s(&c[H_TYPE], type_text[i]);
	}
}

const struct pv_view_spec pv_spec_handles = { .column = handle_columns,
	.columns = PV_COUNT_OF(handle_columns),
	.name = "type",
	.sort = "live",
	.then = "created",
	.copy = copy_handles };

/* --- creation stacks: of the type `select`, or of all */

enum { S_LIVE, S_CREATED, S_TYPE, S_CLASS, S_STACK };

static const struct pv_column site_columns[] = {
	[S_LIVE] = { "live", "ALIVE", PV_UNIT_COUNT, 8, 0, PV_COLUMN_ADDS, .json = 5 },
	[S_CREATED] = { "created", "CREATED", PV_UNIT_COUNT, 8, 1, PV_COLUMN_ADDS, .json = 4 },
	[S_TYPE] = { "type", "TYPE", PV_UNIT_TEXT, 10, 2, PV_COLUMN_ASCENDING, .json = 1 },
	[S_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 24, 0, PV_COLUMN_ASCENDING | PV_COLUMN_CLASS,
		.json = 2 },
	[S_STACK] = { "stack", "STACK", PV_UNIT_LIST, 40, 0, PV_COLUMN_GROWS, .json = 3 },
};

static void copy_handle_sites(struct pv_build *b, struct pv_model *m)
{
	struct pv_site_rows r;
	bool ok = pv_site_rows_init(&r, b, m, S_CLASS, S_STACK);
	for (size_t i = 0; ok && i < m->handles.site.n; i++) {
		const struct pv_handle_site *s = &m->handles.site.v[i];
		if (b->query->select && b->query->select != s->type + 1u)
			continue;
		if (s->created == 0)
			continue; /* the handles have moved to sites with a class */
		struct pv_cell *c = pv_site_row(
			&r, (struct pv_site_key){ s->class_use, s->stack, s->other, s->type + 1u });
		ok = c != NULL;
		if (!ok)
			break;
		c[S_LIVE].u += s->live;
		c[S_CREATED].u += s->created;
		pv_cell_s(&c[S_TYPE], type_text[s->type]);
	}
	if (!ok)
		pv_build_fail(b);
	pv_site_rows_finish(&r);
}

const struct pv_view_spec pv_spec_handle_sites = { .column = site_columns,
	.columns = PV_COUNT_OF(site_columns),
	.name = "class",
	.sort = "live",
	.then = "created",
	.copy = copy_handle_sites,
	.fill_chosen = pv_site_rows_text };

/* --- finalized objects by class */

enum { F_OBJECTS, F_TOTAL, F_MAX, F_AVERAGE, F_CLASS };

static const struct pv_column finalizer_columns[] = {
	[F_OBJECTS] = { "objects", "FINALIZED", PV_UNIT_COUNT, 9, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "Objects whose finalizer has run" },
	[F_TOTAL] = { "total_ns", "TOTAL", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "Time in those finalizers" },
	[F_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 4 },
	[F_AVERAGE] = { "average_ns", "AVERAGE", PV_UNIT_NS, 9, 3, .flags = 0 },
	[F_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};

static void put_finalized(
	struct pv_build *b, const struct pv_groups *g, const struct pv_finalized *sum)
{
	for (size_t i = 0; i < g->row.n; i++) {
		const struct pv_finalized *f = &sum[i];
		if (f->objects == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, g->row.v[i].id);
		pv_cell_u(&c[F_OBJECTS], f->objects);
		pv_cell_i_if(&c[F_TOTAL], f->timed, f->total_ns);
		pv_cell_i_if(&c[F_MAX], f->timed, f->max_ns);
		pv_cell_i_if(
			&c[F_AVERAGE], f->timed, f->timed ? f->total_ns / (int64_t)f->timed : 0);
		pv_cell_s(&c[F_CLASS], pv_group_name(b, g, (uint32_t)i));
	}
}

static void copy_finalizers(struct pv_build *b, struct pv_model *m)
{
	const struct pv_finalizers *f = &m->finalizers;
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	struct pv_finalized *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	for (size_t i = 0; sum && i < f->of_class.n; i++) {
		struct pv_finalized *to = &sum[pv_group_of(&g, (uint32_t)i)];
		const struct pv_finalized *from = &f->of_class.v[i];
		to->objects += from->objects;
		to->timed += from->timed;
		to->total_ns += from->total_ns;
		to->max_ns = from->max_ns > to->max_ns ? from->max_ns : to->max_ns;
	}
	if (sum)
		put_finalized(b, &g, sum);
	else
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_finalizers = { .column = finalizer_columns,
	.columns = PV_COUNT_OF(finalizer_columns),
	.name = "class",
	.sort = "objects",
	.then = "total_ns",
	.copy = copy_finalizers };
