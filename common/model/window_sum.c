/* The window as a whole: sums over it, its decay, and how it stays within its memory. */
#include <stdlib.h>
#include <string.h>

#include "common/model/model_parts.h"
#include "common/model/window_parts.h"

#define MINUTE INT64_C(60000000000)

/* --- staying within the memory */

static int by_node(const void *a, const void *b)
{
	const struct pv_window_entry *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

static int by_site(const void *a, const void *b)
{
	const struct pv_window_bytes *x = a, *y = b;
	return (x->site > y->site) - (x->site < y->site);
}

static void merge_entries(struct pv_window_cell *c)
{
	size_t to = 0;
	if (c->nodes.n)
		qsort(c->nodes.v, c->nodes.n, sizeof *c->nodes.v, by_node);
	for (size_t i = 0; i < c->nodes.n; i++) {
		struct pv_window_entry *e = &c->nodes.v[i], *last = &c->nodes.v[to ? to - 1 : 0];
		if (to && last->node == e->node) {
			last->calls += e->calls;
			last->self_ns += e->self_ns;
			last->samples += e->samples;
		} else {
			c->nodes.v[to++] = *e;
		}
	}
	c->nodes.n = to;
	to = 0;
	if (c->sites.n)
		qsort(c->sites.v, c->sites.n, sizeof *c->sites.v, by_site);
	for (size_t i = 0; i < c->sites.n; i++) {
		struct pv_window_bytes *e = &c->sites.v[i], *last = &c->sites.v[to ? to - 1 : 0];
		if (to && last->site == e->site) {
			last->count += e->count;
			last->bytes += e->bytes;
		} else {
			c->sites.v[to++] = *e;
		}
	}
	c->sites.n = to;
}

/* Gives back what merging left unused; a failing realloc keeps it. */
static void trim(struct pv_window_cell *c)
{
	void *v = c->nodes.n ? realloc(c->nodes.v, c->nodes.n * sizeof *c->nodes.v) : NULL;
	if (v) {
		c->nodes.v = v;
		c->nodes.room = c->nodes.n;
	}
	v = c->sites.n ? realloc(c->sites.v, c->sites.n * sizeof *c->sites.v) : NULL;
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

static void merge_all(struct pv_window *w)
{
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++) {
		merge_entries(&w->cell[i]);
		trim(&w->cell[i]);
	}
	count_bytes(w);
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

static bool move_into(struct pv_window *w, const struct pv_window_cell *from)
{
	struct pv_window_cell *c = pv_window_cell_of(w, from->number >> 1);
	if (!c)
		return true;
	if (!pv_reserve(&c->nodes, from->nodes.n) || !pv_reserve(&c->sites, from->sites.n))
		return false;
	if (from->nodes.n)
		memcpy(c->nodes.v + c->nodes.n, from->nodes.v,
			from->nodes.n * sizeof *from->nodes.v);
	c->nodes.n += from->nodes.n;
	if (from->sites.n)
		memcpy(c->sites.v + c->sites.n, from->sites.v,
			from->sites.n * sizeof *from->sites.v);
	c->sites.n += from->sites.n;
	return true;
}

/* Two neighbours become one cell of twice the width. */
static bool widen(struct pv_window *w)
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
	merge_all(w);
	while (w->bytes > w->limit / 4 * 3 && w->width < MINUTE) {
		if (!widen(w))
			return false;
		drop_old(w);
		merge_all(w);
	}
	return true;
}

void pv_window_renumber_nodes(struct pv_model *m, const uint32_t *to)
{
	struct pv_window *w = m->window;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++)
		for (size_t k = 0; k < w->cell[i].nodes.n; k++)
			w->cell[i].nodes.v[k].node = to[w->cell[i].nodes.v[k].node];
}

