/* SPDX-License-Identifier: MIT */
/*
 * The loop over calls. In a call-heavy log most events are as expected and taken in
 * mlpd_expected.c; the others are decoded by take_one(), which notes the bytes for the next time.
 */
#include "common/calls/mlpd_summary.h"

#include "common/format/mlpd/mlpd_call.h"
#include "common/calls/mlpd_expected.h"

enum took { TOOK, OTHER, NOMEM };

static void load_loop(struct mlpd_loop *l, const struct mlpd_summary_builder *d)
{
	bool before_limit = d->within && (int64_t)l->now < d->limit_ns;
	l->limit = before_limit ? d->limit_ns : (int64_t)l->now;
	l->at = d->at;
	l->ended = d->ended;
	l->depth = d->depth;
	l->enters = l->exceptional = 0;
	l->from = l->p;
}

static void save(const struct mlpd_loop *l, struct mlpd_summary_builder *d)
{
	uint32_t ended = (uint32_t)(d->depth + l->enters - l->depth);
	d->at = l->at;
	d->ended = l->ended;
	d->leaves += ended - l->exceptional;
	d->exc_leaves += l->exceptional;
	d->enters += l->enters;
	d->all_enters += l->enters;
	d->run_enters += l->enters;
	d->depth = l->depth;
	d->batch->summary.events += ended + l->enters;
	if (l->p != l->from)
		d->last_ns = (int64_t)l->now;
}

/* --- unexpected events */

/* True if the difference counts from the place's own method: other events had methods, too. */
static bool is_chained(
	const struct mlpd_loop *l, const struct mlpd_summary_builder *d, uint64_t mask)
{
	return l->at != MLPD_ROOT && ((l->method ^ d->tree->place[l->at].key) & mask) == 0;
}

static uint32_t open_node(const struct mlpd_loop *l, const struct mlpd_summary_builder *d)
{
	return l->ended ? d->tree->place[l->at].parent : l->at;
}

/* The call with this method made from here before, if among the expected; 0: not. */
static uint32_t known_child(const struct mlpd_tree *t, const struct mlpd_node *n, bool ended,
	uint32_t parent, uint64_t key)
{
	uint32_t at = mlpd_expected(n, ended ? MLPD_NEXT : MLPD_FIRST);
	if (t->place[at].key == key && t->place[at].parent == parent)
		return at;
	at = mlpd_expected(n, MLPD_OTHER);
	return ended && t->place[at].key == key && t->place[at].parent == parent ? at : 0;
}

static enum took enter_call(struct mlpd_loop *l, const uint8_t *end, struct mlpd_summary_builder *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct mlpd_tree *t = d->tree;
	bool chained = is_chained(l, d, mask);
	uint32_t child = 0, parent = open_node(l, d);
	uint64_t key = (l->method + e->method) & mask;
	if (chained)
		child = known_child(t, &t->node[l->at], l->ended, parent, key);
	if (child == 0)
		child = mlpd_tree_child(t, parent, key);
	if (child == 0 && t->n >= MLPD_TREE_MOST) {
		d->on = false; /* a buffer of megabytes, in which every call is a new path */
		return OTHER;
	}
	if (child == 0)
		return NOMEM;
	if (l->depth == t->open.room) {
		t->open.n = t->open.room; /* the whole room is in use: to be kept */
		bool ok = pv_reserve(&t->open, 1);
		t->open.n = 0;
		if (!ok)
			return NOMEM;
	}
	if (chained)
		mlpd_expect_enter(l, end, child);
	l->at = child;
	l->ended = false;
	l->enters++;
	t->open.v[l->depth++] =
		(struct mlpd_open){ (int64_t)(l->now + e->time), child << MLPD_STEP_NODE };
	return TOOK;
}

static enum took leave_call(struct mlpd_loop *l, const uint8_t *end, struct mlpd_summary_builder *d,
	const struct mlpd_call *e, uint64_t mask)
{
	struct mlpd_tree *t = d->tree;
	uint32_t top = open_node(l, d);
	if (*l->p == MLPD_EXC_LEAVE) {
		if (!pv_reserve(&t->exc, 1))
			return NOMEM;
		t->exc.v[t->exc.n++] = (struct mlpd_exc){ top };
		l->exceptional++;
	} else if (l->ended && is_chained(l, d, mask)) {
		mlpd_expect_leave(l, end, top);
	}
	uint64_t ns = l->now + e->time - (uint64_t)t->open.v[--l->depth].enter_ns;
	l->at = top;
	l->ended = true;
	return mlpd_end_call(l, top, (int64_t)ns) ? TOOK : NOMEM;
}

/* True if a leave is of the innermost call in the segment. */
static bool is_innermost_call(const struct mlpd_loop *l, const struct mlpd_summary_builder *d,
	const struct mlpd_call *e, uint64_t mask)
{
	uint64_t key = (l->method + e->method) & mask;
	return l->depth > 0 && d->tree->place[open_node(l, d)].key == key;
}

