/* SPDX-License-Identifier: MIT */
/* Performance counters by section, and the samples of one counter. */
#include <inttypes.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/status.h"
#include "common/model/time/counters.h"
#include "common/model/model.h"
#include "common/query/counter_value.h"
#include "common/query/groups/specs.h"
#include "common/query/trends.h"

#define SECTION_ROW (UINT64_C(1) << 63) /* tells ids of sections from ids of counters */

struct word {
	uint64_t value;
	const char *text;
};

/* The words of formats.md 1.9. A value without a word is shown as a number. */
static const struct word sections[] = {
	{ 0x100, "jit" },
	{ 0x200, "gc" },
	{ 0x400, "metadata" },
	{ 0x800, "generics" },
	{ 0x1000, "security" },
	{ 0x2000, "runtime" },
	{ 0x4000, "system" },
	{ 0x8000, "performance counters" },
	{ 0x10000, "profiler" },
	{ 0x20000, "interpreter" },
	{ 0x40000, "tiered" },
};
static const struct word types[] = {
	{ PV_COUNTER_INT, "int" },
	{ PV_COUNTER_UINT, "uint" },
	{ PV_COUNTER_WORD, "word" },
	{ PV_COUNTER_LONG, "long" },
	{ PV_COUNTER_ULONG, "ulong" },
	{ PV_COUNTER_DOUBLE, "double" },
	{ PV_COUNTER_STRING, "string" },
	{ PV_COUNTER_TIME_INTERVAL, "time_interval" },
};
static const struct word units[] = {
	{ 0, "raw" },
	{ 1 << 24, "bytes" },
	{ 2 << 24, "time" },
	{ 3 << 24, "count" },
	{ 4 << 24, "percentage" },
};
static const struct word variances[] = {
	{ PV_VARIANCE_MONOTONIC, "monotonic" },
	{ 1 << 29, "constant" },
	{ PV_VARIANCE_VARIABLE, "variable" },
};

static const char *word_of(struct pv_build *b, const struct word *words, size_t n, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		if (words[i].value == v)
			return words[i].text;
	return pv_build_hex(b, v);
}

static const char *section_text(
	struct pv_build *b, const struct pv_model *m, const struct pv_counter *k)
{
	if (k->section_name)
		return pv_intern_text(&m->names.text, k->section_name);
	return word_of(b, sections, PV_COUNT_OF(sections), k->section);
}

enum {
	K_LAST,
	K_RATE,
	K_MIN,
	K_MAX,
	K_TREND,
	K_SAMPLES,
	K_UNIT,
	K_TYPE,
	K_VARIANCE,
	K_SECTION,
	K_NAME
};

static const struct pv_column counter_columns[] = {
	[K_LAST] = { "last", "LAST", PV_UNIT_NUMBER, 12, 0, .flags = 0 },
	[K_RATE] = { "per_second", "A SECOND", PV_UNIT_NUMBER, 10, 2, .flags = 0 },
	[K_MIN] = { "min", "LEAST", PV_UNIT_NUMBER, 12, 4, .flags = 0 },
	[K_MAX] = { "max", "GREATEST", PV_UNIT_NUMBER, 12, 3, .flags = 0 },
	[K_TREND] = { PV_TREND_COLUMN, "TREND", PV_UNIT_LIST, PV_TREND_CELLS, 1, PV_COLUMN_NUMBERS,
		.help = "Its course over the time shown, from its least to its greatest" },
	[K_SAMPLES] = { "count", "SAMPLES", PV_UNIT_COUNT, 7, 5, .help = "How often it was read" },
	[K_UNIT] = { "unit", "UNIT", PV_UNIT_TEXT, 10, 1, PV_COLUMN_ASCENDING, .json = 4 },
	[K_TYPE] = { "type", "TYPE", PV_UNIT_TEXT, 8, 7, PV_COLUMN_ASCENDING, .json = 3 },
	[K_VARIANCE] = { "variance", "VARIANCE", PV_UNIT_TEXT, 9, 6, PV_COLUMN_ASCENDING, .json = 5,
		.help = "Whether it only grows, or goes up and down" },
	[K_SECTION] = { "section", "SECTION", PV_UNIT_TEXT, 12, 9,
		PV_COLUMN_ASCENDING | PV_COLUMN_HIDE_SCREEN, .json = 1 },
	[K_NAME] = { "name", "COUNTER", PV_UNIT_TEXT, 40, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE, .json = 2 },
};

