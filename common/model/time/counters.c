/* SPDX-License-Identifier: MIT */
/* Applies counters: descriptions, values from differences, and the probes' own reports. */
#include "common/model/time/counters.h"

#include <string.h>

#include "common/model/ground/model_parts.h"

enum { STRINGS = 65536 };

bool pv_counters_init(struct pv_counters *c)
{
	*c = (struct pv_counters){ .cap = PV_COUNTERS_CAP };
	if (!pv_reserve(&c->counter, 16))
		return false;
	c->counter.v[c->counter.n++] = (struct pv_counter){ 0 };
	return true;
}

void pv_counters_finish(struct pv_counters *c)
{
	for (size_t i = 1; i < c->counter.n; i++)
		pv_array_finish(&c->counter.v[i].samples);
	pv_array_finish(&c->counter);
	pv_map_finish(&c->of);
}

static struct pv_counter *newest_counter(struct pv_counters *c, uint64_t index)
{
	uint32_t at = pv_map_get(&c->of, index);
	return at == PV_MAP_NONE ? NULL : &c->counter.v[at];
}

static struct pv_counter *add_counter(struct pv_counters *c, uint64_t index, uint64_t type)
{
	uint32_t at = (uint32_t)c->counter.n;
	if (!pv_reserve(&c->counter, 1) || !pv_map_set(&c->of, index, at))
		return NULL;
	c->counter.v[c->counter.n++] = (struct pv_counter){ .index = index, .type = type };
	return &c->counter.v[at];
}

/* Counters by which our probes report on themselves. */
static enum pv_counter_role role_of(const struct pv_model *m, const struct pv_counter *c)
{
	const char *name = pv_intern_text(&m->names.text, c->name);
	if (c->section != PV_SECTION_PROFILER)
		return PV_COUNTER_PLAIN;
	if (strcmp(name, "lost events") == 0)
		return PV_COUNTER_LOST;
	if (strcmp(name, "paused") == 0)
		return PV_COUNTER_PAUSED;
	if (strcmp(name, "log full") == 0)
		return PV_COUNTER_FULL;
	if (strcmp(name, "ended") == 0)
		return PV_COUNTER_ENDED;
	if (strcmp(name, "collections for heap shots") == 0)
		return PV_COUNTER_FORCED;
	return strcmp(name, "discarded heap shots") == 0 ? PV_COUNTER_DISCARDED : PV_COUNTER_PLAIN;
}

static bool apply_description(struct pv_model *m, const struct pv_counter_desc *d)
{
	struct pv_counter said = { .index = d->index,
		.section = d->section,
		.type = d->type,
		.unit = d->unit,
		.variance = d->variance,
		.described = true };
	struct pv_intern *text = &m->names.text;
	if (!pv_intern_add(text, d->name.at, d->name.len, &said.name))
		return false;
	if (d->section_name.at &&
		!pv_intern_add(text, d->section_name.at, d->section_name.len, &said.section_name))
		return false;
	if (d->unit_name.at &&
		!pv_intern_add(text, d->unit_name.at, d->unit_name.len, &said.unit_name))
		return false;
	said.role = role_of(m, &said);
	m->counters.routes |= strncmp(pv_intern_text(text, said.name), PV_ROUTES_METER "{",
				      sizeof PV_ROUTES_METER) == 0;
	m->ending.promised |= said.role == PV_COUNTER_ENDED;
	struct pv_counter *c = newest_counter(&m->counters, d->index);
	bool again = c && c->described && c->name == said.name && c->section == said.section;
	if (again)
		return true;
	if ((!c || c->described) && m->counters.counter.n > m->counters.cap)
		return true;
	if (!c || c->described)
		c = add_counter(&m->counters, d->index, d->type);
	if (!c)
		return false;
	said.samples.v = c->samples.v; /* an undescribed counter keeps its samples */
	said.samples.n = c->samples.n;
	said.samples.room = c->samples.room;
	said.seen = c->seen;
	said.raw = c->raw;
	*c = said;
	return true;
}

/* The value after this sample; most kinds are differences on the wire. */
static uint64_t value_of(const struct pv_model *m, const struct pv_counter *c, uint64_t raw)
{
	if (c->section == PV_SECTION_PERFCOUNTERS && c->type == PV_COUNTER_LONG)
		return raw;
	uint64_t sum = c->raw + raw;
	switch (c->type) {
	case PV_COUNTER_INT:
		return (uint64_t)(int64_t)(int32_t)(uint32_t)sum;
	case PV_COUNTER_UINT:
		return (uint32_t)sum;
	case PV_COUNTER_WORD:
		return m->target.pointer_size == 4 ? (uint64_t)(int64_t)(int32_t)(uint32_t)sum
						   : sum;
	case PV_COUNTER_DOUBLE:
	case PV_COUNTER_STRING:
		return raw;
	default:
		return sum;
	}
}