/* Takes the event at hand, if a call event that fits into a segment. */
static enum took take_one(
	struct mlpd_loop *l, const uint8_t *end, struct mlpd_summary_builder *d, uint64_t mask)
{
	if (l->p == end || (*l->p != MLPD_ENTER && *l->p != MLPD_LEAVE && *l->p != MLPD_EXC_LEAVE))
		return OTHER;
	struct mlpd_call e = mlpd_get_call(l->p, end);
	bool enters = *l->p == MLPD_ENTER;
	if (!e.end || (!enters && !is_innermost_call(l, d, &e, mask)))
		return OTHER;
	int64_t time = (int64_t)(l->now + e.time);
	/* A buffer's time can begin after its first event. */
	int64_t least = d->within && l->p == l->from ? d->last_ns : (int64_t)l->now;
	if (time < least)
		return OTHER;
	if (!d->within || time >= d->limit_ns) {
		bool go_on;
		save(l, d);
		if (!mlpd_summary_pass_edge(d, time, enters, &go_on))
			return NOMEM;
		load_loop(l, d); /* before anything else: saved counts must count once */
		if (!go_on)
			return OTHER;
	}
	enum took took = enters ? enter_call(l, end, d, &e, mask) : leave_call(l, end, d, &e, mask);
	if (took == TOOK) {
		l->p = e.end;
		l->now += e.time;
		l->method += e.method;
	}
	return took;
}

/* --- allocations */

/*
 * Number of events of the batch before the event at hand, with events that the loop has not counted
 * yet.
 */
static uint32_t event_number(const struct mlpd_loop *l, const struct mlpd_summary_builder *d)
{
	const struct pv_call_summary *g = &d->batch->summary;
	uint64_t calls = d->depth + 2 * (uint64_t)l->enters - l->depth;
	return (uint32_t)(d->batch->n - g->segment.n + g->events + calls);
}

static bool make_alloc_room(struct pv_batch *b)
{
	struct pv_call_summary *g = &b->summary;
	return pv_batch_reserve(b, 1) && pv_reserve(&b->allocs, 1) &&
	       pv_reserve(&g->alloc_path, 1) && pv_reserve(&g->number, 1);
}

/*
 * Takes an allocation amid a segment, as mlpd_summary_alloc() and its caller would: but the events
 * expected after the last call stay expected.
 */
static enum took take_alloc(struct mlpd_loop *l, struct pv_cursor *c,
	struct mlpd_summary_builder *d, struct mlpd_bases *bases, uint64_t mask)
{
	struct pv_batch *b = d->batch;
	struct pv_call_summary *g = &b->summary;
	struct pv_alloc a;
	bases->time = l->now;
	c->at = l->p;
	if (!mlpd_take_alloc(c, bases, mask, &a))
		return OTHER;
	int64_t time = (int64_t)bases->time;
	if (time < (int64_t)l->now || time >= d->end_ns)
		return OTHER;
	if (!make_alloc_room(b))
		return NOMEM;
	g->alloc_path.v[g->alloc_path.n++] = open_node(l, d);
	g->number.v[g->number.n++] = event_number(l, d);
	b->time[b->n] = (uint64_t)time;
	b->kind[b->n] = PV_KIND_ALLOC;
	b->key[b->n++] = b->allocs.n;
	b->allocs.v[b->allocs.n++] = a;
	if (l->p != l->from)
		d->last_ns = (int64_t)l->now;
	l->p = l->from = c->at;
	l->now = (uint64_t)time;
	if (time >= d->limit_ns)
		l->limit = time;
	return TOOK;
}

bool mlpd_summary_calls(struct mlpd_summary_builder *d, struct pv_cursor *c,
	struct mlpd_bases *bases, uint64_t mask)
{
	struct mlpd_loop l = {
		.tree = d->tree, .p = c->at, .now = bases->time, .method = bases->method
	};
	enum took took = TOOK;
	load_loop(&l, d);
	bool known = d->within && (int64_t)l.now < d->limit_ns && (int64_t)l.now >= d->last_ns &&
		     is_chained(&l, d, mask);
	while (took == TOOK) {
		if (known)
			mlpd_take_expected(&l, c->end, mask);
		if (known && l.p != c->end && *l.p == MLPD_ALLOC &&
			(took = take_alloc(&l, c, d, bases, mask)) != OTHER)
			continue;
		if (known)
			l.method = d->tree->place[l.at].key;
		known = true;
		took = d->on ? take_one(&l, c->end, d, mask) : OTHER;
	}
	save(&l, d);
	c->at = l.p;
	bases->time = l.now;
	bases->method = l.method;
	return took != NOMEM;
}
