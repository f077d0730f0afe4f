/*
 * Lives of what is allocated, as far as no object has to be followed: of each class how much was
 * allocated up to the newest heap shot, and how much of it that shot still lists. And how large
 * objects are.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/status.h"
#include "common/base/units.h"
#include "common/model/model.h"
#include "common/query/groups.h"
#include "common/query/specs.h"

/* --- by class */

enum { S_ALLOCATED, S_COUNT, S_ALIVE, S_OBJECTS, S_LIVES, S_DEAD, S_YOUNG, S_NAME };

static const struct pv_column survival_columns[] = {
	[S_ALLOCATED] = { "allocated_bytes", "ALLOCATED", PV_UNIT_BYTES, 9, 2, PV_COLUMN_ADDS },
	[S_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 5, PV_COLUMN_ADDS },
	[S_ALIVE] = { "alive_bytes", "ALIVE", PV_UNIT_BYTES, 9, 3, PV_COLUMN_ADDS },
	[S_OBJECTS] = { "alive_objects", "OBJECTS", PV_UNIT_COUNT, 8, 6, PV_COLUMN_ADDS },
	[S_LIVES] = { "alive_percent", "ALIVE%", PV_UNIT_PERCENT, 6, 1, 0 },
	[S_DEAD] = { "dead_objects", "DEAD", PV_UNIT_COUNT, 8, 4, PV_COLUMN_ADDS },
	[S_YOUNG] = { "young_objects", "YOUNG", PV_UNIT_COUNT, 8, 8, PV_COLUMN_ADDS },
	[S_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 24, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS },
};

struct life {
	uint64_t count, bytes;   /* allocated up to the shot, or in all */
	uint64_t objects, alive; /* listed by it; bytes */
	uint64_t young;
};

/* The newest one, if it is known what was allocated up to it; NULL: there is none. */
static const struct pv_shot *usable_shot(const struct pv_model *m)
{
	const struct pv_shot *s = pv_shots_newest(&m->shots);
	return s && m->allocs.shot == s->index + 1 && !s->classes_folded ? s : NULL;
}

static void add_all(const struct pv_model *m, const struct pv_groups *g, struct life *sum)
{
	const struct pv_shot *shot = usable_shot(m);
	for (size_t i = 0; i < m->allocs.class_use.n; i++) {
		const struct pv_class_allocs *c = &m->allocs.class_use.v[i];
		struct life *to = &sum[pv_group_of(g, (uint32_t)i)];
		to->count += shot ? c->shot_count : c->count;
		to->bytes += shot ? c->shot_bytes : c->bytes;
	}
	for (size_t i = 0; shot && i < shot->classes.n; i++) {
		const struct pv_shot_class *c = &shot->classes.v[i];
		struct life *to = &sum[pv_group_of(g, c->class_use)];
		to->objects += c->objects;
		to->alive += c->bytes;
		to->young += shot->generations ? c->young_objects : 0;
	}
}

/*
 * No share can be said of estimates, of objects that are older than the log or the range, and of
 * those of one thread, while a shot lists those of all.
 */
static bool is_share(const struct pv_model *m, const struct life *l)
{
	bool part = m->only.threaded || m->target.joined || (m->only.ranged && m->only.from_ns > 0);
	return !part && !m->allocs.period && l->count > 0 && l->objects <= l->count;
}

static void put_class(struct pv_build *b, const struct pv_model *m, const struct pv_groups *g,
	size_t at, const struct life *l)
{
	const struct pv_shot *shot = usable_shot(m);
	bool share = shot && is_share(m, l);
	struct pv_cell *c = pv_build_row(b, g->row.v[at].id);
	pv_cell_u(&c[S_ALLOCATED], l->bytes);
	pv_cell_u(&c[S_COUNT], l->count);
	pv_cell_u_if(&c[S_ALIVE], shot, l->alive);
	pv_cell_u_if(&c[S_OBJECTS], shot, l->objects);
	pv_cell_share(&c[S_LIVES], (double)l->objects, share ? (double)l->count : 0);
	pv_cell_u_if(&c[S_DEAD], share, share ? l->count - l->objects : 0);
	pv_cell_u_if(&c[S_YOUNG], shot && shot->generations, l->young);
	pv_cell_s(&c[S_NAME], pv_group_name(b, g, (uint32_t)at));
}

