/* The thread pool of .NET and Mono, as counters tell of it: its threads, and the work that waits. */
#include <strings.h>

#include "common/base/status.h"
#include "common/model/model.h"
#include "common/model/time/counters.h"
#include "common/query/counter_value.h"
#include "common/query/specs.h"

enum { P_LAST, P_MEAN, P_MIN, P_MAX, P_READINGS, P_NAME };

static const struct pv_column columns[] = {
	[P_LAST] = { "last", "LAST", PV_UNIT_NUMBER, 10, 0, 0 },
	[P_MEAN] = { "mean", "MEAN", PV_UNIT_NUMBER, 10, 2, 0 },
	[P_MIN] = { "min", "LEAST", PV_UNIT_NUMBER, 10, 3, 0 },
	[P_MAX] = { "max", "GREATEST", PV_UNIT_NUMBER, 10, 1, 0 },
	[P_READINGS] = { "count", "SAMPLES", PV_UNIT_COUNT, 8, 4, 0 },
	[P_NAME] = { "name", "COUNTER", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
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

const struct pv_view_spec pv_spec_pool = { .column = columns,
	.columns = PV_COUNT_OF(columns),
	.name = "name",
	.sort = "name",
	.copy = copy_pool };
