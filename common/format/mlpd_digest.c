#include "common/format/mlpd_digest.h"

#include <stdlib.h>
#include <string.h>

enum {
	FEW = 64,            /* stretches before they are judged ... */
	SHORT = 16,          /* ... by the events they have on average */
	ENTERS_MAX = 1 << 18, /* of a stretch that goes on in another batch */
};

#define FAR ((uint64_t)PV_STRETCH_ANY) /* ns: times beyond are no times */

void pv_digest_reset(struct pv_digest *d)
{
	d->wanted = false;
	d->node.n = d->count.n = d->open.n = d->stretch.n = d->alloc_node.n = d->number.n = 0;
	d->events = 0;
	d->depth = 0;
	d->run = d->run_n = 0;
}

void pv_digest_finish(struct pv_digest *d)
{
	pv_array_finish(&d->node);
	pv_array_finish(&d->count);
	pv_array_finish(&d->open);
	pv_array_finish(&d->stretch);
	pv_array_finish(&d->alloc_node);
	pv_array_finish(&d->number);
}

size_t pv_digest_bytes(const struct pv_digest *d)
{
	return d->node.room * sizeof *d->node.v + d->count.room * sizeof *d->count.v +
	       d->open.room * sizeof *d->open.v + d->stretch.room * sizeof *d->stretch.v +
	       d->alloc_node.room * sizeof *d->alloc_node.v + d->number.room * sizeof *d->number.v;
}

/* --- records: the nodes of the tree that a stretch has met, as its batch gets them */

/* The node's record and its callers', made when new; 0 when out of memory. */
static uint32_t record_of(struct mlpd_digester *d, uint32_t node)
{
	struct pv_digest *g = &d->home->digest;
	struct mlpd_tree *t = d->tree;
	uint32_t *record = t->record.v;
	t->path.n = 0;
	for (uint32_t at = node; record[at] == 0; at = t->node[at].parent) {
		if (!pv_reserve(&t->path, 1))
			return 0;
		t->path.v[t->path.n++] = at;
	}
	if (!pv_reserve(&g->node, t->path.n))
		return 0;
	while (t->path.n > 0) {
		uint32_t at = t->path.v[--t->path.n];
		record[at] = (uint32_t)g->node.n;
		g->node.v[g->node.n++] = (struct pv_digest_node){ .key = t->node[at].key,
			.parent = record[t->node[at].parent] };
	}
	return record[node];
}

static bool begin_records(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	if (!pv_reserve(&g->node, 2))
		return false;
	if (g->node.n == 0)
		g->node.v[g->node.n++] = (struct pv_digest_node){ .parent = 0 };
	uint32_t first = (uint32_t)g->node.n++;
	g->node.v[first] = (struct pv_digest_node){ .key = UINT64_MAX, .parent = first };
	d->tree->record.v[MLPD_ROOT] = first;
	return true;
}

/* Figures move from the tree to the records; `to` is the stretch's end. */
static bool take_figures(struct mlpd_digester *d)
{
	struct mlpd_tree *t = d->tree;
	if (!pv_reserve(&d->home->digest.node, t->touched.n))
		return false;
	for (size_t i = 0; i < t->touched.n; i++)
		if (!record_of(d, t->touched.v[i]))
			return false;
	struct pv_digest_node *v = d->home->digest.node.v;
	for (size_t i = 0; i < t->touched.n; i++) {
		uint32_t at = t->touched.v[i];
		struct mlpd_node *n = &t->node[at];
		struct pv_digest_node *r = &v[t->record.v[at]];
		r->calls = n->calls;
		r->total_ns = n->total_ns;
		r->max_ns = n->max_ns;
		n->calls = 0;
		n->total_ns = 0;
		n->max_ns = 0;
	}
	for (size_t i = 0; i < t->exc.n; i++)
		v[t->record.v[t->exc.v[i].node]].exc_leaves++;
	return true;
}

/* The tree has nothing of the stretch any more. */
static void end_records(struct mlpd_tree *t)
{
	for (size_t i = 0; i < t->touched.n; i++)
		t->record.v[t->touched.v[i]] = 0;
	t->record.v[MLPD_ROOT] = 0;
	t->touched.n = t->exc.n = 0;
}

/* --- stretches */

static int64_t next_edge(int64_t time, int64_t origin, int64_t width)
{
	int64_t since = (int64_t)((uint64_t)time - (uint64_t)origin);
	int64_t n = since / width - (since % width < 0);
	return (int64_t)((uint64_t)origin + (uint64_t)(n + 1) * (uint64_t)width);
}

static void set_limit(struct mlpd_digester *d, int64_t time)
{
	const struct pv_digest *g = &d->home->digest;
	int64_t edge = next_edge(time, g->cell_origin_ns, g->cell_ns);
	d->limit_ns = edge < d->end_ns ? edge : d->end_ns;
}

