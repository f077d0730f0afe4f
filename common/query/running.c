/* SPDX-License-Identifier: MIT */
/* Works out from counters of processor time how many processors a program keeps busy. */
#include "common/query/running.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/saturate.h"
#include "common/query/counter_value.h"

enum { NEWEST_MS = 3000 };
#define NS_IN_MS INT64_C(1000000)

struct times {
	const struct pv_counter *of[2];
	size_t n;
};

static bool is_processor_time(const struct pv_model *m, const struct pv_counter *k)
{
	const char *name = pv_intern_text(&m->names.text, k->name);
	return name && k->samples.n && pv_counter_scale(m, k) == PV_SCALE_100NS &&
	       (strcmp(name, "User Time") == 0 || strcmp(name, "System Time") == 0);
}

static struct times find_processor_times(const struct pv_model *m)
{
	struct times t = { .n = 0 };
	for (size_t i = 1; i < m->counters.counter.n && t.n < PV_COUNT_OF(t.of); i++)
		if (is_processor_time(m, &m->counters.counter.v[i]))
			t.of[t.n++] = &m->counters.counter.v[i];
	return t;
}

/* The newest reading up to a time, of readings in order; the first one where all are later. */
static const struct pv_counter_sample *reading(const struct pv_counter *k, int64_t until)
{
	size_t low = 0, high = k->samples.n;
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (k->samples.v[mid].time_ns <= until)
			low = mid;
		else
			high = mid;
	}
	return &k->samples.v[low];
}

/* The time of the newest reading of either counter, up to a time. */
static int64_t last_read_at(const struct times *t, int64_t until)
{
	int64_t at = INT64_MIN;
	for (size_t i = 0; i < t->n; i++) {
		int64_t read = reading(t->of[i], until)->time_ns;
		at = read > at ? read : at;
	}
	return at;
}

static double sum(const struct times *t, int64_t at)
{
	double all = 0;
	for (size_t i = 0; i < t->n; i++)
		all += 100 * pv_counter_number(t->of[i], reading(t->of[i], at));
	return all;
}

static double rate(const struct times *t, int64_t from, int64_t to)
{
	double ns = sum(t, to) - sum(t, from);
	return to > from && ns > 0 ? ns / ((double)to - (double)from) : 0;
}

/* ",cpus=8," in the args that our probes write. */
static unsigned usable(const struct pv_model *m)
{
	static const char word[] = ",cpus=";
	const char *args = m->target.args ? m->target.args : "";
	const char *at = strncmp(args, "profview:", 9) == 0 ? strstr(args, word) : NULL;
	return at ? (unsigned)strtoul(at + sizeof word - 1, NULL, 10) : 0;
}

/* An unchanged counter is not written again: the newest reading of either is the last. */
void pv_running_of(const struct pv_model *m, struct pv_running *ret)
{
	struct times t = find_processor_times(m);
	int64_t first = INT64_MAX, last = INT64_MIN;
	for (size_t i = 0; i < t.n; i++) {
		int64_t begins = t.of[i]->samples.v[0].time_ns;
		int64_t ends = t.of[i]->samples.v[t.of[i]->samples.n - 1].time_ns;
		first = begins < first ? begins : first;
		last = ends > last ? ends : last;
	}
	*ret = (struct pv_running){ .usable = usable(m) };
	if (t.n == 0 || first >= last)
		return;
	ret->known = true;
	ret->mean = rate(&t, first, last);
	/* No change long after the last reading: the idle time counts. */
	const int64_t newest = NEWEST_MS * NS_IN_MS;
	int64_t to = pv_sat_span(last, m->last_ns) > newest ? m->last_ns : last;
	int64_t from = pv_sat_span(first, to) > newest ? to - newest : first;
	ret->now = rate(&t, to == last ? last_read_at(&t, from) : from, to);
}
