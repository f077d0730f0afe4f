#include "common/format/mlpd_digest.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_BITS = 10, /* of the number of slots */
	FIRST_NODES = 128,
	FIRST_ENTERED = 256,
	NODES_MAX = 60000, /* a slot holds 16 bits */
	FEW = 64,          /* stretches before they are judged ... */
	SHORT = 16,        /* ... by the events they have on average */
};

#define FAR (UINT64_C(1) << 61) /* ns: times beyond are no times */

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
	pv_array_finish(&d->entered);
	pv_array_finish(&d->slot);
}

size_t pv_digest_bytes(const struct pv_digest *d)
{
	return d->node.room * sizeof *d->node.v + d->count.room * sizeof *d->count.v +
	       d->open.room * sizeof *d->open.v + d->stretch.room * sizeof *d->stretch.v +
	       d->alloc_node.room * sizeof *d->alloc_node.v + d->number.room * sizeof *d->number.v +
	       d->entered.room * sizeof *d->entered.v + d->slot.room * sizeof *d->slot.v;
}

/* --- nodes */

static void put_in_slot(struct pv_digest *d, uint32_t node)
{
	const struct pv_digest_node *n = &d->node.v[node];
	uint64_t hash = mlpd_digest_hash(n->parent, n->key);
	size_t at = (size_t)(hash >> mlpd_digest_shift(d));
	while (d->slot.v[at])
		at = (at + 1) & (d->slot.n - 1);
	d->slot.v[at] = ((uint32_t)hash & ~(uint32_t)MLPD_SLOT_NODE) | node;
}

static bool grow_slots(struct pv_digest *d)
{
	size_t n = d->slot.n * 2;
	d->slot.n = 0;
	if (!pv_reserve(&d->slot, n))
		return false;
	d->slot.n = n;
	memset(d->slot.v, 0, n * sizeof *d->slot.v);
	for (uint32_t i = 1; i < d->node.n; i++)
		if (d->node.v[i].parent != i)
			put_in_slot(d, i);
	return true;
}

/* How the difference between two methods is written; left alone where that takes five bytes. */
static void expect(uint64_t difference, struct pv_digest_step *ret)
{
	uint64_t v = difference ^ (uint64_t)((int64_t)difference >> 63);
	unsigned bits = v ? 65 - (unsigned)__builtin_clzll(v) : 1; /* with its sign */
	unsigned n = (bits + 6) / 7;
	if (n > sizeof ret->bytes)
		return;
	uint32_t d = (uint32_t)difference;
	uint32_t spread = (d & 0x7f) | (d & 0x3f80) << 1 | (d & 0x1fc000) << 2 |
			  (d & 0xfe00000) << 3 | 0x808080;
	uint32_t last = 0x7fU << 8 * (n - 1), shift = 32 - 8 * n;
	*ret = mlpd_step((spread & (last | ((last & -last) - 1))) << shift, shift, 0);
}

/* There is room for it. */
static uint32_t add_node(struct pv_digest *d, uint32_t parent, uint64_t key)
{
	uint32_t at = (uint32_t)d->node.n++;
	struct pv_digest_node *n = &d->node.v[at];
	*n = (struct pv_digest_node){ .key = key,
		.parent = parent,
		.leave = { MLPD_NO_BYTES, 24 },
		.first = { MLPD_NO_BYTES, 24 },
		.next = { MLPD_NO_BYTES, 24 } };
	if (parent != at && d->node.v[parent].parent != parent)
		expect(d->node.v[parent].key - key, &n->leave);
	return at;
}

uint32_t mlpd_digest_child(struct mlpd_digester *d, uint32_t parent, uint64_t key)
{
	struct pv_digest *g = &d->home->digest;
	uint32_t child = mlpd_digest_find(g, parent, key);
	if (child)
		return child;
	if (g->node.n >= NODES_MAX) {
		d->on = false;
		return 0;
	}
	if (!pv_reserve(&g->node, 1) || (g->node.n > g->slot.n / 2 && !grow_slots(g)))
		return 0;
	child = add_node(g, parent, key);
	put_in_slot(g, child);
	return child;
}

void mlpd_digest_begin(struct mlpd_digester *d, struct pv_batch *b)
{
	*d = (struct mlpd_digester){ .batch = b, .home = b, .on = b->digest.wanted };
}

