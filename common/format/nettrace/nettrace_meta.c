/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of events. The runtime's own events have neither names nor fields, and are known by
 * provider and number; events of EventSources describe themselves.
 */
#include "common/format/nettrace/nettrace_parts.h"

/* Codes of types, from System.TypeCode and its additions. */
enum { OBJECT = 1, ARRAY = 19 };
/* Kinds of the parts after the fields. */
enum { OPCODE_TAG = 1, FIELDS_TAG = 2 };
enum { DEPTH = 8 };

static const struct known {
	const char *provider;
	uint32_t id;
	enum nt_event_kind what;
} known[] = {
	{ "Microsoft-DotNETCore-EventPipe", 1, NT_PROCESS },
	{ "Microsoft-DotNETCore-SampleProfiler", 0, NT_SAMPLE },
	{ "Microsoft-DotNETCore-SampleProfiler", 28790, NT_THREAD_TIME }, /* thread_times.c */
	{ "Microsoft-Windows-DotNETRuntime", 1, NT_GC_START },
	{ "Microsoft-Windows-DotNETRuntime", 2, NT_GC_END },
	{ "Microsoft-Windows-DotNETRuntime", 3, NT_GONE_ON },
	{ "Microsoft-Windows-DotNETRuntime", 4, NT_GC_SIZES },
	{ "Microsoft-Windows-DotNETRuntime", 7, NT_GOING },
	{ "Microsoft-Windows-DotNETRuntime", 8, NT_STOPPED },
	{ "Microsoft-Windows-DotNETRuntime", 9, NT_STOPPING },
	{ "Microsoft-Windows-DotNETRuntime", 10, NT_ALLOC_TICK },
	{ "Microsoft-Windows-DotNETRuntime", 15, NT_TYPES },
	{ "Microsoft-Windows-DotNETRuntime", 16, NT_ROOTS },
	{ "Microsoft-Windows-DotNETRuntime", 17, NT_DEPENDENTS },
	{ "Microsoft-Windows-DotNETRuntime", 18, NT_NODES },
	{ "Microsoft-Windows-DotNETRuntime", 19, NT_EDGES },
	{ "Microsoft-Windows-DotNETRuntime", 38, NT_STATICS },
	{ "Microsoft-Windows-DotNETRuntime", 50, NT_POOL_WORKERS },
	{ "Microsoft-Windows-DotNETRuntime", 51, NT_POOL_WORKERS },
	{ "Microsoft-Windows-DotNETRuntime", 55, NT_POOL_ADJUSTED },
	{ "Microsoft-Windows-DotNETRuntime", 80, NT_THROWN },
	{ "Microsoft-Windows-DotNETRuntime", 81, NT_CONTENDED },
	{ "Microsoft-Windows-DotNETRuntime", 91, NT_ACQUIRED },
	{ "Microsoft-Windows-DotNETRuntime", 143, NT_METHOD_LOAD },
	{ "Microsoft-Windows-DotNETRuntime", 145, NT_JIT_START },
	{ "Microsoft-Windows-DotNETRuntime", 152, NT_MODULE },
	{ "Microsoft-Windows-DotNETRuntime", 159, NT_METHOD_ENTRY },
	{ "Microsoft-Windows-DotNETRuntime", 190, NT_IL_MAP },
	{ "Microsoft-Windows-DotNETRuntime", 250, NT_CATCH },
	{ "Microsoft-Windows-DotNETRuntime", 251, NT_CATCH_ENDS },
	{ "Microsoft-Windows-DotNETRuntime", 252, NT_FINALLY },
	{ "Microsoft-Windows-DotNETRuntime", 254, NT_FILTER },
	{ "Microsoft-Windows-DotNETRuntime", 303, NT_ALLOC_SAMPLED },
	{ "System.Diagnostics.Metrics", 2, NT_METER_TIME },
	{ "System.Diagnostics.Metrics", 4, NT_METER_RATE },
	{ "System.Diagnostics.Metrics", 5, NT_METER_LEVEL },
	{ "System.Diagnostics.Metrics", 6, NT_METER_SPREAD },
	{ "System.Diagnostics.Metrics", 9, NT_METER_SAYS },
	{ "System.Diagnostics.Metrics", 12, NT_METER_SAYS },
	{ "System.Diagnostics.Metrics", 13, NT_METER_SAYS },
	{ "System.Diagnostics.Metrics", 14, NT_METER_SAYS },
	{ "System.Diagnostics.Metrics", 15, NT_METER_SAYS },
	{ "System.Diagnostics.Metrics", 16, NT_METER_CHANGES },
	{ "System.Diagnostics.Metrics", 17, NT_METER_SAYS },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 10, NT_SETTINGS },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 143, NT_METHOD_HERE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 144, NT_METHOD_HERE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 149, NT_IL_MAP_HERE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 150, NT_IL_MAP_HERE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 153, NT_MODULE },
	{ "Microsoft-Windows-DotNETRuntimeRundown", 154, NT_MODULE },
};

