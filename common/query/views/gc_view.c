/* SPDX-License-Identifier: MIT */
/* Garbage collections, pauses, and sums by generation. */
#include "common/base/status.h"
#include "common/model/objects/gc.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

/* --- collections --- */

enum {
	C_START,
	C_GENERATION,
	C_PAUSE,
	C_DURATION,
	C_CONCURRENT,
	C_BEFORE,
	C_AFTER,
	C_FREED,
	C_ALLOCATED,
	C_MARK,
	C_SWEEP,
	C_NUMBER,
	C_MERGED,
	C_STAND,
	C_MOVED,
	C_PROMOTED,
	C_WHY
};

static const struct pv_column collection_columns[] = {
	[C_START] = { "start_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 2 },
	[C_GENERATION] = { "generation", "GEN", PV_UNIT_COUNT, 3, 1, .json = 1 },
	[C_PAUSE] = { "pause_ns", "STOPPED", PV_UNIT_NS, 9, 2, PV_COLUMN_ADDS, .json = 4,
		.help = "How long the program stood still for it" },
	[C_DURATION] = { "duration_ns", "LASTED", PV_UNIT_NS, 9, 4, PV_COLUMN_ADDS, .json = 3,
		.help = "From its start to its end, part of it beside the running program" },
	[C_CONCURRENT] = { "concurrent", "CONCURRENT", PV_UNIT_BOOL, 10, 8, .json = 5,
		.help = "Whether it ran beside the program" },
	[C_BEFORE] = { "heap_before", "BEFORE", PV_UNIT_BYTES, 9, 5, .json = 6,
		.help = "Size of the heap before it" },
	[C_AFTER] = { "heap_after", "AFTER", PV_UNIT_BYTES, 9, 3, .json = 7,
		.help = "Size of the heap after it" },
	[C_FREED] = { "heap_change", "CHANGE", PV_UNIT_DELTA_BYTES, 10, 7,
		.help = "The difference" },
	[C_ALLOCATED] = { "allocated_since_last", "ALLOCATED", PV_UNIT_BYTES, 9, 6, PV_COLUMN_ADDS,
		.json = 8, .help = "Allocated since the collection before" },
	[C_MARK] = { "mark_ns", "MARK", PV_UNIT_NS, 9, 10, PV_COLUMN_ADDS, .json = 9,
		.help = "Time in which it looked for what is alive" },
	[C_SWEEP] = { "sweep_ns", "SWEEP", PV_UNIT_NS, 9, 11, PV_COLUMN_ADDS, .json = 10,
		.help = "Time in which it freed what is not" },
	[C_NUMBER] = { "number", "NUMBER", PV_UNIT_COUNT, 6, 12, .json = 11,
		.help = "Its number, as the runtime counts" },
	[C_MERGED] = { "merged", "MERGED", PV_UNIT_COUNT, 6, 9, .flags = PV_COLUMN_HIDE_SCREEN },
	[C_STAND] = { "to_stop_ns", "TO STOP", PV_UNIT_NS, 9, 13, PV_COLUMN_ADDS, .json = 12,
		.help = "Of STOPPED: until all threads stood" },
	[C_MOVED] = { "moved_objects", "MOVED", PV_UNIT_COUNT, 8, 14, PV_COLUMN_ADDS, .json = 13,
		.help = "Objects that it moved" },
	[C_PROMOTED] = { "promoted_bytes", "PROMOTED", PV_UNIT_BYTES, 9, 12, PV_COLUMN_ADDS,
		.json = 14, .help = "Bytes that survived in the generations it collected" },
	[C_WHY] = { "reason", "REASON", PV_UNIT_TEXT, 13, 5, PV_COLUMN_ASCENDING | PV_COLUMN_REMARK,
		.json = 15,
		.help = "Why it came, as the runtime says: budget, asked for by the program, memory" },
};

static const char *const reasons[PV_WHYS] = { [PV_WHY_NOT_ASKED] = "not asked for",
	[PV_WHY_FIRST + 0] = "small budget",
	[PV_WHY_FIRST + 1] = "asked for",
	[PV_WHY_FIRST + 2] = "low memory",
	[PV_WHY_FIRST + 3] = "empty",
	[PV_WHY_FIRST + 4] = "large budget",
	[PV_WHY_FIRST + 5] = "no room",
	[PV_WHY_FIRST + 6] = "no large room",
	[PV_WHY_FIRST + 7] = "asked, if fit",
	[PV_WHY_FIRST + 8] = "runtime",
	[PV_WHY_FIRST + 9] = "low memory",
	[PV_WHY_FIRST + 10] = "asked, compact",
	[PV_WHY_FIRST + 11] = "low memory",
	[PV_WHY_FIRST + 12] = "nearly full",
	[PV_WHY_FIRST + 13] = "low memory" };

static uint64_t promoted(const struct pv_collection *e)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < PV_REGIONS; i++)
		sum += e->promoted[i];
	return sum;
}

