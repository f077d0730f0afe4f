#include "common/format/digest.h"

#include <stdlib.h>

#include "common/format/mlpd_call.h"

enum {
	FIRST_BITS = 13, /* of the number of slots */
	FIRST_NODES = 1024,
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

static inline size_t slot_of(uint32_t parent, uint64_t key, unsigned shift)
{
	uint64_t x = (key + parent * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
	return (size_t)(x >> shift);
}

static unsigned shift_of(const struct pv_digest *d)
{
	return 64 - (unsigned)__builtin_ctzll(d->slot.n);
}

static void put_in_slot(struct pv_digest *d, uint32_t node)
{
	const struct pv_digest_node *n = &d->node.v[node];
	size_t at = slot_of(n->parent, n->key, shift_of(d));
	while (d->slot.v[at])
		at = (at + 1) & (d->slot.n - 1);
	d->slot.v[at] = (uint16_t)node;
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
		if (d->node.v[i].parent)
			put_in_slot(d, i);
	return true;
}

/* There is room for it. */
static uint32_t add_node(struct pv_digest *d, uint32_t parent, uint64_t key)
{
	uint32_t at = (uint32_t)d->node.n++;
	d->node.v[at] = (struct pv_digest_node){ .key = key, .parent = parent };
	return at;
}

/* Gives up when the tree is full. */
static bool add_child(struct mlpd_digester *d, uint32_t parent, uint64_t key)
{
	struct pv_digest *g = &d->batch->digest;
	if (g->node.n >= NODES_MAX) {
		d->on = false;
		return true;
	}
	if (!pv_reserve(&g->node, 1) || (g->node.n > g->slot.n / 2 && !grow_slots(g)))
		return false;
	put_in_slot(g, add_node(g, parent, key));
	return true;
}

bool mlpd_digest_begin(struct mlpd_digester *d, struct pv_batch *b)
{
	struct pv_digest *g = &b->digest;
	size_t slots = (size_t)1 << FIRST_BITS;
	*d = (struct mlpd_digester){ .batch = b, .on = g->wanted };
	if (!g->wanted)
		return true;
	g->slot.n = 0;
	if (!pv_reserve(&g->node, FIRST_NODES) || !pv_reserve(&g->entered, FIRST_NODES) ||
		!pv_reserve(&g->slot, slots))
		return false;
	g->slot.n = slots;
	memset(g->slot.v, 0, slots * sizeof *g->slot.v);
	g->node.v[0] = (struct pv_digest_node){ .parent = UINT32_MAX };
	g->node.n = 1;
	return true;
}

/* --- stretches */

static int64_t next_edge(int64_t time, int64_t origin, int64_t width)
{
	int64_t since = time - origin, n = since / width - (since % width < 0);
	return origin + (n + 1) * width;
}

static void set_limit(struct mlpd_digester *d, int64_t time)
{
	const struct pv_digest *g = &d->batch->digest;
	int64_t edge = next_edge(time, g->cell_origin_ns, g->cell_ns);
	d->limit_ns = edge < d->end_ns ? edge : d->end_ns;
}

static bool begin_count(struct mlpd_digester *d, int64_t time)
{
	struct pv_digest *g = &d->batch->digest;
	if (!pv_reserve(&g->count, 1))
		return false;
	g->count.v[g->count.n++] = (struct pv_digest_count){ .time_ns = time };
	d->enters = d->leaves = d->exc_leaves = 0;
	set_limit(d, time);
	return true;
}

static void end_count(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->batch->digest;
	struct pv_digest_count *c = &g->count.v[g->count.n - 1];
	c->enters = d->enters;
	c->leaves = d->leaves;
	c->exc_leaves = d->exc_leaves;
	g->events += (uint64_t)d->enters + d->leaves + d->exc_leaves;
}

bool mlpd_digest_number(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->batch->digest;
	if (!d->on)
		return true;
	uint64_t open = d->within ? (uint64_t)d->enters + d->leaves + d->exc_leaves : 0;
	if (!pv_reserve(&g->number, 1))
		return false;
	g->number.v[g->number.n++] = (uint32_t)(d->batch->n - g->stretch.n + g->events + open);
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
	if (!pv_reserve(&g->node, 1) || !mlpd_digest_number(d) || !pv_reserve(&g->stretch, 1) ||
		!pv_batch_reserve(b, 1))
		return false;
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_BATCH_STRETCH;
	b->key[b->n++] = g->stretch.n;
	d->within = true;
	d->depth = 0;
	d->all_enters = 0;
	d->at = add_node(g, 0, UINT64_MAX);
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
	struct pv_digest *g = &d->batch->digest;
	if (!pv_reserve(&g->open, d->depth))
		return false;
	uint32_t at = d->at;
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
	struct pv_digest *g = &d->batch->digest;
	if (!d->within)
		return true;
	struct pv_stretch *s = &g->stretch.v[g->stretch.n - 1];
	d->within = false;
	end_count(d);
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

/* With a backtrace it ends a stretch, so that methods are met in the order of the log. */
bool mlpd_digest_alloc(struct mlpd_digester *d, const struct pv_event *e)
{
	struct pv_digest *g = &d->batch->digest;
	if (!g->wanted)
		return true;
	int64_t time = (int64_t)e->time;
	bool outside = e->alloc.stack.n || time < d->last_ns || time >= d->end_ns;
	if ((outside && !mlpd_digest_close(d)) || !pv_reserve(&g->alloc_node, 1))
		return false;
	g->alloc_node.v[g->alloc_node.n++] = d->within ? d->at : 0;
	return true;
}

/* --- the loop */

/* Why the loop stopped: at an event that is not for it, or before one that needs something. */
enum stop { OTHER, EDGE, CHILD, DEEP };

/* The loop's variables, kept out of structures that stores might alias. */
struct loop {
	const uint8_t *p;
	uint64_t now, method, limit; /* limit: `now` while no stretch is open */
	uint32_t at, enters;
	size_t depth;
	uint64_t time, key; /* of an event that was not taken */
};

static inline void end_call(struct pv_digest_node *n, uint64_t ns)
{
	n->calls++;
	n->total_ns += ns;
	if ((int64_t)ns > n->max_ns)
		n->max_ns = (int64_t)ns;
}

/* The last events before `end` are left: too close to it to be read without looking. */
static enum stop take_calls(
	struct loop *ret, const uint8_t *end, uint64_t mask, const struct pv_digest *g)
{
	struct pv_digest_node *const node = g->node.v;
	const uint16_t *const slot = g->slot.v;
	int64_t *const entered = g->entered.v;
	const size_t last_slot = g->slot.n - 1;
	const size_t room = g->entered.room;
	const unsigned shift = shift_of(g);
	struct loop l = *ret;
	enum stop why = OTHER;
	while (end - l.p >= MLPD_CALL_MAX) {
		struct mlpd_call e = mlpd_take_call(l.p);
		l.key = (l.method + e.method) & mask;
		if (*l.p == MLPD_ENTER) {
			if (!e.behind)
				break;
			if (e.time >= l.limit - l.now) {
				l.time = l.now + e.time;
				why = EDGE;
				break;
			}
			size_t s = slot_of(l.at, l.key, shift);
			uint32_t child;
			while ((child = slot[s]) != 0 &&
				(node[child].key != l.key || node[child].parent != l.at))
				s = (s + 1) & last_slot;
			if (!child || l.depth == room) {
				why = child ? DEEP : CHILD;
				break;
			}
			l.now += e.time;
			l.at = child;
			l.enters++;
			entered[l.depth++] = (int64_t)l.now;
		} else if (*l.p == MLPD_LEAVE) {
			struct pv_digest_node *n = &node[l.at];
			if (!e.behind || l.depth == 0 || n->key != l.key)
				break;
			if (e.time >= l.limit - l.now) {
				l.time = l.now + e.time;
				why = EDGE;
				break;
			}
			l.now += e.time;
			end_call(n, l.now - (uint64_t)entered[--l.depth]);
			l.at = n->parent;
		} else {
			break;
		}
		l.p = e.behind;
		l.method += e.method;
	}
	*ret = l;
	return why;
}

/* Less often than the others, so not in the loop. */
static bool take_exceptional(
	struct loop *l, const uint8_t *end, uint64_t mask, struct mlpd_digester *d)
{
	const struct pv_digest *g = &d->batch->digest;
	if (l->p == end || *l->p != MLPD_EXC_LEAVE || l->depth == 0)
		return false;
	struct pv_digest_node *n = &g->node.v[l->at];
	struct mlpd_call e = mlpd_get_call(l->p, end);
	if (!e.behind || e.time >= l->limit - l->now || ((l->method + e.method) & mask) != n->key)
		return false;
	l->p = e.behind;
	l->now += e.time;
	l->method += e.method;
	end_call(n, l->now - (uint64_t)g->entered.v[--l->depth]);
	n->exc_leaves++;
	l->at = n->parent;
	d->exc_leaves++;
	return true;
}

static void load(struct loop *l, const struct mlpd_digester *d)
{
	bool before_limit = d->within && (int64_t)l->now < d->limit_ns;
	l->limit = before_limit ? (uint64_t)d->limit_ns : l->now;
	l->at = d->at;
	l->enters = 0;
	l->depth = d->depth;
}

static void save(const struct loop *l, struct mlpd_digester *d, bool exceptional)
{
	d->at = l->at;
	d->leaves += (uint32_t)(d->depth + l->enters - l->depth) - (exceptional ? 1 : 0);
	d->enters += l->enters;
	d->all_enters += l->enters;
	d->depth = l->depth;
}

/*
 * The event at hand is beyond the limit, or no stretch is open. It goes on when one is now in which
 * the event has its place: not where time steps back. False when out of memory.
 */
static bool pass_edge(struct mlpd_digester *d, const struct loop *l, bool *ret_go_on)
{
	int64_t time = (int64_t)l->time;
	*ret_go_on = time >= (int64_t)l->now;
	if (!*ret_go_on)
		return true;
	if (d->within && time < d->end_ns) {
		end_count(d);
		return begin_count(d, time);
	}
	if (d->within && !mlpd_digest_close(d))
		return false;
	*ret_go_on = d->on && *l->p == MLPD_ENTER && l->time + FAR < 2 * FAR;
	return !*ret_go_on || begin_stretch(d, time);
}

static bool make_deeper(struct mlpd_digester *d)
{
	struct pv_digest *g = &d->batch->digest;
	g->entered.n = g->entered.room; /* all of it is in use: it must be kept */
	bool ok = pv_reserve(&g->entered, 1);
	g->entered.n = 0;
	return ok;
}

bool mlpd_digest_calls(
	struct mlpd_digester *d, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask)
{
	struct loop l = { .p = c->at, .now = bases->time, .method = bases->method };
	bool ok = true, go_on = d->on;
	while (ok && go_on && d->on) {
		const uint8_t *start = l.p;
		load(&l, d);
		enum stop why = take_calls(&l, c->end, mask, &d->batch->digest);
		bool took = take_exceptional(&l, c->end, mask, d);
		save(&l, d, took);
		if (l.p != start)
			d->last_ns = (int64_t)l.now;
		if (took)
			continue;
		if (why == OTHER)
			break;
		if (why == EDGE)
			ok = pass_edge(d, &l, &go_on);
		else if (why == DEEP)
			ok = make_deeper(d);
		else
			ok = add_child(d, l.at, l.key);
	}
	c->at = l.p;
	bases->time = l.now;
	bases->method = l.method;
	return ok;
}