static enum nt_event_kind what_of(const struct nettrace *d, const struct nt_kind *k)
{
	const char *provider = pv_intern_text(&d->text, k->provider);
	bool ours = strcmp(provider, "Microsoft-DotNETCore-EventPipe") == 0;
	for (size_t i = 0; i < PV_COUNT_OF(known); i++) {
		bool same = strcmp(provider, known[i].provider) == 0;
		ours |= same;
		if (same && known[i].id == k->id)
			return known[i].what;
	}
	if (strcmp(pv_intern_text(&d->text, k->name), "EventCounters") == 0)
		return NT_COUNTERS;
	const struct pv_span_source *spans = pv_span_source_of(provider);
	for (unsigned i = 0; spans && i < PV_SPAN_STEPS; i++)
		if (k->id && spans->step[i] == k->id)
			return NT_SPAN;
	return ours ? NT_QUIET : NT_UNKNOWN;
}

static bool add_meta_field(struct nettrace *d, struct pv_cursor *c, const struct nt_field *f)
{
	if (d->field.n >= NT_FIELDS || f->depth > DEPTH) {
		c->malformed = true;
		return false;
	}
	if (!pv_reserve(&d->field, 1)) {
		d->nomem = true;
		c->malformed = true;
		return false;
	}
	d->field.v[d->field.n++] = *f;
	return true;
}

static void fields(struct nettrace *d, struct pv_cursor *c, bool sized, uint8_t depth);

/* Reads a type with its parts. */
static void type(struct nettrace *d, struct pv_cursor *c, bool sized, const struct nt_field *is)
{
	struct nt_field f = *is;
	f.type = (uint8_t)pv_get_u32(c);
	if (!add_meta_field(d, c, &f))
		return;
	const struct nt_field element = { .depth = (uint8_t)(f.depth + 1) };
	if (f.type == ARRAY)
		type(d, c, sized, &element);
	else if (f.type == OBJECT)
		fields(d, c, sized, element.depth);
}

static void field(struct nettrace *d, struct pv_cursor *c, bool sized, uint8_t depth)
{
	struct nt_field f = { .depth = depth };
	const uint8_t *from = c->at;
	uint32_t size = sized ? pv_get_u32(c) : 0;
	if (sized)
		f.name = nt_text(d, c);
	size_t at = d->field.n;
	type(d, c, sized, &f);
	if (!sized && at < d->field.n)
		d->field.v[at].name = nt_text(d, c);
	else if (pv_cursor_ok(c) && size <= (size_t)(c->end - from) && from + size >= c->at)
		c->at = from + size;
}

static void fields(struct nettrace *d, struct pv_cursor *c, bool sized, uint8_t depth)
{
	for (uint32_t n = pv_get_u32(c); n && pv_cursor_ok(c); n--)
		field(d, c, sized, depth);
}

void nt_keep_kind(struct nettrace *d, uint32_t id, struct nt_kind *k)
{
	if (id == 0 || d->kind.n >= NT_KINDS || pv_map_get(&d->kind_of, id) != PV_MAP_NONE)
		return;
	k->what = what_of(d, k);
	if (!pv_reserve(&d->kind, 1) || !pv_map_set(&d->kind_of, id, (uint32_t)d->kind.n))
		d->nomem = true;
	else
		d->kind.v[d->kind.n++] = *k;
}

void nt_forget_kinds(struct nettrace *d)
{
	d->kind.n = 1; /* the first kind is for events without a description */
	pv_map_clear(&d->kind_of);
	d->field.n = 0;
}

void nt_describe(struct nettrace *d, struct pv_cursor *c)
{
	struct nt_kind k = { .field = (uint32_t)d->field.n };
	uint32_t id = pv_get_u32(c);
	k.provider = nt_text(d, c);
	k.id = pv_get_u32(c);
	k.name = nt_text(d, c);
	pv_get_u64(c); /* keywords */
	k.version = pv_get_u32(c);
	pv_get_u32(c); /* level */
	if (!pv_cursor_ok(c))
		return;
	fields(d, c, false, 0);
	while (pv_cursor_ok(c) && pv_cursor_left(c) > 4) {
		uint32_t bytes = pv_get_u32(c);
		uint8_t tag = pv_get_u8(c);
		if (bytes > pv_cursor_left(c))
			break;
		struct pv_cursor one = { .at = c->at, .end = c->at + bytes };
		if (tag == FIELDS_TAG)
			fields(d, &one, true, 0);
		c->at += bytes;
	}
	k.fields = (uint32_t)d->field.n - k.field;
	nt_keep_kind(d, id, &k);
}
