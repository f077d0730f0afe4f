/* SPDX-License-Identifier: MIT */
/* Decodes published events just far enough for the running state and the methods used. */
#include "probe/core/scan.h"

#include "common/format/mlpd/mlpd.h"
#include "probe/core/emit.h"

enum pvp_group pvp_group_of(unsigned kind)
{
	static const struct {
		uint8_t first, last, group;
	} rows[] = {
		{ PV_KIND_ALLOC, PV_KIND_ALLOC, PVP_GROUP_ALLOCATIONS },
		{ PV_KIND_METHOD_ENTER, PV_KIND_METHOD_EXC_LEAVE, PVP_GROUP_CALLS },
		{ PV_KIND_METHOD_JIT, PV_KIND_METHOD_JIT, PVP_GROUP_NAMES },
		{ PV_KIND_GC_EVENT, PV_KIND_GC_FINALIZE_OBJECT_END, PVP_GROUP_GC },
		{ PV_KIND_CLASS_LOAD, PV_KIND_CONTEXT_UNLOAD, PVP_GROUP_NAMES },
		{ PV_KIND_EXCEPTION_THROW, PV_KIND_EXCEPTION_CLAUSE, PVP_GROUP_EXCEPTIONS },
		{ PV_KIND_MONITOR_CONTENTION, PV_KIND_MONITOR_FAIL, PVP_GROUP_LOCKS },
		{ PV_KIND_HEAP_START, PV_KIND_HEAP_ROOT_UNREGISTER, PVP_GROUP_HEAP },
		{ PV_KIND_SAMPLE_HIT, PV_KIND_SAMPLE_HIT, PVP_GROUP_SAMPLES },
		{ PV_KIND_SAMPLE_SYMBOL, PV_KIND_SAMPLE_BINARY, PVP_GROUP_NAMES },
		{ PV_KIND_COUNTERS_DESCRIBE, PV_KIND_COUNTERS_SAMPLE, PVP_GROUP_COUNTERS },
		{ PV_KIND_JIT_HELPER, PV_KIND_JIT_HELPER, PVP_GROUP_NAMES },
	};
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		if (kind >= rows[i].first && kind <= rows[i].last)
			return rows[i].group;
	return PVP_GROUP_OTHER;
}

static bool is_call(uint8_t byte)
{
	return byte == PVP_ENTER || byte == PVP_LEAVE || byte == PVP_EXC_LEAVE;
}

static void skip_alloc(struct pv_cursor *c)
{
	pv_get_sleb(c);
	pv_get_sleb(c);
	pv_get_uleb(c);
}

/* The backtrace of an event, of the kinds with a backtrace; a clause names a single method. */
static struct pv_span methods_of(const struct pv_event *ev)
{
	switch (ev->kind) {
	case PV_KIND_ALLOC:
		return ev->alloc.stack;
	case PV_KIND_EXCEPTION_THROW:
		return ev->thrown.stack;
	case PV_KIND_MONITOR_CONTENTION:
	case PV_KIND_MONITOR_DONE:
	case PV_KIND_MONITOR_FAIL:
		return ev->monitor.stack;
	case PV_KIND_GC_HANDLE_CREATED:
	case PV_KIND_GC_HANDLE_DESTROYED:
		return ev->handle.stack;
	default:
		return (struct pv_span){ 0, 0 };
	}
}

static void tally_event(
	struct pvp_tally *t, enum pvp_group group, const uint8_t *from, const uint8_t *to)
{
	t->events[group]++;
	t->bytes[group] += (uint64_t)(to - from);
}

static void used(const struct pvp_scan *s, uint64_t method)
{
	if (PVP_UNLIKELY(*pvp_seen(s->seen, method) != method || !method))
		s->use(s->ctx, method);
}

/* Decodes by the row of the format, as any reader would. */
static bool take_other(struct pvp_scan *s, struct pv_cursor *c)
{
	static const struct mlpd_format format = { MLPD_NEWEST, 3, 8, 0 };
	struct mlpd_bases b = { .time = s->time, .method = s->method };
	struct pv_event ev;
	s->scratch->pool.n = s->scratch->descs.n = s->scratch->values.n = 0;
	if (mlpd_decode(c, &b, &format, s->scratch, &ev) != MLPD_OK)
		return false;
	s->time = b.time;
	s->method = b.method;
	tally_event(s->tally, pvp_group_of(ev.kind), s->read_end, c->at);
	struct pv_span m = methods_of(&ev);
	for (uint32_t i = 0; i < m.n; i++)
		used(s, s->scratch->pool.v[m.at + i]);
	if (ev.kind == PV_KIND_EXCEPTION_CLAUSE && ev.clause.method)
		used(s, ev.clause.method);
	return true;
}

enum { LONGEST = 1 + 2 * 10 }; /* bytes of a call */

static uint64_t far_uleb(const uint8_t **at)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;
	do {
		byte = *(*at)++;
		value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
		shift += 7;
	} while (byte & 0x80 && shift < 70);
	return value;
}

static uint64_t far_sleb(const uint8_t **at)
{
	const uint8_t *from = *at;
	uint64_t value = far_uleb(at);
	unsigned bits = 7 * (unsigned)(*at - from);
	return bits < 64 && (*at)[-1] & 0x40 ? value | UINT64_MAX << bits : value;
}

/*
 * Reads calls, the most frequent events, while no event can reach past the end. Most calls take a
 * byte a field.
 */
static void take_calls(struct pvp_scan *s, struct pv_cursor *c)
{
	const uint8_t *at = c->at;
	uint64_t time = s->time, method = s->method, n = 0;
	while (c->end - at >= LONGEST && is_call(*at)) {
		if ((at[1] | at[2]) < 0x80) {
			time += at[1];
			method += (uint64_t)at[2] - ((at[2] & 0x40u) << 1);
			at += 3;
		} else {
			at++;
			time += far_uleb(&at);
			method += far_sleb(&at);
		}
		used(s, method);
		n++;
	}
	s->tally->events[PVP_GROUP_CALLS] += n;
	s->tally->bytes[PVP_GROUP_CALLS] += (uint64_t)(at - c->at);
	s->events += n;
	s->time = time;
	s->method = method;
	s->read_end = c->at = at;
}

static bool is_past(const struct pvp_scan *s, struct pv_cursor c)
{
	c.at++;
	return s->until && s->time + pv_get_uleb(&c) > s->until;
}

bool pvp_scan(struct pvp_scan *s, const uint8_t *at, const uint8_t *end)
{
	struct pv_cursor c = { .at = at, .end = end };
	s->read_end = at;
	while (c.at != end && !is_past(s, c)) {
		if (!s->until)
			take_calls(s, &c);
		if (c.at == end)
			break;
		uint8_t byte = *c.at;
		if (!is_call(byte) && byte != PVP_ALLOC) {
			if (!take_other(s, &c))
				return false;
			s->events++;
			s->read_end = c.at;
			continue;
		}
		c.at++;
		s->time += pv_get_uleb(&c);
		if (byte == PVP_ALLOC) {
			skip_alloc(&c);
			tally_event(s->tally, PVP_GROUP_ALLOCATIONS, s->read_end, c.at);
		} else {
			s->method += (uint64_t)pv_get_sleb(&c);
			used(s, s->method);
			tally_event(s->tally, PVP_GROUP_CALLS, s->read_end, c.at);
		}
		if (!pv_cursor_ok(&c))
			return false;
		s->events++;
		s->read_end = c.at;
	}
	return true;
}
