/* SPDX-License-Identifier: MIT */
/*
 * Lives of allocated objects by class: how much was allocated up to a heap shot, and how much the
 * shot still lists. The shot is the newest; if objects were followed, the last shot followed to,
 * and then deaths at a young age are known, too. Also allocations by size.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/base/status.h"
#include "common/base/text/units.h"
#include "common/model/model.h"
#include "common/model/identity/identity.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/identity_line.h"
#include "common/query/groups/specs.h"

/* --- by class */

enum {
	S_ALLOCATED,
	S_COUNT,
	S_ALIVE,
	S_OBJECTS,
	S_LIVES,
	S_YOUNG,
	S_YOUNG_BYTES,
	S_YOUNG_SHARE,
	S_DEAD,
	S_PROMOTED,
	S_PROMOTED_BYTES,
	S_FIRST,
	S_NAME
};

static const struct pv_column survival_columns[] = {
	[S_ALLOCATED] = { "allocated_bytes", "ALLOCATED", PV_UNIT_BYTES, 9, 2, PV_COLUMN_ADDS,
		.json = 3,
		.help = "Allocated up to the heap shot of the line below; without one in all" },
	[S_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 5, PV_COLUMN_ADDS, .json = 2,
		.help = "Likewise, objects" },
	[S_ALIVE] = { "alive_bytes", "ALIVE", PV_UNIT_BYTES, 9, 3, PV_COLUMN_ADDS, .json = 5,
		.help = "What that shot lists of them" },
	[S_OBJECTS] = { "alive_objects", "OBJECTS", PV_UNIT_COUNT, 8, 5, PV_COLUMN_ADDS, .json = 4,
		.help = "Likewise, objects" },
	[S_LIVES] = { "alive_percent", "ALIVE%", PV_UNIT_PERCENT, 6, 1,
		.help = "Objects that it lists, of those allocated" },
	[S_YOUNG] = { "died_young", "DIED YOUNG", PV_UNIT_COUNT, 10, 4, PV_COLUMN_ADDS, .json = 6,
		.help = "Of the dead: no heap shot ever listed them, gone by the first one after their birth" },
	[S_YOUNG_BYTES] = { "died_young_bytes", "YOUNG B", PV_UNIT_BYTES, 9, 9, PV_COLUMN_ADDS,
		.json = 7, .help = "Likewise, bytes" },
	[S_YOUNG_SHARE] = { "died_young_percent", "YOUNG%", PV_UNIT_PERCENT, 6, 6,
		.help = "Those that died young, of those allocated" },
	[S_DEAD] = { "dead_objects", "DEAD", PV_UNIT_COUNT, 8, 7, PV_COLUMN_ADDS, .json = 8,
		.help = "Those allocated that it does not list" },
	[S_PROMOTED] = { "promoted_objects", "PROMOTED", PV_UNIT_COUNT, 8, 8, PV_COLUMN_ADDS,
		.json = 10,
		.help = "Objects that it lists in a generation above 0: they survived collections" },
	[S_PROMOTED_BYTES] = { "promoted_bytes", "PROMOTED B", PV_UNIT_BYTES, 10, 10,
		PV_COLUMN_ADDS, .json = 11, .help = "Likewise, bytes" },
	[S_FIRST] = { "young_objects", "GEN 0", PV_UNIT_COUNT, 8, 11, PV_COLUMN_ADDS, .json = 9,
		.help = "Objects that it lists in generation 0: no collection has promoted them" },
	[S_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 24, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};

struct life {
	uint64_t count, bytes;   /* allocated up to the shot, or in all */
	uint64_t objects, alive; /* listed by the shot; bytes */
	uint64_t promoted, promoted_bytes;
	uint64_t older; /* of `objects`: allocation not recorded; if followed */
	uint64_t young, young_bytes;
};

/* Which figures are known, from model or identity. */
struct whole {
	bool alive, allocated, shares, generations, young;
};

/* The newest shot, if allocations up to the shot are known; NULL: none. */
static const struct pv_shot *usable_shot(const struct pv_model *m)
{
	const struct pv_shot *s = pv_shots_newest(&m->shots);
	return s && m->allocs.shot == s->index + 1 && !s->classes_folded ? s : NULL;
}

static void add_all_lives(const struct pv_model *m, const struct pv_groups *g, struct life *sum)
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
		to->promoted += shot->generations ? c->objects - c->young_objects : 0;
		to->promoted_bytes += shot->generations ? c->bytes - c->young_bytes : 0;
	}
}