void mlpd_digest_next(struct mlpd_digester *d, struct pv_batch *b)
{
	d->batch = b;
	d->on = b->digest.wanted && !d->over;
}

/* A stretch will stand in the batch: room for the first nodes. */
static bool make_home(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->batch->digest;
	size_t slots = (size_t)1 << FIRST_BITS;
	d->home = d->batch;
	if (g->node.n)
		return true;
	g->slot.n = 0;
	if (!pv_reserve(&g->node, FIRST_NODES) || !pv_reserve(&g->entered, FIRST_ENTERED) ||
		!pv_reserve(&g->slot, slots))
		return false;
	g->slot.n = slots;
	memset(g->slot.v, 0, slots * sizeof *g->slot.v);
	g->node.v[0] = (struct pv_digest_node){ .parent = 0 };
	g->node.n = 1;
	return true;
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

bool mlpd_digest_number(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->batch->digest;
	if (!d->on)
		return true;
	if (!pv_reserve(&g->number, 1))
		return false;
	g->number.v[g->number.n++] = (uint32_t)(d->batch->n - g->stretch.n + g->events);
	return true;
}

/* Its place among the batch's events is here, whatever comes before its end. */
static bool begin_stretch(struct mlpd_digester *d, int64_t time)
{
	struct pv_batch *b = d->batch;
	struct pv_digest *g = &b->digest;
	if (g->node.n >= NODES_MAX) {
		d->on = false;
		return true;
	}
	if (!make_home(d) || !pv_reserve(&g->node, 1) || !mlpd_digest_number(d) ||
		!pv_reserve(&g->stretch, 1) || !pv_batch_reserve(b, 1))
		return false;
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_BATCH_STRETCH;
	b->key[b->n++] = g->stretch.n;
	d->within = d->behind = true;
	d->depth = 0;
	d->all_enters = 0;
	d->at = add_node(g, (uint32_t)g->node.n, UINT64_MAX);
	d->end_ns = next_edge(time, 0, PV_STRETCH_NS);
	d->last_ns = time;
	g->stretch.v[g->stretch.n++] = (struct pv_stretch){ .from_ns = time,
		.node = d->at,
		.count = (uint32_t)g->count.n,
		.open = (uint32_t)g->open.n };
	return begin_count(d, time);
}

/* Calls that had not ended; their time so far is self time of theirs, and not of their callers. */
static bool list_open(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	if (!pv_reserve(&g->open, d->depth))
		return false;
	uint32_t at = mlpd_digest_top(d);
	for (size_t i = d->depth; i-- > 0;) {
		struct pv_digest_node *n = &g->node.v[at];
		int64_t entered = g->entered.v[i];
		uint64_t ns = (uint64_t)d->last_ns - (uint64_t)entered;
		g->open.v[g->open.n + i] = (struct pv_digest_open){ at, entered };
		n->calls++;
		n->self_ns += ns;
		g->node.v[n->parent].self_ns -= ns;
		at = n->parent;
	}
	g->open.n += d->depth;
	return true;
}

bool mlpd_digest_close(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->home->digest;
	if (!d->within)
		return true;
	struct pv_stretch *s = &g->stretch.v[g->stretch.n - 1];
	d->within = false;
	end_count(d);
	for (size_t i = s->node; i < g->node.n; i++)
		g->node.v[i].self_ns = 0;
	if (!list_open(d))
		return false;
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
	g->depth += d->all_enters < g->entered.room ? d->all_enters : g->entered.room;
	if (g->stretch.n >= FEW && g->events / g->stretch.n < SHORT)
		d->on = false;
	return true;
}

bool mlpd_digest_alloc(struct mlpd_digester *d, const struct pv_event *e)
{
	struct pv_digest *g = &d->batch->digest;
	if (!g->wanted)
		return true;
	int64_t time = (int64_t)e->time;
	bool outside = time < d->last_ns || time >= d->end_ns;
	if ((outside && !mlpd_digest_close(d)) || !pv_reserve(&g->alloc_node, 1))
		return false;
	g->alloc_node.v[g->alloc_node.n++] = d->within ? mlpd_digest_top(d) : 0;
	return true;
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
	return !*ret_go_on || (begin_stretch(d, time) && (*ret_go_on = d->on, true));
}
