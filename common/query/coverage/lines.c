/* SPDX-License-Identifier: MIT */
/* Source lines of places, and samples summed up by line. */
#include "common/query/coverage/lines.h"

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
	uint64_t samples, turn; /* of the node being counted, from 1 */
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

static bool line_add(struct line_adder *a, const struct pv_line_at *at, bool own)
{
	struct pv_line_sum *s = line_sum_of(a, at);
	if (!s)
		return false;
	s->self += own ? a->samples : 0;
	s->total += s->seen != a->turn ? a->samples : 0;
	s->seen = a->turn;
	if (a->samples > s->most) {
		s->most = a->samples;
		s->method = at->method;
	}
	return true;
}

/* `own`: the samples were taken at this place. */
static bool place_add(struct line_adder *a, uint32_t place, bool own)
{
	size_t n;
	const struct pv_line_at *at = pv_lines_of_place(a->m, place, &n);
	if (!at)
		return false;
	if (own && (n == 0 || at[0].line == 0))
		a->to->line.v[0].self += a->samples;
	for (size_t i = 0; i < n; i++) {
		struct pv_line_at one = at[i];
		one.method = one.method ? one.method : a->m->places.place.v[place].method;
		if (one.line && !line_add(a, &one, own && i == 0))
			return false;
	}
	return true;
}

bool pv_line_sums(struct pv_model *m, bool by_method, struct pv_line_sums *ret)
{
	struct line_adder a = { .m = m, .to = ret, .by_method = by_method };
	*ret = (struct pv_line_sums){ 0 };
	if (!pv_reserve(&ret->line, 1))
		return false;
	ret->line.v[ret->line.n++] = (struct pv_line_sum){ 0 };
	for (size_t i = 1; i < m->places.node.n; i++) {
		a.samples = m->places.node.v[i].samples;
		a.turn = i;
		for (uint32_t at = a.samples ? (uint32_t)i : 0; at;
			at = m->places.node.v[at].parent)
			if (!place_add(&a, m->places.node.v[at].place, at == i))
				return false;
		pv_query_lock_yield(m, i);
	}
	uint64_t outside = m->calls.samples - m->places.samples;
	ret->line.v[0].self += m->calls.samples > m->places.samples ? outside : 0;
	ret->line.v[0].total = ret->line.v[0].self;
	return true;
}

void pv_line_sums_finish(struct pv_line_sums *s)
{
	pv_array_finish(&s->line);
	pv_map_finish(&s->of);
}