/* Figures by followed objects. */
static void add_followed(const struct pv_identity *l, const struct pv_groups *g, struct life *sum)
{
	for (uint32_t i = 0; i < l->fates.of.n; i++) {
		const struct pv_life_fate *f = &l->fates.of.v[i];
		struct life *to = &sum[pv_group_of(g, i)];
		to->count += f->allocated;
		to->bytes += f->allocated_bytes;
		to->young += f->young;
		to->young_bytes += f->young_bytes;
		to->promoted += f->promoted;
		to->promoted_bytes += f->promoted_bytes;
	}
	for (size_t i = 0; i < l->row.n; i++) {
		const struct pv_life_row *r = &l->row.v[i];
		const struct pv_life_site *at = &l->site.v[r->site];
		struct life *to = &sum[pv_group_of(g, at->class_use)];
		to->objects += r->shot_objects;
		to->alive += r->shot_bytes;
		to->older += at->allocated ? 0 : r->shot_objects;
	}
}

/*
 * Shares are not known of estimates, of objects older than the log or the range, nor of one
 * thread's objects, as a shot lists all threads'.
 */
static struct whole of_model(const struct pv_model *m)
{
	const struct pv_shot *shot = usable_shot(m);
	bool part = pv_restricts_threads(&m->only) || m->target.joined ||
		    (m->only.ranged && m->only.from_ns > 0);
	return (struct whole){ .alive = shot,
		.allocated = true,
		.shares = shot && !part && !m->allocs.period,
		.generations = shot && shot->generations };
}

static struct whole of_followed(const struct pv_identity *l)
{
	bool known = pv_identity_knows_young(l);
	return (struct whole){ .alive = true,
		.allocated = known,
		.shares = known,
		.generations = l->fates.generations,
		.young = known };
}

static void put_class(struct pv_build *b, const struct whole *w, const struct pv_groups *g,
	size_t at, const struct life *l)
{
	uint64_t lives = l->objects - l->older;
	bool share = w->shares && l->count > 0 && lives <= l->count;
	struct pv_cell *c = pv_build_row(b, g->row.v[at].id);
	pv_cell_u_if(&c[S_ALLOCATED], w->allocated, l->bytes);
	pv_cell_u_if(&c[S_COUNT], w->allocated, l->count);
	pv_cell_u_if(&c[S_ALIVE], w->alive, l->alive);
	pv_cell_u_if(&c[S_OBJECTS], w->alive, l->objects);
	pv_cell_share(&c[S_LIVES], (double)lives, share ? (double)l->count : 0);
	pv_cell_u_if(&c[S_YOUNG], w->young, l->young);
	pv_cell_u_if(&c[S_YOUNG_BYTES], w->young, l->young_bytes);
	pv_cell_share(&c[S_YOUNG_SHARE], (double)l->young, w->young ? (double)l->count : 0);
	pv_cell_u_if(&c[S_DEAD], share, share ? l->count - lives : 0);
	pv_cell_u_if(&c[S_PROMOTED], w->generations, l->promoted);
	pv_cell_u_if(&c[S_PROMOTED_BYTES], w->generations, l->promoted_bytes);
	pv_cell_u_if(&c[S_FIRST], w->generations, l->objects - l->promoted);
	pv_cell_s(&c[S_NAME], pv_group_name(b, g, (uint32_t)at));
}

/* The shot, and how certain identity is. */
static void put_followed_line(
	struct pv_build *b, const struct pv_model *m, const struct pv_identity *l)
{
	char text[PV_IDENTITY_LINE], at[PV_UNIT_MAX] = "";
	pv_identity_text(l, text, sizeof text);
	if (l->step.n)
		pv_units_clock(at, sizeof at,
			(int64_t)((uint64_t)l->step.v[l->step.n - 1].time_ns -
				  (uint64_t)m->zero_ns));
	b->table->coverage =
		pv_build_printf(b, "alive at shot %" PRIu32 ", %s; %s%s", l->options.shot, at,
			pv_identity_knows_young(l) ? "" : "who died young is not known: ", text);
}

/* Why deaths at a young age are not known, as far as the model says. */
static const char *why_not_young(const struct pv_model *m)
{
	const struct pv_shot *shot = usable_shot(m);
	if (!shot || m->allocs.period)
		return "";
	if (!m->kinds[PV_KIND_GC_MOVE] && m->kinds[PV_KIND_GC_EVENT])
		return "; moves were not recorded: who died young is not known";
	if (m->lost_events || m->damaged || m->target.logging2007)
		return "; the log is not whole: who died young is not known";
	return "; " PV_NOT_FOLLOWED ": who died young is not known";
}

