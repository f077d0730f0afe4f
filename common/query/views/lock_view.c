/* SPDX-License-Identifier: MIT */
/* Locks by object: waits, acquisitions and waiting threads. */
#include <stdlib.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/locks/locks.h"
#include "common/model/locks/witnesses.h"
#include "common/model/model.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/specs.h"
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
	[L_WAIT] = { "wait_ns", "WAITED", PV_UNIT_NS, 9, 0, PV_COLUMN_ADDS, .json = 5 },
	[L_WAITING] = { "waiting", "WAITING", PV_UNIT_COUNT, 7, 1, PV_COLUMN_ADDS, .json = 4,
		.help = "Threads that still wait for it, now or at the end of the log" },
	[L_SHARE] = { "wait_percent", "WAIT%", PV_UNIT_PERCENT, 6, 4, .flags = PV_COLUMN_ADDS,
		.help = "Its part of all waiting" },
	[L_MAX] = { "max_wait_ns", "LONGEST", PV_UNIT_NS, 9, 2, .json = 6 },
	[L_COUNT] = { "contentions", "CONTENDED", PV_UNIT_COUNT, 9, 1, PV_COLUMN_ADDS, .json = 3 },
	[L_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 3, PV_COLUMN_NUMBERS,
		.help = "When threads waited for it, over the time shown (of the longest waits, 4096 in all)" },
	[L_ACQUIRED] = { "acquired", "ACQUIRED", PV_UNIT_COUNT, 8, 5, .flags = PV_COLUMN_ADDS,
		.help = "Waits that ended with the lock" },
	[L_FAILED] = { "failed", "FAILED", PV_UNIT_COUNT, 6, 6, PV_COLUMN_ADDS,
		.help = "Waits that ended without it" },
	[L_OBJECT] = { "object", "OBJECT", PV_UNIT_ADDRESS, 14, 3, PV_COLUMN_ASCENDING, .json = 1 },
	[L_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 2 },
};

/* Waits for one lock that have not ended. */
struct open_waits {
	uint32_t n;
	int64_t ns, max_ns;
};

/* By lock; NULL when out of memory. */
static struct open_waits *open_waits(const struct pv_model *m)
{
	struct open_waits *ret = calloc(m->locks.lock.n + 1, sizeof *ret);
	for (size_t t = 1; ret && t < m->threads.thread.n; t++) {
		const struct pv_thread *th = m->threads.thread.v[t];
		for (size_t i = 0; i < th->wait.n; i++) {
			if (!th->selected || !pv_locks_open_counts(m, th, &th->wait.v[i]))
				continue;
			struct open_waits *o = &ret[th->wait.v[i].lock];
			const int64_t ns = pv_locks_open_ns(m, th, &th->wait.v[i]);
			o->n++;
			o->ns = pv_sat_add(o->ns, ns);
			o->max_ns = ns > o->max_ns ? ns : o->max_ns;
		}
	}
	return ret;
}

static void put_lock(struct pv_build *b, const struct pv_model *m, const struct pv_groups *g,
	size_t i, const struct open_waits *open, int64_t all)
{
	const struct pv_lock *l = &m->locks.lock.v[i];
	const int64_t ns = pv_sat_add(l->wait_ns, open->ns);
	uint32_t class = pv_group_of(g, l->class_use);
	struct pv_cell *c = pv_build_row(b, i + 1);
	pv_cell_i(&c[L_WAIT], ns);
	pv_cell_u(&c[L_WAITING], open->n);
	pv_cell_share(&c[L_SHARE], (double)ns, (double)all);
	pv_cell_i(&c[L_MAX], l->max_wait_ns > open->max_ns ? l->max_wait_ns : open->max_ns);
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
	struct open_waits *open = open_waits(m);
	const int64_t all = pv_sat_add(m->locks.wait_ns, pv_locks_open_sum(m));
	if (!pv_groups_classes_by_name(m, b, &g) || !open)
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < m->locks.lock.n; i++) {
		const struct pv_lock *l = &m->locks.lock.v[i];
		if (l->contentions || l->acquired || l->failed || open[i].n)
			put_lock(b, m, &g, i, &open[i], all);
	}
	free(open);
	pv_groups_finish(&g);
}

const struct pv_view_spec pv_spec_locks = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "class",
	.sort = "wait_ns",
	.then = "contentions",
	.copy = copy_locks };