struct range {
	double first, last, min, max;
	int64_t first_ns, last_ns;
};

/* First and last by time: samples come in file order. */
static bool get_range(const struct pv_counter *k, struct range *ret)
{
	bool any = false;
	for (size_t i = 0; i < k->samples.n; i++) {
		const struct pv_counter_sample *s = &k->samples.v[i];
		double v = pv_counter_number(k, s);
		if (v - v != 0)
			continue;
		if (!any)
			*ret = (struct range){ v, v, v, v, s->time_ns, s->time_ns };
		any = true;
		if (s->time_ns < ret->first_ns)
			ret->first = v, ret->first_ns = s->time_ns;
		if (s->time_ns >= ret->last_ns)
			ret->last = v, ret->last_ns = s->time_ns;
		ret->min = v < ret->min ? v : ret->min;
		ret->max = v > ret->max ? v : ret->max;
	}
	return any;
}

/* Levels, and rates: a sum would mean nothing. */
static bool is_level(const struct pv_counter *k)
{
	return k->section == PV_SECTION_PERFCOUNTERS && k->type == PV_COUNTER_DOUBLE &&
	       k->variance == PV_VARIANCE_VARIABLE;
}

static void put_range(struct pv_cell *c, const struct pv_model *m, const struct pv_counter *k)
{
	struct range r;
	if (!get_range(k, &r)) {
		for (size_t i = K_LAST; i <= K_MAX; i++)
			pv_cell_null(&c[i]);
		return;
	}
	double seconds = ((double)r.last_ns - (double)r.first_ns) / 1e9;
	pv_cell_d(&c[K_LAST], r.last);
	pv_cell_d(&c[K_RATE], (r.last - r.first) / seconds); /* null when no time passed */
	pv_cell_d(&c[K_MIN], r.min);
	pv_cell_d(&c[K_MAX], r.max);
	for (size_t i = K_LAST; i <= K_MAX; i++)
		c[i].scale = (uint8_t)pv_counter_scale(m, k);
	if (is_level(k))
		pv_cell_null(&c[K_RATE]);
}

/*
 * Data versions 13 and 14 store the bits from 24 on in one byte, so these are lost. Every counter
 * has a variance, so where one is given nothing was lost.
 */
static void put_kind(
	struct pv_build *b, struct pv_cell *c, const struct pv_model *m, const struct pv_counter *k)
{
	if (k->unit_name) {
		pv_cell_s(&c[K_UNIT], pv_intern_text(&m->names.text, k->unit_name));
		pv_cell_s(
			&c[K_VARIANCE], word_of(b, variances, PV_COUNT_OF(variances), k->variance));
		return;
	}
	bool lost = (m->target.rules == 13 || m->target.rules == 14) && k->variance == 0;
	if (lost && k->unit == 0)
		pv_cell_null(&c[K_UNIT]);
	else
		pv_cell_s(&c[K_UNIT], word_of(b, units, PV_COUNT_OF(units), k->unit));
	if (lost)
		pv_cell_null(&c[K_VARIANCE]);
	else
		pv_cell_s(
			&c[K_VARIANCE], word_of(b, variances, PV_COUNT_OF(variances), k->variance));
}

