/* SPDX-License-Identifier: MIT */
/* The window as a whole: sums, decay, and the limit on its memory. */
#include <stdlib.h>
#include <string.h>

#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

#define MINUTE INT64_C(60000000000)

/* --- staying within the memory */

static bool make_places(struct pv_window *w, size_t need)
{
	size_t have = w->place.n;
	if (need <= have)
		return true;
	if (!pv_reserve(&w->place, need - have))
		return false;
	memset(w->place.v + have, 0, (need - have) * sizeof *w->place.v);
	w->place.n = need;
	return true;
}

/*
 * Ids are dense, so equal entries find each other by their places, without being sorted. A place
 * that holds another entry is of an earlier cell.
 */
static bool merge_nodes(struct pv_window *w, struct pv_window_cell *c)
{
	struct pv_window_entry *v = c->nodes.v;
	size_t to = 0, need = 0;
	for (size_t i = 0; i < c->nodes.n; i++)
		if (v[i].node >= need)
			need = (size_t)v[i].node + 1;
	if (!make_places(w, need))
		return false;
	for (size_t i = 0; i < c->nodes.n; i++) {
		uint32_t *at = &w->place.v[v[i].node];
		if (*at < to && v[*at].node == v[i].node) {
			v[*at].calls += v[i].calls;
			v[*at].self_ns += v[i].self_ns;
			v[*at].samples += v[i].samples;
		} else {
			*at = (uint32_t)to;
			v[to++] = v[i];
		}
	}
	c->nodes.n = c->merged_nodes = to;
	return true;
}

static bool merge_sites(struct pv_window *w, struct pv_window_cell *c)
{
	struct pv_window_bytes *v = c->sites.v;
	size_t to = 0, need = 0;
	for (size_t i = 0; i < c->sites.n; i++)
		if (v[i].site >= need)
			need = (size_t)v[i].site + 1;
	if (!make_places(w, need))
		return false;
	for (size_t i = 0; i < c->sites.n; i++) {
		uint32_t *at = &w->place.v[v[i].site];
		if (*at < to && v[*at].site == v[i].site) {
			v[*at].count += v[i].count;
			v[*at].bytes += v[i].bytes;
		} else {
			*at = (uint32_t)to;
			v[to++] = v[i];
		}
	}
	c->sites.n = c->merged_sites = to;
	return true;
}

/* Returns the room that merging left unused; after a failing realloc the room stays. */
static void trim_cell(struct pv_window_cell *c)
{
	bool spare = c->nodes.n && c->nodes.n < c->nodes.room;
	void *v = spare ? realloc(c->nodes.v, c->nodes.n * sizeof *c->nodes.v) : NULL;
	if (v) {
		c->nodes.v = v;
		c->nodes.room = c->nodes.n;
	}
	spare = c->sites.n && c->sites.n < c->sites.room;
	v = spare ? realloc(c->sites.v, c->sites.n * sizeof *c->sites.v) : NULL;
	if (v) {
		c->sites.v = v;
		c->sites.room = c->sites.n;
	}
}

static void count_bytes(struct pv_window *w)
{
	w->bytes = 0;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++) {
		const struct pv_window_cell *c = &w->cell[i];
		w->bytes += c->nodes.room * sizeof *c->nodes.v + c->sites.room * sizeof *c->sites.v;
	}
}

static bool merge_all(struct pv_window *w)
{
	bool ok = true;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++) {
		struct pv_window_cell *c = &w->cell[i];
		ok &= c->merged_nodes == c->nodes.n || merge_nodes(w, c);
		ok &= c->merged_sites == c->sites.n || merge_sites(w, c);
		trim_cell(c);
	}
	count_bytes(w);
	return ok;
}

static void drop_old(struct pv_window *w)
{
	int64_t oldest = w->newest - (MINUTE / w->width + 1);
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++)
		if (w->cell[i].used && w->cell[i].number < oldest)
			pv_window_empty_cell(w, &w->cell[i]);
}

