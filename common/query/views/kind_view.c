/* SPDX-License-Identifier: MIT */
/* Self times and samples of methods by whose code they are: a row a kind (code_kind.h). */
#include "common/base/saturate.h"
#include "common/query/groups/code_kind.h"
#include "common/query/groups/specs.h"

enum { K_SHARE, K_SELF, K_SAMPLES, K_KIND };

static const struct pv_column kind_columns[] = {
	[K_SHARE] = { "share_percent", "SHARE%", PV_UNIT_PERCENT, 6, 1, .flags = PV_COLUMN_ADDS },
	[K_SELF] = { "self_ns", "SELF", PV_UNIT_NS, 9, 2, PV_COLUMN_ADDS, .json = 2 },
	[K_SAMPLES] = { "samples_self", "SAMPLES", PV_UNIT_COUNT, 9, 3, PV_COLUMN_ADDS, .json = 3 },
	[K_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
};

/* By samples, if there are enough: samples include code that was not traced. */
static void run_kinds(struct pv_build *b, struct pv_model *m)
{
	enum { ENOUGH = 30 };
	struct pv_kind_sum sum[PV_CODE_UNKNOWN + 1] = { 0 }, all = { 0 };
	struct pv_query q = *b->query;
	const struct pv_query *asked = b->query;
	q.group = PV_BY_NAME;
	b->query = &q;
	bool ok = pv_kind_sums(b, m, sum);
	b->query = asked;
	if (!ok) {
		pv_build_fail(b);
		return;
	}
	for (unsigned k = 0; k <= PV_CODE_UNKNOWN; k++) {
		all.self_ns = pv_sat_add(all.self_ns, sum[k].self_ns);
		all.samples += sum[k].samples;
	}
	for (unsigned k = 0; k <= PV_CODE_UNKNOWN; k++) {
		const char *name = pv_code_kind_text((enum pv_code_kind)k);
		if (!sum[k].self_ns && !sum[k].samples)
			continue;
		struct pv_cell *c = pv_build_row(b, k + 1);
		if (all.samples >= ENOUGH || !all.self_ns)
			pv_cell_share(&c[K_SHARE], (double)sum[k].samples, (double)all.samples);
		else
			pv_cell_share(&c[K_SHARE], (double)sum[k].self_ns, (double)all.self_ns);
		pv_cell_i(&c[K_SELF], sum[k].self_ns);
		pv_cell_u(&c[K_SAMPLES], sum[k].samples);
		pv_cell_s(&c[K_KIND], name ? name : "not known");
	}
}

const struct pv_view_spec pv_spec_code_kinds = { .column = kind_columns,
	.columns = PV_COUNT_OF(kind_columns),
	.name = "kind",
	.sort = "share_percent",
	.run = run_kinds };