/* The shot with the figures, before the usual line. */
static void put_line(struct pv_build *b, const struct pv_model *m)
{
	const struct pv_shot *shot = usable_shot(m);
	char at[PV_UNIT_MAX];
	if (!b->table)
		return;
	const char *line =
		!shot ? "no whole heap shot: who is alive is not known"
		      : pv_build_printf(b, "alive at shot %" PRIu32 ", %s%s%s%s", shot->index,
				pv_units_clock(at, sizeof at,
					(int64_t)((uint64_t)shot->start_ns - (uint64_t)m->zero_ns)),
				m->allocs.period ? "; allocations are estimated: no shares, "
						   "and who died young is not known"
						 : "",
				why_not_young(m),
				pv_shots_content(m) == PV_SHOTS_GARBAGE
					? "; with what nothing holds"
					: "");
	if (b->table)
		b->table->coverage = pv_build_printf(b, "%s; %s", line, b->table->coverage);
}

static void copy_survival(struct pv_build *b, struct pv_model *m)
{
	const struct pv_identity *l = b->query->identity;
	const struct whole w = l ? of_followed(l) : of_model(m);
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	struct life *sum = ok ? calloc(g.row.n, sizeof *sum) : NULL;
	if (sum && l)
		add_followed(l, &g, sum);
	else if (sum)
		add_all_lives(m, &g, sum);
	for (size_t i = 0; sum && i < g.row.n; i++)
		if (sum[i].count || sum[i].objects)
			put_class(b, &w, &g, i, &sum[i]);
	if (l && b->table)
		put_followed_line(b, m, l);
	else
		put_line(b, m);
	if (!sum)
		pv_build_fail(b);
	free(sum);
	pv_groups_finish(&g);
}

#define SURVIVAL                                                                                   \
	{ .column = survival_columns,                                                              \
		.columns = PV_COUNT_OF(survival_columns),                                          \
		.name = "name",                                                                    \
		.sort = "allocated_bytes",                                                         \
		.copy = copy_survival }
const struct pv_view_spec pv_spec_survival = SURVIVAL, pv_spec_lives = SURVIVAL;

/* --- by size; a row's id is the power of two + 1 */

enum { Z_SHARE, Z_BYTES, Z_COUNT, Z_FROM, Z_TO, Z_SIZE };

static const struct pv_column size_columns[] = {
	[Z_SHARE] = { "allocated_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3,
		.flags = PV_COLUMN_ADDS },
	[Z_BYTES] = { "allocated_bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 4 },
	[Z_COUNT] = { "allocations", "ALLOCATIONS", PV_UNIT_COUNT, 11, 2, PV_COLUMN_ADDS,
		.json = 3 },
	[Z_FROM] = { "from_bytes", "FROM", PV_UNIT_BYTES, 9, 4, PV_COLUMN_HIDE_SCREEN, .json = 1 },
	[Z_TO] = { "below_bytes", "BELOW", PV_UNIT_BYTES, 9, 5, PV_COLUMN_HIDE_SCREEN, .json = 2 },
	[Z_SIZE] = { "size", "SIZE OF OBJECT", PV_UNIT_TEXT, 20, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.help = "Sizes of single objects, by powers of two" },
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

/* Sizes of the chosen class, or of all, where objects were followed. */
static bool add_sizes(struct pv_build *b, struct pv_model *m, struct pv_alloc_size *sum)
{
	const struct pv_life_fates *f = &b->query->identity->fates;
	struct pv_groups g;
	bool ok = pv_groups_classes(m, b, &g);
	uint32_t only = ok && b->query->select ? pv_groups_find(&g, b->query->select) : UINT32_MAX;
	for (size_t i = 0; ok && i < f->size.n; i++) {
		const struct pv_life_size *z = &f->size.v[i];
		if (b->query->select && pv_group_of(&g, z->class_use) != only)
			continue;
		sum[z->at].count += z->count;
		sum[z->at].bytes += z->bytes;
	}
	pv_groups_finish(&g);
	return ok;
}

static void copy_sizes(struct pv_build *b, struct pv_model *m)
{
	struct pv_alloc_size followed[PV_ALLOC_SIZES] = { { 0 } };
	const struct pv_alloc_size *s = b->query->identity ? followed : m->allocs.size;
	uint64_t all = 0;
	if (b->query->identity && !add_sizes(b, m, followed))
		pv_build_fail(b);
	for (unsigned i = 0; i < PV_ALLOC_SIZES; i++)
		all += s[i].bytes;
	for (unsigned i = 0; i < PV_ALLOC_SIZES; i++)
		if (s[i].count)
			put_size(b, i, &s[i], all);
	if (b->query->identity && b->table)
		put_followed_line(b, m, b->query->identity);
}

const struct pv_view_spec pv_spec_allocation_sizes = { .column = size_columns,
	.columns = PV_COUNT_OF(size_columns),
	.name = "size",
	.copy = copy_sizes };
