/* SPDX-License-Identifier: MIT */
/* Chooses requests by a filter, and collects their times and spans. */
#include "common/query/requests_chosen.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/filter/filter_split.h"
#include "common/base/text/route_text.h"
#include "common/model/model.h"
#include "common/query/views/span_costs.h"
#include "common/query/groups/specs.h"

struct choosing {
	struct pv_model *m;
	struct pv_filter *f;
	struct pv_span_costs costs;
	uint64_t *holds; /* by span, if a request: bits of the terms that hold */
	bool *chosen;    /* by span: likewise */
	struct pv_request_times *to;
};

/* --- choosing */

static bool named(const struct pv_filter_leaf *leaf, const char *name, const char *route)
{
	return pv_filter_text_has(leaf, route, strlen(route)) ||
	       pv_filter_text_has(leaf, name, strlen(name));
}

static bool timed(const struct choosing *c, const struct pv_filter_leaf *leaf,
	const struct pv_work *w, bool outermost)
{
	const bool exact = leaf->equal && !leaf->less && !leaf->greater;
	if (leaf->place == PV_FILTER_SLOW)
		return outermost && pv_filter_number_is(leaf, w->took_ns);
	return (outermost || exact) &&
	       pv_filter_number_is(leaf, (long double)w->start_ns - (long double)c->m->zero_ns);
}

/* Terms that hold for a request because of span `w`; `outermost`: w is the request. */
static uint64_t terms_of(const struct choosing *c, const struct pv_work *w, bool outermost)
{
	const char *name = pv_intern_text(&c->m->names.text, w->name);
	const bool query = pv_span_is_query(c->m, w);
	char route[PV_ROUTE_TEXT];
	uint64_t bits = 0;
	pv_route_text(name, route, sizeof route);
	for (size_t i = 0; i < pv_filter_leaves(c->f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(c->f, i);
		const bool is = leaf->what == PV_FILTER_COMPARES
					? timed(c, leaf, w, outermost)
					: query == (leaf->field == PV_FILTER_QUERY) &&
						  named(leaf, name, route);
		bits |= (uint64_t)is << i;
	}
	return bits;
}

static void choose(struct choosing *c)
{
	const struct pv_runtime *r = &c->m->runtime;
	for (size_t i = 0; i < r->work.n; i++) {
		const uint32_t request = c->costs.request.v[i];
		c->holds[request] |= terms_of(c, &r->work.v[i], request == i);
	}
	for (size_t i = 0; i < r->work.n; i++) {
		if (c->costs.request.v[i] != i)
			continue;
		c->chosen[i] = pv_filter_passes_bits(c->f, c->holds[i]);
		c->to->requests += c->chosen[i];
	}
}

/* --- times */

static int by_thread(const void *a, const void *b)
{
	const struct pv_work_piece *x = *(const struct pv_work_piece *const *)a;
	const struct pv_work_piece *y = *(const struct pv_work_piece *const *)b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

static bool is_of_chosen(const struct choosing *c, const struct pv_work_piece *p)
{
	const uint32_t at = pv_piece_is_sure(p) ? pv_map_get(&c->costs.at, p->owner) : PV_MAP_NONE;
	return at != PV_MAP_NONE && c->chosen[c->costs.request.v[at]];
}

/* Adds the pieces of threads: an empty piece as 1 ns, touching pieces as a single time. */
static bool add_times(struct choosing *c, const struct pv_work_piece *const *piece, size_t n)
{
	struct pv_request_time now = { 0, 0 };
	bool ok = true;
	for (size_t i = 0; ok && i < n; i++) {
		const struct pv_work_piece *p = piece[i];
		const bool same = i && piece[i - 1]->thread == p->thread;
		const int64_t to = p->to_ns > p->from_ns ? p->to_ns : p->from_ns + 1;
		if (same && p->from_ns <= now.to_ns) {
			now.to_ns = to > now.to_ns ? to : now.to_ns;
			continue;
		}
		ok = !i ||
		     pv_request_times_add(c->to, piece[i - 1]->thread, now.from_ns, now.to_ns);
		now = (struct pv_request_time){ p->from_ns, to };
	}
	return ok &&
	       (!n || pv_request_times_add(c->to, piece[n - 1]->thread, now.from_ns, now.to_ns));
}

static bool take_times(struct choosing *c)
{
	const struct pv_works *w = &c->m->runtime.works;
	const struct pv_work_piece **piece = calloc(w->piece.n + 1, sizeof *piece);
	size_t n = 0;
	for (size_t i = 0; piece && i < w->piece.n; i++)
		if (is_of_chosen(c, &w->piece.v[i]))
			piece[n++] = &w->piece.v[i];
	if (n)
		qsort(piece, n, sizeof *piece, by_thread);
	const bool ok = piece && add_times(c, piece, n);
	free(piece);
	return ok;
}

static bool take_spans(struct choosing *c)
{
	const struct pv_runtime *r = &c->m->runtime;
	bool ok = true;
	for (size_t i = 0; ok && i < r->work.n; i++) {
		const struct pv_work *w = &r->work.v[i];
		ok = !c->chosen[c->costs.request.v[i]] ||
		     pv_request_times_add_span(c->to, w->id, w->start_ns, w->took_ns);
	}
	return ok;
}

static bool take(struct choosing *c)
{
	const struct pv_span_cost *left = &c->costs.left;
	choose(c);
	c->to->threads_known = c->costs.any;
	c->to->queries = c->costs.has_queries;
	c->to->recorded = pv_groups_recorded(c->m);
	c->to->rest = (struct pv_request_rest){ left->ran + left->waited + left->unsure,
		left->allocations, left->waits, left->thrown };
	return take_times(c) && take_spans(c);
}

bool pv_requests_choose(struct pv_model *m, const char *filter, struct pv_request_times *ret,
	struct pv_error *reterr)
{
	struct pv_filter_error wrong;
	struct choosing c = { .m = m, .to = ret };
	*ret = (struct pv_request_times){ .requests = 0 };
	c.f = pv_filter_requests(filter, &wrong);
	if (!c.f && !wrong.no_memory)
		return pv_fail(reterr, PV_EUSAGE, 0, "filter, character %zu: %s", wrong.at + 1,
			wrong.what);
	bool ok = c.f && pv_span_costs_make(&c.costs, m);
	c.holds = ok ? calloc(m->runtime.work.n + 1, sizeof *c.holds) : NULL;
	c.chosen = ok ? calloc(m->runtime.work.n + 1, sizeof *c.chosen) : NULL;
	ok = c.holds && c.chosen && take(&c);
	free(c.holds);
	free(c.chosen);
	pv_span_costs_finish(&c.costs);
	pv_filter_free(c.f);
	return ok || pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}