static void copy_collections(struct pv_build *b, struct pv_model *m)
{
	const struct pv_gc *gc = &m->gc;
	unsigned known = pv_groups_known(m);
	for (size_t i = 0; i < gc->collections.n; i++) {
		const struct pv_collection *e = &gc->collections.v[i];
		uint64_t before, after;
		pv_gc_heap_around(gc, i, &before, &after);
		if (pv_target_is_event_stream(&m->target))
			before = 0; /* the stream has sizes after collections only */
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[C_START], m, e->start_ns);
		pv_cell_u(&c[C_GENERATION], e->generation);
		pv_cell_i_if(
			&c[C_PAUSE], e->pause_ns != 0, e->pause_ns); /* 0: the stop has not ended */
		pv_cell_i_if(&c[C_DURATION], e->end_ns != PV_NEVER, e->duration_ns);
		pv_cell_u(&c[C_CONCURRENT], e->concurrent);
		pv_cell_u_if(&c[C_BEFORE], before, before); /* 0: not known yet */
		pv_cell_u_if(&c[C_AFTER], after, after);
		pv_cell_i_if(&c[C_FREED], before && after, (int64_t)(after - before));
		pv_cell_u_if(&c[C_ALLOCATED], known & PV_GROUP_ALLOC, e->allocated);
		pv_cell_i_if(&c[C_MARK], e->phases & PV_COLLECTION_MARKED, e->mark_ns);
		pv_cell_i_if(&c[C_SWEEP], e->phases & PV_COLLECTION_SWEPT, e->sweep_ns);
		pv_cell_u_if(&c[C_NUMBER], e->merged == 1 && pv_stage_at_least(m, 'B'), e->number);
		pv_cell_u(&c[C_MERGED], e->merged);
		pv_cell_i_if(&c[C_STAND], e->stand_ns != PV_NEVER, e->stand_ns);
		pv_cell_u_if(&c[C_MOVED], known & PV_GROUP_MOVES, e->moved);
		pv_cell_u_if(&c[C_PROMOTED], e->phases & PV_COLLECTION_LEFT, promoted(e));
		pv_cell_s(&c[C_WHY], e->phases & PV_COLLECTION_WHY ? reasons[e->why] : NULL);
	}
}

const struct pv_view_spec pv_spec_collections = { .column = collection_columns,
	.columns = PV_COUNT_OF(collection_columns),
	.sort = "start_ns",
	.copy = copy_collections };

/* --- pauses --- */

static const struct pv_column pause_columns[] = {
	{ "start_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 1 },
	{ "duration_ns", "STOPPED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "How long all threads stood still" },
};

static void copy_pauses(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < m->gc.pauses.n; i++) {
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[0], m, m->gc.pauses.v[i].start_ns);
		pv_cell_i(&c[1], m->gc.pauses.v[i].duration_ns);
	}
}

const struct pv_view_spec pv_spec_pauses = { .column = pause_columns,
	.columns = PV_COUNT_OF(pause_columns),
	.sort = "start_ns",
	.copy = copy_pauses };

/* --- generations --- */

enum { G_GENERATION, G_COUNT, G_TOTAL, G_MAX, G_AVERAGE };

static const struct pv_column generation_columns[] = {
	[G_GENERATION] = { "generation", "GEN", PV_UNIT_COUNT, 3, 0, PV_COLUMN_ASCENDING,
		.json = 1 },
	[G_COUNT] = { "count", "COLLECTIONS", PV_UNIT_COUNT, 11, 0, PV_COLUMN_ADDS, .json = 2,
		.help = "Collections of this generation" },
	[G_TOTAL] = { "total_ns", "LASTED", PV_UNIT_NS, 9, 1, PV_COLUMN_ADDS, .json = 3,
		.help = "From start to end, all together" },
	[G_MAX] = { "max_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 4 },
	[G_AVERAGE] = { "average_ns", "AVERAGE", PV_UNIT_NS, 9, 3, .flags = 0 },
};

static void copy_generations(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 0; i < PV_GC_GENERATIONS; i++) {
		const struct pv_generation g = pv_gc_generation(&m->gc, (unsigned)i);
		if (g.count == 0)
			continue;
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[G_GENERATION], i);
		pv_cell_u(&c[G_COUNT], g.count);
		pv_cell_i(&c[G_TOTAL], g.total_ns);
		pv_cell_i(&c[G_MAX], g.max_ns);
		pv_cell_i(&c[G_AVERAGE], g.total_ns / (int64_t)g.count);
	}
}

const struct pv_view_spec pv_spec_generations = { .column = generation_columns,
	.columns = PV_COUNT_OF(generation_columns),
	.sort = "generation",
	.copy = copy_generations };
