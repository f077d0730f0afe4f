/* SPDX-License-Identifier: MIT */
/* Source lines of places, and what was met there summed up by line. */
#include "common/query/coverage/lines.h"

#include <string.h>

#include "common/base/saturate.h"
#include "common/base/status.h"
#include "common/model/names/il_lines.h"
#include "common/query/groups/specs.h"

/* --- sources */

static const struct pv_line_at *lines_logged(
	struct pv_model *m, const struct pv_line_place *place, size_t *ret_n)
{
	static _Thread_local struct pv_line_at one;
	one = (struct pv_line_at){ 0 };
	if (place->offset != UINT64_MAX)
		one.line = pv_lines_at(&m->lines, place->method, place->offset, &one.file);
	one.start = one.line ? pv_lines_start(&m->lines, place->method) : 0;
	*ret_n = one.line != 0;
	return &one;
}

static const struct pv_line_at *lines_native(
	struct pv_model *m, const struct pv_line_place *place, size_t *ret_n)
{
	return pv_place_lines_native(m, place->address, ret_n);
}

static const struct pv_line_at *lines_of_il(
	struct pv_model *m, const struct pv_line_place *place, size_t *ret_n)
{
	static _Thread_local struct pv_line_at one;
	if (!pv_il_lines_at(m, place->index, &one))
		return NULL;
	*ret_n = one.line != 0;
	return &one;
}

static const struct pv_line_source logged = { "log", lines_logged };
static const struct pv_line_source il = { "il", lines_of_il };
static const struct pv_line_source native = { "native", lines_native };

const struct pv_line_source *const pv_line_sources[] = { &logged, &il, &native, NULL };

const struct pv_line_at *pv_lines_of_place(struct pv_model *m, uint32_t place, size_t *ret_n)
{
	const struct pv_place *p = &m->places.place.v[place];
	const struct pv_method *x = &m->names.method.v[p->method];
	bool inside = x->code && p->address >= x->code && p->address - x->code < x->code_size;
	const struct pv_line_place where = { place, p->method, p->address,
		inside ? p->address - x->code : UINT64_MAX };
	const struct pv_line_at *found = NULL;
	*ret_n = 0;
	for (size_t i = 0; pv_line_sources[i] && *ret_n == 0; i++) {
		found = pv_line_sources[i]->find(m, &where, ret_n);
		if (!found)
			return NULL;
	}
	return found;
}

/* --- sums */

struct line_adder {
	struct pv_model *m;
	struct pv_line_sums *to;
	bool by_method;
	bool samples; /* of a sample, else of other events */
	uint64_t n[PV_LINE_MEASURES];
	uint64_t turn; /* of the stack being counted, from 1 */
};

/* NULL: out of memory. */
static struct pv_line_sum *line_sum_of(struct line_adder *a, const struct pv_line_at *at)
{
	struct pv_line_sums *s = a->to;
	uint64_t key = (uint64_t)at->file << 32 | at->line;
	uint32_t newest = pv_map_get(&s->of, key);
	newest = newest == PV_MAP_NONE ? 0 : newest;
	for (uint32_t i = newest; i; i = s->line.v[i].next)
		if (!a->by_method || s->line.v[i].method == at->method)
			return &s->line.v[i];
	uint32_t id = (uint32_t)s->line.n;
	if (!pv_reserve(&s->line, 1) || !pv_map_set(&s->of, key, id))
		return NULL;
	s->line.v[s->line.n++] = (struct pv_line_sum){
		.file = at->file, .line = at->line, .method = at->method, .next = newest
	};
	return &s->line.v[id];
}

static void add_measures(uint64_t *to, const uint64_t *n)
{
	for (size_t i = 0; i < PV_LINE_MEASURES; i++)
		to[i] += n[i];
}

static bool line_add(struct line_adder *a, const struct pv_line_at *at, bool own)
{
	struct pv_line_sum *s = line_sum_of(a, at);
	if (!s)
		return false;
	if (own)
		add_measures(s->self, a->n);
	if (s->seen != a->turn)
		add_measures(s->total, a->n);
	s->seen = a->turn;
	if (a->n[PV_LINE_SAMPLES] > s->most) {
		s->most = a->n[PV_LINE_SAMPLES];
		s->method = at->method;
	}
	return true;
}

/* `own`: the stack ends here, and no line was known up to here. *ret_own: whether that still holds. */
static bool place_add(struct line_adder *a, uint32_t place, bool own, bool *ret_own)
{
	size_t n;
	const struct pv_line_at *at = pv_lines_of_place(a->m, place, &n);
	*ret_own = false;
	if (!at)
		return false;
	if (a->samples && own && (n == 0 || at[0].line == 0))
		own = false;
	for (size_t i = 0; i < n; i++) {
		struct pv_line_at one = at[i];
		one.method = one.method ? one.method : a->m->places.place.v[place].method;
		if (one.line && !line_add(a, &one, own))
			return false;
		own = own && !one.line;
	}
	*ret_own = own;
	return true;
}