static int by_number(const void *a, const void *b)
{
	const struct pv_window_cell *x = a, *y = b;
	return (x->number > y->number) - (x->number < y->number);
}

/* Both cells were merged before: equal entries become one, and only the others need memory. */
static bool take_nodes(struct pv_window *w, struct pv_window_cell *c, struct pv_window_cell *from)
{
	if (c->nodes.room == 0) {
		c->nodes = from->nodes;
		memset(&from->nodes, 0, sizeof from->nodes);
	}
	for (size_t i = 0; i < c->nodes.n; i++)
		w->place.v[c->nodes.v[i].node] = (uint32_t)i;
	for (size_t i = 0; i < from->nodes.n; i++) {
		const struct pv_window_entry *e = &from->nodes.v[i];
		uint32_t *at = &w->place.v[e->node];
		if (*at < c->nodes.n && c->nodes.v[*at].node == e->node) {
			c->nodes.v[*at].calls += e->calls;
			c->nodes.v[*at].self_ns += e->self_ns;
			c->nodes.v[*at].samples += e->samples;
			continue;
		}
		if (!pv_reserve(&c->nodes, 1))
			return false;
		*at = (uint32_t)c->nodes.n;
		c->nodes.v[c->nodes.n++] = *e;
	}
	c->merged_nodes = c->nodes.n;
	return true;
}

static bool take_sites(struct pv_window *w, struct pv_window_cell *c, struct pv_window_cell *from)
{
	if (c->sites.room == 0) {
		c->sites = from->sites;
		memset(&from->sites, 0, sizeof from->sites);
	}
	for (size_t i = 0; i < c->sites.n; i++)
		w->place.v[c->sites.v[i].site] = (uint32_t)i;
	for (size_t i = 0; i < from->sites.n; i++) {
		const struct pv_window_bytes *e = &from->sites.v[i];
		uint32_t *at = &w->place.v[e->site];
		if (*at < c->sites.n && c->sites.v[*at].site == e->site) {
			c->sites.v[*at].count += e->count;
			c->sites.v[*at].bytes += e->bytes;
			continue;
		}
		if (!pv_reserve(&c->sites, 1))
			return false;
		*at = (uint32_t)c->sites.n;
		c->sites.v[c->sites.n++] = *e;
	}
	c->merged_sites = c->sites.n;
	return true;
}

static bool move_into(struct pv_window *w, struct pv_window_cell *from)
{
	struct pv_window_cell *c = pv_window_cell_of(w, from->number >> 1);
	return !c || (take_nodes(w, c, from) && take_sites(w, c, from));
}

/* Merges neighbours to cells of twice the width. */
static bool widen_window(struct pv_window *w)
{
	struct pv_window_cell *old = malloc(sizeof w->cell);
	if (!old)
		return false;
	size_t n = 0;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++)
		if (w->cell[i].used)
			old[n++] = w->cell[i];
	qsort(old, n, sizeof *old, by_number);
	memset(w->cell, 0, sizeof w->cell);
	w->width *= 2;
	w->newest >>= 1;
	w->present >>= 1;
	bool ok = true;
	for (size_t i = 0; i < n; i++) {
		ok = ok && move_into(w, &old[i]);
		pv_array_finish(&old[i].nodes);
		pv_array_finish(&old[i].sites);
	}
	free(old);
	return ok;
}

bool pv_window_shrink(struct pv_window *w)
{
	drop_old(w);
	bool ok = merge_all(w);
	while (ok && w->bytes > w->limit / 4 * 3 && w->width < MINUTE) {
		ok = widen_window(w);
		drop_old(w);
		ok = merge_all(w) && ok;
	}
	return ok;
}