void pv_window_renumber_sites(struct pv_model *m, const uint32_t *to)
{
	struct pv_window *w = m->window;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++)
		for (size_t k = 0; k < w->cell[i].sites.n; k++)
			w->cell[i].sites.v[k].site = to[w->cell[i].sites.v[k].site];
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

static bool add_cell(struct gather *g, const struct pv_window_cell *c)
{
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pv_window_entry *e = &c->nodes.v[i];
		struct pv_window_node *n = node_sum(g, e->node);
		if (!n)
			return false;
		n->calls += e->calls;
		n->self_ns += e->self_ns;
		n->samples += e->samples;
	}
	for (size_t i = 0; i < c->sites.n; i++) {
		struct pv_window_site *s = site_sum(g, c->sites.v[i].site);
		if (!s)
			return false;
		s->count += c->sites.v[i].count;
		s->bytes += c->sites.v[i].bytes;
	}
	return true;
}

/* What the present cell has gathered but not yet put away. */
static bool add_touched(struct gather *g)
{
	const struct pv_window *w = g->m->window;
	for (size_t i = 1; i < w->nodes.n; i++) {
		const struct pv_tree_node *n = &g->m->calls.node.v[w->nodes.v[i].id];
		struct pv_window_node *to = node_sum(g, w->nodes.v[i].id);
		if (!to)
			return false;
		to->calls += n->calls - w->nodes.v[i].count;
		to->self_ns += n->self_ns - w->nodes.v[i].amount;
	}
	for (size_t i = 1; i < w->sites.n; i++) {
		const struct pv_site *s = &g->m->allocs.sites.site.v[w->sites.v[i].id];
		struct pv_window_site *to = site_sum(g, w->sites.v[i].id);
		if (!to)
			return false;
		to->count += s->count - w->sites.v[i].count;
		to->bytes += s->amount - (uint64_t)w->sites.v[i].amount;
	}
	return true;
}

/* Open frames run to their thread's last event. */
static bool add_open(struct gather *g)
{
	const struct pv_threads *t = &g->m->threads;
	for (size_t i = 1; i < t->thread.n; i++) {
		const struct pv_thread *th = t->thread.v[i];
		const struct pv_thread_calls *s = &th->stack;
		int64_t from = s->last_ns, to = th->last_ns;
		if (s->stack.n == 0)
			continue;
		from = from < g->sums->from_ns ? g->sums->from_ns : from;
		to = to > g->sums->to_ns ? g->sums->to_ns : to;
		if (from >= to)
			continue;
		struct pv_window_node *n = node_sum(g, s->stack.v[s->stack.n - 1].node);
		if (!n)
			return false;
		n->self_ns += to - from;
	}
	return true;
}

static int by_node_sum(const void *a, const void *b)
{
	const struct pv_window_node *x = a, *y = b;
	return (x->node > y->node) - (x->node < y->node);
}

static int by_site_sum(const void *a, const void *b)
{
	const struct pv_window_site *x = a, *y = b;
	return (x->site > y->site) - (x->site < y->site);
}

static bool gather(struct gather *g, int64_t first, int64_t last)
{
	const struct pv_window *w = g->m->window;
	for (size_t i = 0; i < PV_WINDOW_CELLS; i++) {
		const struct pv_window_cell *c = &w->cell[i];
		if (c->used && c->number >= first && c->number <= last && !add_cell(g, c))
			return false;
	}
	if (w->entered && w->present >= first && w->present <= last && !add_touched(g))
		return false;
	return add_open(g);
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
	bool ok = g.node_at && g.site_at && gather(&g, first, pv_window_number(w, to));
	free(g.node_at);
	free(g.site_at);
	if (!ok) {
		pv_window_sums_finish(ret);
		return false;
	}
	if (ret->nodes.n)
		qsort(ret->nodes.v, ret->nodes.n, sizeof *ret->nodes.v, by_node_sum);
	if (ret->sites.n)
		qsort(ret->sites.v, ret->sites.n, sizeof *ret->sites.v, by_site_sum);
	return true;
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
