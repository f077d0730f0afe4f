#include <stdlib.h>

#include "common/base/status.h"
#include "common/model/objects/locks.h"
#include "common/model/model.h"
#include "common/query/groups.h"
#include "common/query/specs.h"
#include "common/query/trends.h"

enum {
	L_WAIT,
	L_WAITING,
	L_SHARE,
	L_MAX,
	L_COUNT,
	L_TREND,
	L_ACQUIRED,
	L_FAILED,
	L_OBJECT,
	L_CLASS
};

static const struct pv_column columns[] = {
	[L_WAIT] = { "wait_ns", "WAITED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS },
	[L_WAITING] = { "waiting", "WAITING", PV_UNIT_COUNT, 7, 1, PV_COLUMN_ADDS },
	[L_SHARE] = { "wait_percent", "WAIT%", PV_UNIT_PERCENT, 6, 4,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[L_MAX] = { "max_wait_ns", "LONGEST", PV_UNIT_NS, 9, 2, 0 },
	[L_COUNT] = { "contentions", "CONTENDED", PV_UNIT_COUNT, 9, 1, PV_COLUMN_ADDS },
	[L_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 3,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_NUMBERS },
	[L_ACQUIRED] = { "acquired", "ACQUIRED", PV_UNIT_COUNT, 8, 5,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[L_FAILED] = { "failed", "FAILED", PV_UNIT_COUNT, 6, 6,
		PV_COLUMN_HIDE_JSON | PV_COLUMN_ADDS },
	[L_OBJECT] = { "object", "OBJECT", PV_UNIT_ADDRESS, 14, 3, PV_COLUMN_ASCENDING },
	[L_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS },
};

/* Threads by the lock that they wait for and have not got yet; NULL when out of memory. */
static uint32_t *waiting_for(const struct pv_model *m)
{
	uint32_t *ret = calloc(m->locks.lock.n + 1, sizeof *ret);
	for (size_t t = 1; ret && t < m->threads.thread.n; t++) {
		const struct pv_thread *th = m->threads.thread.v[t];
		for (size_t i = 0; i < th->wait.n; i++)
			ret[th->wait.v[i].lock]++;
	}
	return ret;
}

static void put_lock(struct pv_build *b, const struct pv_model *m, const struct pv_groups *g,
	size_t i, uint32_t waiting)
{
	const struct pv_lock *l = &m->locks.lock.v[i];
	uint32_t class = pv_group_of(g, l->class_use);
	struct pv_cell *c = pv_build_row(b, i + 1);
	pv_cell_i(&c[L_WAIT], l->wait_ns);
	pv_cell_u(&c[L_WAITING], waiting);
	pv_cell_share(&c[L_SHARE], (double)l->wait_ns, (double)m->locks.wait_ns);
	pv_cell_i(&c[L_MAX], l->max_wait_ns);
	pv_cell_u(&c[L_COUNT], l->contentions);
	pv_cell_null(&c[L_TREND]);
	pv_cell_u(&c[L_ACQUIRED], l->acquired);
	pv_cell_u(&c[L_FAILED], l->failed);
	pv_cell_u_if(&c[L_OBJECT], i > 0, l->object);
	pv_cell_s(&c[L_CLASS], i ? pv_group_name(b, g, class) : "(other)");
}

static void copy_locks(struct pv_build *b, struct pv_model *m)
{
	struct pv_groups g;
	uint32_t *waiting = waiting_for(m);
	if (!pv_groups_classes_by_name(m, b, &g) || !waiting)
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < m->locks.lock.n; i++) {
		const struct pv_lock *l = &m->locks.lock.v[i];
		if (l->contentions || l->acquired || l->failed || waiting[i])
			put_lock(b, m, &g, i, waiting[i]);
	}
	free(waiting);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_locks = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "class",
	.sort = "wait_ns",
	.then = "contentions",
	.copy = copy_locks };