/* Readers may come in between: by `moving` they find the node of an entry. */
void pv_window_renumber_nodes(struct pv_model *m, const uint32_t *to)
{
	struct pv_window_moving *w = &m->window->moving_nodes;
	*w = (struct pv_window_moving){ .to = to };
	for (; w->cell < PV_WINDOW_CELLS; w->cell++) {
		struct pv_window_cell *c = &m->window->cell[w->cell];
		c->merged_nodes = 0;
		for (w->at = 0; w->at < c->nodes.n; pv_model_lock_yield(m, 1)) {
			struct pv_window_entry *e = &c->nodes.v[w->at++];
			e->node = to[e->node];
		}
		w->at = 0;
	}
	w->to = NULL;
}

void pv_window_renumber_sites(struct pv_model *m, const uint32_t *to)
{
	struct pv_window_moving *w = &m->window->moving_sites;
	*w = (struct pv_window_moving){ .to = to };
	for (; w->cell < PV_WINDOW_CELLS; w->cell++) {
		struct pv_window_cell *c = &m->window->cell[w->cell];
		c->merged_sites = 0;
		for (w->at = 0; w->at < c->sites.n; pv_model_lock_yield(m, 1)) {
			struct pv_window_bytes *e = &c->sites.v[w->at++];
			e->site = to[e->site];
		}
		w->at = 0;
	}
	w->to = NULL;
}

bool pv_window_zero(struct pv_model *m)
{
	if (!pv_window_flush(m))
		return false;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++)
		pv_window_empty_cell(m->window, &m->window->cell[i]);
	return true;
}

/* --- sums */

struct gather {
	const struct pv_model *m;
	struct pv_window_sums *sums;
	uint32_t *node_at, *site_at; /* id -> place in sums + 1 */
};

static struct pv_window_node *node_sum(struct gather *g, uint32_t node)
{
	if (!g->node_at[node]) {
		if (!pv_reserve(&g->sums->nodes, 1))
			return NULL;
		g->sums->nodes.v[g->sums->nodes.n++] = (struct pv_window_node){ .node = node };
		g->node_at[node] = (uint32_t)g->sums->nodes.n;
	}
	return &g->sums->nodes.v[g->node_at[node] - 1];
}

static struct pv_window_site *site_sum(struct gather *g, uint32_t site)
{
	if (!g->site_at[site]) {
		if (!pv_reserve(&g->sums->sites, 1))
			return NULL;
		g->sums->sites.v[g->sums->sites.n++] = (struct pv_window_site){ .site = site };
		g->site_at[site] = (uint32_t)g->sums->sites.n;
	}
	return &g->sums->sites.v[g->site_at[site] - 1];
}

static bool add_cell(struct gather *g, size_t cell)
{
	const struct pv_window *w = g->m->window;
	const struct pv_window_cell *c = &w->cell[cell];
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pv_window_entry *e = &c->nodes.v[i];
		uint32_t node = pv_window_moved(&w->moving_nodes, cell, i, e->node);
		struct pv_window_node *n = node_sum(g, node);
		if (!n)
			return false;
		n->calls += e->calls;
		n->self_ns += e->self_ns;
		n->samples += e->samples;
	}
	for (size_t i = 0; i < c->sites.n; i++) {
		uint32_t site = pv_window_moved(&w->moving_sites, cell, i, c->sites.v[i].site);
		struct pv_window_site *s = site_sum(g, site);
		if (!s)
			return false;
		s->count += c->sites.v[i].count;
		s->bytes += c->sites.v[i].bytes;
	}
	return true;
}

/* Figures gathered in the present cell but not yet stored. */
static bool add_touched(struct gather *g)
{
	const struct pv_window *w = g->m->window;
	for (size_t i = w->nodes_at; i < w->nodes.n; i++) {
		const struct pv_tree_node *n = &g->m->calls.node.v[w->nodes.v[i].id];
		struct pv_window_node *to = node_sum(g, w->nodes.v[i].id);
		if (!to)
			return false;
		to->calls += n->calls - w->nodes.v[i].count;
		to->self_ns += n->self_ns - w->nodes.v[i].amount;
	}
	for (size_t i = w->sites_at; i < w->sites.n; i++) {
		const struct pv_site *s = &g->m->allocs.sites.site.v[w->sites.v[i].id];
		struct pv_window_site *to = site_sum(g, w->sites.v[i].id);
		if (!to)
			return false;
		to->count += s->count - w->sites.v[i].count;
		to->bytes += s->amount - (uint64_t)w->sites.v[i].amount;
	}
	return true;
}