static bool begin_count(struct mlpd_digester *d, int64_t time)
{
	struct pv_digest *g = &d->home->digest;
	if (!pv_reserve(&g->count, 1))
		return false;
	g->count.v[g->count.n++] = (struct pv_digest_count){ .time_ns = time };
	d->enters = d->leaves = d->exc_leaves = 0;
	set_limit(d, time);
	return true;
}

static void end_count(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	struct pv_digest_count *c = &g->count.v[g->count.n - 1];
	c->enters = d->enters;
	c->leaves = d->leaves;
	c->exc_leaves = d->exc_leaves;
}

/* Its place among the batch's events is here, whatever comes before its end. */
static bool begin_stretch(struct mlpd_digester *d, int64_t time)
{
	struct pv_batch *b = d->batch;
	struct pv_digest *g = &b->digest;
	d->home = b;
	if (!mlpd_tree_begin(d->tree) || !begin_records(d) || !mlpd_digest_number(d) ||
		!pv_reserve(&g->stretch, 1) || !pv_batch_reserve(b, 1))
		return false;
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_BATCH_STRETCH;
	b->key[b->n++] = g->stretch.n;
	d->within = d->behind = true;
	d->depth = 0;
	d->all_enters = 0;
	d->at = MLPD_ROOT;
	d->end_ns = next_edge(time, 0, b->digest.stretch_ns);
	d->last_ns = time;
	g->stretch.v[g->stretch.n++] = (struct pv_stretch){ .from_ns = time,
		.node = d->tree->record.v[MLPD_ROOT],
		.count = (uint32_t)g->count.n,
		.open = (uint32_t)g->open.n };
	return begin_count(d, time);
}

/* Calls that had not ended are calls of the stretch, too. */
static bool touch_open(struct mlpd_digester *d)
{
	struct mlpd_tree *t = d->tree;
	uint32_t at = mlpd_digest_top(d);
	for (size_t i = d->depth; i-- > 0; at = t->node[at].parent)
		if (t->node[at].calls++ == 0)
			t->touched.v[t->touched.n++] = at;
	return pv_reserve(&d->home->digest.open, d->depth);
}

/* Their time so far is self time of theirs, and not of their callers. */
static void list_open(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	uint32_t at = d->tree->record.v[mlpd_digest_top(d)];
	for (size_t i = d->depth; i-- > 0;) {
		struct pv_digest_node *n = &g->node.v[at];
		int64_t entered = d->tree->entered.v[i];
		uint64_t ns = (uint64_t)d->last_ns - (uint64_t)entered;
		g->open.v[g->open.n + i] = (struct pv_digest_open){ at, entered };
		n->self_ns += ns;
		g->node.v[n->parent].self_ns -= ns;
		at = n->parent;
	}
	g->open.n += d->depth;
}

bool mlpd_digest_close(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	if (!d->within)
		return true;
	struct pv_stretch *s = &g->stretch.v[g->stretch.n - 1];
	d->within = false;
	end_count(d);
	if (!touch_open(d) || !take_figures(d))
		return false;
	list_open(d);
	end_records(d->tree);
	s->to_ns = d->last_ns;
	s->nodes = (uint32_t)g->node.n - s->node;
	s->counts = (uint32_t)g->count.n - s->count;
	s->opens = (uint32_t)g->open.n - s->open;
	/* Self time is what calls took less what their callees took. */
	for (size_t i = g->node.n - 1; i > s->node; i--) {
		struct pv_digest_node *n = &g->node.v[i];
		n->self_ns += n->total_ns;
		g->node.v[n->parent].self_ns -= n->total_ns;
	}
	g->node.v[s->node].self_ns += (uint64_t)s->to_ns - (uint64_t)s->from_ns;
	size_t room = d->tree->entered.room;
	g->depth += d->all_enters < room ? d->all_enters : room;
	if (g->stretch.n >= FEW && g->events / g->stretch.n < SHORT)
		d->on = false;
	return true;
}

uint32_t mlpd_digest_place(struct mlpd_digester *d, uint32_t node)
{
	return record_of(d, node);
}

bool mlpd_digest_pass_edge(struct mlpd_digester *d, int64_t time, bool enters, bool *ret_go_on)
{
	*ret_go_on = true;
	if (d->within && time < d->end_ns) {
		end_count(d);
		return begin_count(d, time);
	}
	if (d->within && !mlpd_digest_close(d))
		return false;
	*ret_go_on = d->on && enters && (uint64_t)time + FAR < 2 * FAR;
	return !*ret_go_on || begin_stretch(d, time);
}

void mlpd_digest_begin(struct mlpd_digester *d, struct mlpd_tree *t, struct pv_batch *b)
{
	*d = (struct mlpd_digester){ .tree = t, .batch = b, .home = b, .on = b->digest.wanted };
}

bool mlpd_digest_next(struct mlpd_digester *d, struct mlpd_tree *t, struct pv_batch *b)
{
	d->tree = t;
	/* Its calls may each be a path of its own: so much memory a stretch can take. */
	if (d->all_enters > ENTERS_MAX && !mlpd_digest_close(d))
		return false;
	d->batch = b;
	d->on = b->digest.wanted && !d->over;
	return true;
}
