/* SPDX-License-Identifier: MIT */
/*
 * Counters of EventSources. Each event is an object "Payload" of named fields: Name, DisplayUnits,
 * and Mean, or Increment for a counter of occurrences.
 */
#include <stdio.h>

#include "common/base/system/pool_set.h"
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_value.h"

enum { COUNTER_BASE = 0x10000 };

struct found {
	char name[256], unit[64];
	size_t name_n, unit_n;
	double value;
	bool valued;
};

/* Takes the field *at, and moves *at to the next field. */
static void field(struct nettrace *d, const struct nt_blob *b, struct pv_cursor *c, uint32_t *at,
	struct found *to)
{
	const struct nt_field *f = &d->field.v[d->kind.v[b->kind].field + *at];
	const char *name = pv_intern_text(&d->text, f->name);
	struct nt_scalar v;
	if (f->type == NT_OBJECT_TYPE) {
		++*at; /* the object's fields come next */
	} else if (f->type == NT_STRING && strcmp(name, "Name") == 0) {
		to->name_n = nt_text_into(c, to->name, sizeof to->name);
		++*at;
	} else if (f->type == NT_STRING && strcmp(name, "DisplayUnits") == 0) {
		to->unit_n = nt_text_into(c, to->unit, sizeof to->unit);
		++*at;
	} else if (strcmp(name, "Mean") == 0 || strcmp(name, "Increment") == 0) {
		to->valued = nt_scalar(c, f->type, &v);
		to->value = to->valued ? nt_double(&v) : 0;
		c->malformed |= !to->valued;
		++*at;
	} else {
		nt_skip_value(d, b, c, at);
	}
}

static bool describe_counter(
	struct pv_stream *s, uint64_t offset, uint32_t id, const struct nt_counter *k)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	if (!pv_reserve(&to->descs, 1))
		return false;
	struct pv_event *e = nt_add(s, PV_KIND_COUNTERS_DESCRIBE, offset);
	if (!e)
		return false;
	e->counters.list = (struct pv_span){ (uint32_t)to->descs.n, 1 };
	to->descs.v[to->descs.n++] = (struct pv_counter_desc){ .section = PV_SECTION_PERFCOUNTERS,
		.type = PV_COUNTER_DOUBLE,
		.variance = k->grows ? PV_VARIANCE_MONOTONIC : PV_VARIANCE_VARIABLE,
		.index = COUNTER_BASE + id,
		.section_name = nt_text_of(d, k->section),
		.name = nt_text_of(d, k->name),
		.unit_name = nt_text_of(d, k->unit) };
	return true;
}

/* The counter's number, described at first use; NT_COUNTERS_MOST: too many counters. */
static uint32_t counter_number(struct pv_stream *s, uint64_t offset, const struct nt_counter *k)
{
	struct nettrace *d = nt_of(s);
	uint64_t place = (uint64_t)k->section << 32 | k->name;
	uint32_t id = pv_map_get(&d->counter_of, place);
	if (id != PV_MAP_NONE)
		return id;
	id = (uint32_t)d->counter_of.n;
	if (id >= NT_COUNTERS_MOST || !k->name) {
		d->counters_beyond++;
		return NT_COUNTERS_MOST;
	}
	if (!pv_reserve(&d->counted, 1) || !pv_map_set(&d->counter_of, place, id) ||
		!describe_counter(s, offset, id, k)) {
		d->nomem = true;
		return NT_COUNTERS_MOST;
	}
	d->counted.v[d->counted.n++] = 0;
	return id;
}

void nt_put_counter(struct pv_stream *s, uint64_t offset, const struct nt_counter *k, double value)
{
	struct nettrace *d = nt_of(s);
	struct pv_batch *to = &s->batch;
	uint32_t id = counter_number(s, offset, k);
	if (id == NT_COUNTERS_MOST)
		return;
	if (!pv_reserve(&to->values, 1)) {
		d->nomem = true;
		return;
	}
	if (k->adds)
		value = d->counted.v[id] += value;
	struct pv_event *e = nt_add(s, PV_KIND_COUNTERS_SAMPLE, offset);
	if (!e)
		return;
	struct pv_counter_value v = { .index = COUNTER_BASE + id, .type = PV_COUNTER_DOUBLE };
	memcpy(&v.raw, &value, sizeof v.raw);
	e->counters.list = (struct pv_span){ (uint32_t)to->values.n, 1 };
	to->values.v[to->values.n++] = v;
}

/* In the order of the runtime's numbers: PortableThreadPool.HillClimbing.cs. */
static const char *reason_text(uint32_t reason)
{
	static const char *const text[] = { "warm-up", "initializing", "random move",
		"climbing move", "change point", "stabilizing", "starvation", "thread timed out",
		"cooperative blocking" };
	return reason < PV_COUNT_OF(text) ? text[reason] : "other reason";
}

static const char pool[] = "Thread pool";

static void put_own(struct pv_stream *s, uint64_t offset, const char *section, const char *name,
	const char *unit, double value)
{
	struct nettrace *d = nt_of(s);
	const struct nt_counter counter = { .section = nt_intern(d, section, strlen(section)),
		.name = nt_intern(d, name, strlen(name)),
		.unit = nt_intern(d, unit, strlen(unit)) };
	nt_put_counter(s, offset, &counter, value);
}

void nt_pool_adjusted(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	char name[64];
	pv_get_u64(c); /* items of work done */
	uint32_t workers = pv_get_u32(c), reason = pv_get_u32(c);
	if (!pv_cursor_ok(c))
		return;
	snprintf(name, sizeof name, PV_POOL_SET_TO "%s", reason_text(reason));
	put_own(s, b->offset, pool, name, "threads", workers);
}

void nt_pool_workers(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	uint32_t active = pv_get_u32(c);
	if (pv_cursor_ok(c))
		put_own(s, b->offset, pool, "thread pool workers", "threads", active);
}

/* GCSettingsRundown begins with the limit; 0: neither the program nor a container set a limit. */
void nt_settings(struct pv_stream *s, const struct nt_blob *b, struct pv_cursor *c)
{
	uint64_t limit = pv_get_u64(c);
	if (pv_cursor_ok(c) && limit)
		put_own(s, b->offset, "GC", "heap limit", "B", (double)limit);
}

void nt_counters(struct pv_stream *s, const struct nt_blob *b)
{
	struct nettrace *d = nt_of(s);
	const struct nt_kind *k = &d->kind.v[b->kind];
	struct pv_cursor c = { .at = b->payload, .end = b->payload + b->len };
	struct found f = { .name_n = 0 };
	for (uint32_t i = 0; i < k->fields && pv_cursor_ok(&c);)
		field(d, b, &c, &i, &f);
	if (!f.name_n || !f.valued)
		return;
	const struct nt_counter counter = { .section = k->provider,
		.name = nt_intern(d, f.name, f.name_n),
		.unit = nt_intern(d, f.unit, f.unit_n) };
	nt_put_counter(s, b->offset, &counter, f.value);
}
