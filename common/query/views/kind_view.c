/* Self times and samples of methods by whose code they are: a row a kind (code_kind.h). */
#include <string.h>

#include "common/base/saturate.h"
#include "common/query/code_kind.h"
#include "common/query/specs.h"

enum { K_SHARE, K_SELF, K_SAMPLES, K_KIND };

static const struct pv_column kind_columns[] = {
	[K_SHARE] = { "share_percent", "SHARE%", PV_UNIT_PERCENT, 6, 1, PV_COLUMN_HIDE_JSON },
	[K_SELF] = { "self_ns", "SELF", PV_UNIT_NS, 9, 2, 0 },
	[K_SAMPLES] = { "samples_self", "SAMPLES", PV_UNIT_COUNT, 9, 3, 0 },
	[K_KIND] = { "kind", "KIND", PV_UNIT_TEXT, 9, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

struct sums {
	int64_t self_ns[PV_CODE_UNKNOWN + 1];
	uint64_t samples[PV_CODE_UNKNOWN + 1];
	int64_t all_ns;
	uint64_t all_samples;
};

static enum pv_code_kind kind_of(const struct pv_cell *c)
{
	enum pv_code_kind kind = 0;
	while (kind < PV_CODE_UNKNOWN &&
		(c->state != PV_CELL_VALUE || !c->s || strcmp(c->s, pv_code_kind_text(kind)) != 0))
		kind++;
	return kind;
}

static void add_up(const struct pv_table *methods, struct sums *sums)
{
	const int kind = pv_table_column(methods, "kind"),
		  self = pv_table_column(methods, "self_ns"),
		  samples = pv_table_column(methods, "samples_self");
	for (size_t i = 0; i < methods->rows && kind >= 0 && self >= 0 && samples >= 0; i++) {
		const struct pv_cell *c = methods->row[i].cell;
		const enum pv_code_kind k = kind_of(&c[kind]);
		const int64_t ns = c[self].state == PV_CELL_VALUE ? c[self].i : 0;
		const uint64_t hits = c[samples].state == PV_CELL_VALUE ? c[samples].u : 0;
		sums->self_ns[k] = pv_sat_add(sums->self_ns[k], ns);
		sums->all_ns = pv_sat_add(sums->all_ns, ns);
		sums->samples[k] += hits;
		sums->all_samples += hits;
	}
}

/* Of samples where there are enough of them: they see what was not traced, too. */
static void run_kinds(struct pv_build *b, struct pv_model *m)
{
	struct pv_query q = *b->query;
	enum { ENOUGH = 30 };
	struct sums sums = { 0 };
	q.filter = q.sort = NULL;
	q.limit = 0;
	q.group = PV_BY_NAME;
	struct pv_table *methods = pv_spec_table(m, &pv_spec_methods, PV_VIEW_METHODS, &q);
	pv_model_lock(m);
	pv_build_stamp(b, m);
	pv_model_unlock(m);
	if (!methods) {
		pv_build_fail(b);
		return;
	}
	add_up(methods, &sums);
	for (unsigned k = 0; k <= PV_CODE_UNKNOWN; k++) {
		const char *name = pv_code_kind_text((enum pv_code_kind)k);
		if (!sums.self_ns[k] && !sums.samples[k])
			continue;
		struct pv_cell *c = pv_build_row(b, k + 1);
		if (sums.all_samples >= ENOUGH || !sums.all_ns)
			pv_cell_share(
				&c[K_SHARE], (double)sums.samples[k], (double)sums.all_samples);
		else
			pv_cell_share(&c[K_SHARE], (double)sums.self_ns[k], (double)sums.all_ns);
		pv_cell_i(&c[K_SELF], sums.self_ns[k]);
		pv_cell_u(&c[K_SAMPLES], sums.samples[k]);
		pv_cell_s(&c[K_KIND], name ? name : "not known");
	}
	if (b->table)
		b->table->waited = methods->waited;
	pv_table_destroy(methods);
}

const struct pv_view_spec pv_spec_code_kinds = { .column = kind_columns,
	.columns = PV_COUNT_OF(kind_columns),
	.name = "kind",
	.sort = "share_percent",
	.run = run_kinds };