static void put_counter(struct pv_build *b, const struct pv_model *m, size_t i, uint64_t section)
{
	const struct pv_counter *k = &m->counters.counter.v[i];
	struct pv_cell *c = pv_build_child(b, i, section, 0);
	put_range(c, m, k);
	pv_cell_null(&c[K_TREND]);
	pv_cell_u(&c[K_SAMPLES], k->seen);
	if (k->described) {
		put_kind(b, c, m, k);
		pv_cell_s(&c[K_SECTION], section_text(b, m, k));
	} else {
		pv_cell_null(&c[K_UNIT]);
		pv_cell_null(&c[K_VARIANCE]);
		pv_cell_null(&c[K_SECTION]);
	}
	pv_cell_s(&c[K_TYPE], word_of(b, types, PV_COUNT_OF(types), k->type));
	pv_cell_s(&c[K_NAME], k->name ? pv_intern_text(&m->names.text, k->name)
				      : pv_build_printf(b, "counter %" PRIu64, k->index));
}

static uint64_t section_id(const struct pv_counter *k)
{
	if (!k->described)
		return SECTION_ROW;
	return SECTION_ROW | (k->section << 32 & ~SECTION_ROW) | k->section_name;
}

static void put_section(struct pv_build *b, const struct pv_model *m, const struct pv_counter *k)
{
	struct pv_cell *c = pv_build_child(b, section_id(k), 0, PV_ROW_HAS_CHILDREN);
	for (size_t i = 0; i < PV_COUNT_OF(counter_columns); i++)
		pv_cell_null(&c[i]);
	pv_cell_s(&c[K_NAME], k->described ? section_text(b, m, k) : "(not described)");
}

static void copy_counters(struct pv_build *b, struct pv_model *m)
{
	struct pv_map seen = { 0 };
	for (size_t i = 1; i < m->counters.counter.n; i++) {
		const struct pv_counter *k = &m->counters.counter.v[i];
		uint64_t section = section_id(k);
		if (pv_map_get(&seen, section) == PV_MAP_NONE) {
			put_section(b, m, k);
			if (!pv_map_set(&seen, section, 1))
				pv_build_fail(b);
		}
		put_counter(b, m, i, section);
	}
	pv_map_finish(&seen);
}

const struct pv_view_spec pv_spec_counters = { .column = counter_columns,
	.columns = PV_COUNT_OF(counter_columns),
	.name = "name",
	.sort = "name",
	.tree = true,
	.copy = copy_counters };

/* --- samples of one counter --- */

enum { S_TIME, S_NUMBER, S_VALUE };

static const struct pv_column sample_columns[] = {
	[S_TIME] = { "time_ns", "TIME", PV_UNIT_TIME, 12, 0, PV_COLUMN_ASCENDING, .json = 1 },
	[S_NUMBER] = { "number", "VALUE", PV_UNIT_NUMBER, 14, 0, .flags = 0 },
	[S_VALUE] = { "value", "EXACT", PV_UNIT_TEXT, 20, 1, PV_COLUMN_GROWS, .json = 2 },
};

static void copy_counter_samples(struct pv_build *b, struct pv_model *m)
{
	uint64_t id = b->query->select;
	if (id == 0 || id >= m->counters.counter.n)
		return;
	const struct pv_counter *k = &m->counters.counter.v[id];
	for (size_t i = 0; i < k->samples.n; i++) {
		const struct pv_counter_sample *s = &k->samples.v[i];
		char text[40];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_time(&c[S_TIME], m, s->time_ns);
		pv_cell_d(&c[S_NUMBER], pv_counter_number(k, s));
		if (k->type == PV_COUNTER_STRING)
			pv_cell_s(&c[S_VALUE], pv_intern_text(&m->names.text, (uint32_t)s->text));
		else if (pv_counter_exact(k, s, text, sizeof text))
			pv_cell_s(&c[S_VALUE], pv_build_text(b, text));
		else
			pv_cell_null(&c[S_VALUE]);
	}
}

const struct pv_view_spec pv_spec_counter_samples = { .column = sample_columns,
	.columns = PV_COUNT_OF(sample_columns),
	.sort = "time_ns",
	.copy = copy_counter_samples };