static bool add_open_self_times(struct gather *g)
{
	struct pv_open_frame o = { 0 };
	while (pv_threads_next_open(&g->m->threads, g->sums->from_ns, g->sums->to_ns, &o)) {
		struct pv_window_node *n = node_sum(g, o.node);
		if (!n)
			return false;
		n->self_ns += o.ns;
	}
	return true;
}

/* Sorts ascending, as node_at and site_at are. */
static bool put_in_order(struct gather *g)
{
	struct pv_window_sums to = { .from_ns = g->sums->from_ns, .to_ns = g->sums->to_ns };
	if (!pv_reserve(&to.nodes, g->sums->nodes.n) || !pv_reserve(&to.sites, g->sums->sites.n)) {
		pv_window_sums_finish(&to);
		return false;
	}
	for (size_t i = 0; i < g->m->calls.node.n; i++)
		if (g->node_at[i])
			to.nodes.v[to.nodes.n++] = g->sums->nodes.v[g->node_at[i] - 1];
	for (size_t i = 0; i < g->m->allocs.sites.site.n; i++)
		if (g->site_at[i])
			to.sites.v[to.sites.n++] = g->sums->sites.v[g->site_at[i] - 1];
	pv_window_sums_finish(g->sums);
	*g->sums = to;
	return true;
}

static bool gather_cells(struct gather *g, int64_t first, int64_t last)
{
	const struct pv_window *w = g->m->window;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++) {
		const struct pv_window_cell *c = &w->cell[i];
		if (c->used && c->number >= first && c->number <= last && !add_cell(g, i))
			return false;
	}
	if (w->entered && w->present >= first && w->present <= last && !add_touched(g))
		return false;
	return add_open_self_times(g);
}

bool pv_window_sum(const struct pv_model *m, uint64_t window_ns, struct pv_window_sums *ret)
{
	const struct pv_window *w = m->window;
	*ret = (struct pv_window_sums){ 0 };
	if (w->off || m->first_ns == PV_NEVER)
		return true;
	int64_t to = w->advanced_ns > m->last_ns ? w->advanced_ns : m->last_ns;
	int64_t first = pv_window_number(w, to - (int64_t)window_ns);
	ret->to_ns = to;
	ret->from_ns = first * w->width;
	struct gather g = { .m = m,
		.sums = ret,
		.node_at = calloc(m->calls.node.n, sizeof *g.node_at),
		.site_at = calloc(m->allocs.sites.site.n, sizeof *g.site_at) };
	bool ok = g.node_at && g.site_at && gather_cells(&g, first, pv_window_number(w, to)) &&
		  put_in_order(&g);
	free(g.node_at);
	free(g.site_at);
	if (!ok)
		pv_window_sums_finish(ret);
	return ok;
}

void pv_window_sums_finish(struct pv_window_sums *s)
{
	pv_array_finish(&s->nodes);
	pv_array_finish(&s->sites);
}

bool pv_window_advance(struct pv_model *m, int64_t now_ns)
{
	struct pv_window *w = m->window;
	if (w->off || m->first_ns == PV_NEVER)
		return false;
	int64_t before = w->advanced_ns > m->last_ns ? w->advanced_ns : m->last_ns;
	int64_t after = now_ns > m->last_ns ? now_ns : m->last_ns;
	int64_t empty = m->last_ns + MINUTE + 2 * w->width;
	w->advanced_ns = after;
	if (pv_window_number(w, before) != pv_window_number(w, after) && before < empty)
		__atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
	return after < empty;
}