/* The stack that ends at a node of the tree of places. */
static bool stack_add(struct line_adder *a, uint32_t node)
{
	bool own = true;
	for (uint32_t at = node; at; at = a->m->places.node.v[at].parent)
		if (!place_add(a, a->m->places.node.v[at].place, own, &own))
			return false;
	return true;
}

static bool add_samples(struct line_adder *a)
{
	struct pv_model *m = a->m;
	a->samples = true;
	for (size_t i = 1; i < m->places.node.n; i++) {
		a->n[PV_LINE_SAMPLES] = m->places.node.v[i].samples;
		a->turn = i;
		if (a->n[PV_LINE_SAMPLES] && !stack_add(a, (uint32_t)i))
			return false;
		pv_query_lock_yield(m, i);
	}
	a->samples = false;
	a->n[PV_LINE_SAMPLES] = 0;
	return true;
}

static bool add_events(struct line_adder *a)
{
	struct pv_model *m = a->m;
	for (size_t i = 0; i < m->places.sum.n; i++) {
		const struct pv_place_sum s = m->places.sum.v[i];
		const uint64_t n[PV_LINE_MEASURES] = { [PV_LINE_ALLOCATIONS] = s.allocations,
			[PV_LINE_BYTES] = s.bytes,
			[PV_LINE_WAITS] = s.waits,
			[PV_LINE_WAIT_NS] = s.wait_ns,
			[PV_LINE_THROWS] = s.throws };
		memcpy(a->n, n, sizeof n);
		a->turn++;
		if (!stack_add(a, s.node))
			return false;
		pv_query_lock_yield(m, i);
	}
	return true;
}

/* Waits are counted when they begin, their time when they end. */
static bool add_open_waits(struct line_adder *a)
{
	struct pv_model *m = a->m;
	memset(a->n, 0, sizeof a->n);
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		const struct pv_thread *th = m->threads.thread.v[t];
		for (size_t i = 0; i < th->wait.n; i++) {
			const struct pv_wait *w = &th->wait.v[i];
			a->n[PV_LINE_WAIT_NS] = (uint64_t)pv_locks_open_ns(m, th, w);
			a->turn++;
			if (w->place < m->places.node.n && !stack_add(a, w->place))
				return false;
		}
	}
	return true;
}

/* The rest is at no line: stacks without places, or without known lines. */
static void count_unknown(const struct pv_model *m, struct pv_line_sums *s)
{
	const uint64_t all[PV_LINE_MEASURES] = { [PV_LINE_SAMPLES] = m->calls.samples,
		[PV_LINE_ALLOCATIONS] = m->allocs.count,
		[PV_LINE_BYTES] = m->allocs.bytes,
		[PV_LINE_WAITS] = m->locks.contentions,
		[PV_LINE_WAIT_NS] = (uint64_t)pv_sat_add(m->locks.wait_ns, pv_locks_open_sum(m)),
		[PV_LINE_THROWS] = m->throws.thrown };
	struct pv_line_sum *rest = &s->line.v[0];
	for (size_t i = 0; i < PV_LINE_MEASURES; i++) {
		uint64_t known = 0;
		for (size_t k = 1; k < s->line.n; k++)
			known += s->line.v[k].self[i];
		s->all[i] = all[i];
		rest->self[i] = all[i] > known ? all[i] - known : 0;
		rest->total[i] = rest->self[i];
	}
}

bool pv_line_sums(struct pv_model *m, bool by_method, struct pv_line_sums *ret)
{
	struct line_adder a = { .m = m, .to = ret, .by_method = by_method };
	*ret = (struct pv_line_sums){ 0 };
	if (!pv_reserve(&ret->line, 1))
		return false;
	ret->line.v[ret->line.n++] = (struct pv_line_sum){ 0 };
	if (!add_samples(&a) || !add_events(&a) || !add_open_waits(&a))
		return false;
	count_unknown(m, ret);
	return true;
}

enum pv_line_measure pv_line_sums_lead(const struct pv_line_sums *s)
{
	static const enum pv_line_measure lead[] = { PV_LINE_SAMPLES, PV_LINE_BYTES,
		PV_LINE_WAIT_NS, PV_LINE_WAITS, PV_LINE_THROWS };
	for (size_t k = 0; k < PV_COUNT_OF(lead); k++)
		if (s->all[lead[k]] > s->line.v[0].self[lead[k]])
			return lead[k];
	return PV_LINE_SAMPLES;
}

void pv_line_sums_finish(struct pv_line_sums *s)
{
	pv_array_finish(&s->line);
	pv_map_finish(&s->of);
}
