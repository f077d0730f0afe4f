/* SPDX-License-Identifier: MIT */
/* Loads and unloads with their durations, and failed loads. */
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

enum { L_TIME, L_TOOK, L_WHAT, L_UNLOAD, L_FAILED, L_NAME };

static const struct pv_column columns[] = {
	[L_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 5, PV_COLUMN_ASCENDING, .json = 1 },
	[L_TOOK] = { "took_ns", "TOOK", PV_UNIT_NS, 9, 1, .json = 2 },
	[L_WHAT] = { "what", "WHAT", PV_UNIT_TEXT, 8, 2, PV_COLUMN_ASCENDING, .json = 3 },
	[L_UNLOAD] = { "unload", "UNLOAD", PV_UNIT_BOOL, 6, 3, .json = 4,
		.help = "Whether it was unloaded" },
	[L_FAILED] = { "failed", "FAILED", PV_UNIT_BOOL, 6, 4, .json = 5 },
	[L_NAME] = { "name", "NAME", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 6 },
};

static void copy_loads(struct pv_build *b, struct pv_model *m)
{
	static const char *const what[PV_ENTITY_KINDS] = { [PV_ENTITY_CLASS] = "class",
		[PV_ENTITY_IMAGE] = "image",
		[PV_ENTITY_ASSEMBLY] = "assembly",
		[PV_ENTITY_DOMAIN] = "domain" };
	for (size_t i = 0; i < m->loads.load.n; i++) {
		const struct pv_load *l = &m->loads.load.v[i];
		const char *name = pv_intern_text(&m->names.text, l->name);
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[L_TIME], m, l->end_ns);
		pv_cell_i_if(&c[L_TOOK], l->took_ns != PV_NEVER, l->took_ns);
		pv_cell_s(&c[L_WHAT], what[l->what]);
		pv_cell_u(&c[L_UNLOAD], l->unload);
		pv_cell_u(&c[L_FAILED], l->failed);
		pv_cell_s(&c[L_NAME], l->name ? name : pv_build_hex(b, l->key));
	}
}

const struct pv_view_spec pv_spec_loads = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "took_ns",
	.copy = copy_loads };
