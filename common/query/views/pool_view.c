/* SPDX-License-Identifier: MIT */
/* The thread pool of .NET and Mono, from counters: threads, and waiting work. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/system/pool_set.h"
#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/time/counters.h"
#include "common/query/counter_value.h"
#include "common/query/groups/specs.h"

enum { P_LAST, P_MEAN, P_MIN, P_MAX, P_READINGS, P_NAME };

static const struct pv_column columns[] = {
	[P_LAST] = { "last", "LAST", PV_UNIT_NUMBER, 10, 0, .json = 2 },
	[P_MEAN] = { "mean", "MEAN", PV_UNIT_NUMBER, 10, 2, .json = 3,
		.help = "Mean of its readings" },
	[P_MIN] = { "min", "LEAST", PV_UNIT_NUMBER, 10, 3, .json = 4 },
	[P_MAX] = { "max", "GREATEST", PV_UNIT_NUMBER, 10, 1, .json = 5 },
	[P_READINGS] = { "count", "SAMPLES", PV_UNIT_COUNT, 8, 4, .json = 6,
		.help = "How often it was read" },
	[P_NAME] = { "name", "COUNTER", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 1 },
};

/* EventCounters and meters of .NET, counters of Mono. */
static bool is_of_pool(const char *name)
{
	static const char *const words[] = { "threadpool", "thread pool", "thread_pool",
		"work items", "workitems" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (strcasestr(name, words[i]))
			return true;
	return false;
}

static void put_counter(
	struct pv_build *b, const struct pv_model *m, const struct pv_counter *k, size_t i)
{
	double sum = 0, min = 0, max = 0, last = 0;
	int64_t last_ns = INT64_MIN;
	size_t n = 0;
	for (size_t s = 0; s < k->samples.n; s++) {
		double v = pv_counter_number(k, &k->samples.v[s]);
		if (v - v != 0)
			continue;
		min = n == 0 || v < min ? v : min;
		max = n == 0 || v > max ? v : max;
		if (k->samples.v[s].time_ns >= last_ns)
			last = v, last_ns = k->samples.v[s].time_ns;
		sum += v;
		n++;
	}
	struct pv_cell *c = pv_build_row(b, i);
	pv_cell_d(&c[P_LAST], n ? last : NAN);
	pv_cell_d(&c[P_MEAN], n ? sum / (double)n : NAN);
	pv_cell_d(&c[P_MIN], n ? min : NAN);
	pv_cell_d(&c[P_MAX], n ? max : NAN);
	for (size_t at = P_LAST; at <= P_MAX; at++)
		c[at].scale = (uint8_t)pv_counter_scale(m, k);
	pv_cell_u(&c[P_READINGS], n);
	pv_cell_s(&c[P_NAME], pv_intern_text(&m->names.text, k->name));
}

static void copy_pool(struct pv_build *b, struct pv_model *m)
{
	for (size_t i = 1; i < m->counters.counter.n; i++) {
		const struct pv_counter *k = &m->counters.counter.v[i];
		if (k->described && is_of_pool(pv_intern_text(&m->names.text, k->name)))
			put_counter(b, m, k, i);
	}
}

/* --- workers wanted, and the reasons --- */

enum { H_TIME, H_WORKERS, H_CHANGE, H_REASON };

static const struct pv_column change_columns[] = {
	[H_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 1,
		.help = "When the pool changed how many workers it wants" },
	[H_WORKERS] = { "workers", "WORKERS", PV_UNIT_COUNT, 8, 0, .json = 2,
		.help = "How many it wants from then on" },
	[H_CHANGE] = { "change", "CHANGE", PV_UNIT_DELTA_COUNT, 8, 1, PV_COLUMN_SIGNED, .json = 3,
		.help = "How many more than before" },
	[H_REASON] = { "reason", "REASON", PV_UNIT_TEXT, 20, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 4,
		.help = "As the runtime says it; starvation: work waited and none was done" },
};

struct change {
	int64_t time_ns;
	uint64_t workers;
	const char *reason; /* borrowed of the names */
};

struct changes {
	PV_ARRAY(struct change) one;
};

static int by_change_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return strcmp(x->reason, y->reason);
}

/* Adds the readings of the stream's counter for one reason. */
static bool add_changes(struct changes *to, const struct pv_counter *k, const char *reason)
{
	if (!pv_reserve(&to->one, k->samples.n))
		return false;
	for (size_t i = 0; i < k->samples.n; i++) {
		double v = pv_counter_number(k, &k->samples.v[i]);
		if (v >= 0 && v <= UINT32_MAX)
			to->one.v[to->one.n++] =
				(struct change){ k->samples.v[i].time_ns, (uint64_t)v, reason };
	}
	return true;
}

static bool find_changes(const struct pv_model *m, struct changes *ret)
{
	static const char prefix[] = PV_POOL_SET_TO;
	for (size_t i = 1; i < m->counters.counter.n; i++) {
		const struct pv_counter *k = &m->counters.counter.v[i];
		const char *name = pv_intern_text(&m->names.text, k->name);
		if (k->described && strncmp(name, prefix, sizeof prefix - 1) == 0 &&
			!add_changes(ret, k, name + sizeof prefix - 1))
			return false;
	}
	if (ret->one.n)
		qsort(ret->one.v, ret->one.n, sizeof *ret->one.v, by_change_time);
	return true;
}

static void copy_changes(struct pv_build *b, struct pv_model *m)
{
	struct changes all = { 0 };
	if (!find_changes(m, &all))
		pv_build_fail(b);
	for (size_t i = 0; b->table && i < all.one.n; i++) {
		const struct change *x = &all.one.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[H_TIME], m, x->time_ns);
		pv_cell_u(&c[H_WORKERS], x->workers);
		if (i > 0)
			pv_cell_i(&c[H_CHANGE], (int64_t)x->workers - (int64_t)x[-1].workers);
		else
			pv_cell_null(&c[H_CHANGE]);
		pv_cell_s(&c[H_REASON], x->reason);
	}
	pv_array_finish(&all.one);
}

const struct pv_view_spec pv_spec_pool_changes = { .column = change_columns,
	.columns = PV_COUNT_OF(change_columns),
	.name = "reason",
	.sort = "time_ns",
	.copy = copy_changes };

const struct pv_view_spec pv_spec_pool = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "name",
	.copy = copy_pool };