/* The shot that the figures rest on, before the usual line. */
static void put_line(struct pv_build *b, const struct pv_model *m)
{
	const struct pv_shot *shot = usable_shot(m);
	char at[PV_UNIT_MAX];
	if (!b->table)
		return;
	const char *line =
		!shot ? "no whole heap shot: who is alive is not known"
		      : pv_build_printf(b, "alive at shot %" PRIu32 ", %s%s%s", shot->index,
				pv_units_clock(at, sizeof at,
					(int64_t)((uint64_t)shot->start_ns - (uint64_t)m->zero_ns)),
				m->allocs.period ? "; allocations are estimated: no shares" : "",
				pv_shots_content(m) == PV_SHOTS_GARBAGE
					? "; with what nothing holds"
					: "");
	if (b->table)
		b->table->coverage = pv_build_printf(b, "%s; %s", line, b->table->coverage);
}

static void copy_survival(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	struct life *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	if (sum)
		add_all(m, &g, sum);
	for (size_t i = 0; sum && i < g.row.n; i++)
		if (sum[i].count || sum[i].objects)
			put_class(b, m, &g, i, &sum[i]);
	put_line(b, m);
	if (!sum)
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_survival = { .column = survival_columns,
	.columns = PV_COUNT_OF(survival_columns),
	.name = "name",
	.sort = "allocated_bytes",
	.copy = copy_survival };

/* --- by size; a row's id is the power of two + 1 */

enum { Z_SHARE, Z_BYTES, Z_COUNT, Z_FROM, Z_TO, Z_SIZE };

static const struct pv_column size_columns[] = {
	[Z_SHARE] = { "allocated_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[Z_BYTES] = { "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS },
	[Z_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 2, PV_COLUMN_ADDS },
	[Z_FROM] = { "from_bytes", "FROM", PV_UNIT_BYTES, 9, 4, PV_COLUMN_HIDE_SCREEN },
	[Z_TO] = { "below_bytes", "BELOW", PV_UNIT_BYTES, 9, 5, PV_COLUMN_HIDE_SCREEN },
	[Z_SIZE] = { "size", "SIZE OF OBJECT", PV_UNIT_TEXT, 20, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void put_size(struct pv_build *b, unsigned i, const struct pv_alloc_size *s, uint64_t all)
{
	const bool last = i + 1 == PV_ALLOC_SIZES;
	const uint64_t from = i ? UINT64_C(1) << i : 0, to = UINT64_C(2) << i;
	char low[PV_UNIT_MAX], high[PV_UNIT_MAX];
	struct pv_cell *c = pv_build_row(b, i + 1);
	pv_cell_share(&c[Z_SHARE], (double)s->bytes, (double)all);
	pv_cell_u(&c[Z_BYTES], s->bytes);
	pv_cell_u(&c[Z_COUNT], s->count);
	pv_cell_u(&c[Z_FROM], from);
	pv_cell_u_if(&c[Z_TO], !last, to);
	pv_units_bytes(low, sizeof low, from);
	pv_units_bytes(high, sizeof high, to);
	pv_cell_s(&c[Z_SIZE], last ? pv_build_printf(b, "from %s on", low)
				   : pv_build_printf(b, "%s to < %s", low, high));
}

static void copy_sizes(struct pv_build *b, struct pv_model *m)
{
	for (unsigned i = 0; i < PV_ALLOC_SIZES; i++)
		if (m->allocs.size[i].count)
			put_size(b, i, &m->allocs.size[i], m->allocs.bytes);
}

const struct pv_view_spec pv_spec_allocation_sizes = { .column = size_columns,
	.columns = PV_COUNT_OF(size_columns),
	.name = "size",
	.copy = copy_sizes };