/* The later of two neighbours stays: levels and running totals stay right. */
static void halve(struct pv_counters *c, struct pv_counter *x)
{
	size_t to = 0;
	for (size_t i = x->samples.n % 2 ? 0 : 1; i < x->samples.n; i += 2)
		x->samples.v[to++] = x->samples.v[i];
	c->folded += x->samples.n - to;
	c->total -= x->samples.n - to;
	x->samples.n = to;
}

/*
 * Halves the lists with at least half of the average length: together they have half of all
 * samples.
 */
static void halve_long_ones(struct pv_counters *c)
{
	size_t few = c->total / c->counter.n / 2;
	for (size_t i = 1; i < c->counter.n; i++)
		if (c->counter.v[i].samples.n > few)
			halve(c, &c->counter.v[i]);
}

/*
 * A probe counts losses on each thread's own time, and threads follow one another in a file: an
 * earlier loss is added to all later samples.
 */
static void put_back(struct pv_counter *x, uint64_t more)
{
	struct pv_counter_sample *v = x->samples.v;
	size_t i = x->samples.n - 1;
	const struct pv_counter_sample moved = v[i];
	for (; i > 0 && v[i - 1].time_ns > moved.time_ns; i--) {
		v[i] = v[i - 1];
		v[i].u += more;
	}
	v[i] = moved;
	v[i].u = (i ? v[i - 1].u : x->base) + more;
}

static bool keep_sample(struct pv_counters *c, struct pv_counter *x, int64_t time, uint64_t before)
{
	if (x->samples.n >= PV_COUNTER_LIST)
		halve(c, x);
	if (c->total >= PV_COUNTER_SAMPLES)
		halve_long_ones(c);
	if (!pv_reserve(&x->samples, 1))
		return false;
	if (!x->seen)
		x->base = before;
	x->samples.v[x->samples.n++] = (struct pv_counter_sample){ time, { .u = x->raw } };
	if (x->role == PV_COUNTER_LOST || x->role == PV_COUNTER_PAUSED)
		put_back(x, x->raw - before);
	x->seen++;
	c->total++;
	return true;
}

static bool text_value(struct pv_model *m, const struct pv_counter_value *v, uint64_t *ret_text)
{
	uint32_t id = 0;
	if (v->raw && m->counters.strings++ < STRINGS &&
		!pv_intern_add(&m->names.text, v->text.at, v->text.len, &id))
		return false;
	*ret_text = id;
	return true;
}

static void play(struct pv_context *x, const struct pv_counter *c, uint64_t before)
{
	struct pv_model *m = x->m;
	uint64_t more = c->raw - before;
	if (c->role == PV_COUNTER_DISCARDED)
		m->shots.discarded = c->raw;
	/* These concern the log, whatever part of the log is wanted. */
	m->ending.said |= c->role == PV_COUNTER_ENDED && c->raw != 0;
	m->ending.abrupt |= c->role == PV_COUNTER_ENDED && c->raw == 2;
	m->ending.full |= c->role == PV_COUNTER_FULL && c->raw != 0;
	if (c->role == PV_COUNTER_FORCED)
		x->thread->forces |= more != 0; /* the next collection on this thread */
	if (c->role != PV_COUNTER_LOST && c->role != PV_COUNTER_PAUSED)
		return;
	x->gap |= more != 0;
	if (x->counts)
		*(c->role == PV_COUNTER_LOST ? &m->lost_events : &m->pauses) += more;
}

static bool sample(struct pv_context *x, const struct pv_counter_value *v, int64_t time)
{
	struct pv_counters *all = &x->m->counters;
	struct pv_counter *c = newest_counter(all, v->index);
	if (!c && all->counter.n > all->cap) {
		all->folded++;
		return true;
	}
	if (!c && !(c = add_counter(all, v->index, v->type)))
		return false;
	uint64_t before = c->raw, raw = v->raw;
	if (v->type == PV_COUNTER_STRING && !text_value(x->m, v, &raw))
		return false;
	if (!c->described)
		c->type = v->type;
	c->raw = value_of(x->m, c, raw);
	play(x, c, before);
	return !x->counts || keep_sample(all, c, time, before);
}

bool pv_counters_apply(struct pv_context *x, const struct pv_event *e)
{
	const struct pv_span *list = &e->counters.list;
	bool ok = true;
	if (e->kind == PV_KIND_COUNTERS_DESCRIBE) {
		for (uint32_t i = 0; ok && i < list->n; i++)
			ok = apply_description(x->m, &x->batch->descs.v[list->at + i]);
		return ok;
	}
	for (uint32_t i = 0; ok && i < list->n; i++)
		ok = sample(x, &x->batch->values.v[list->at + i], x->time);
	return ok;
}
