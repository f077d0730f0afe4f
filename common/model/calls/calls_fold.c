/* SPDX-License-Identifier: MIT */
/*
 * The call tree at its cap: the quarter of the leaves with the least self time folds into the
 * "other" nodes of their parents. A parent's first folded leaf becomes its "other", so nothing is
 * added and parents keep smaller numbers than their children. A node whose only child is "other"
 * counts as a leaf and takes that child along.
 *
 * Searching all of the tree for each quarter takes long, and where short-lived paths keep coming,
 * nearly all nodes that fold are among the newest. So the newest are searched first: of the nodes
 * made since the last fold, a subtree folds if its self time is at most that of the heaviest leaf
 * folded by the last search of all nodes. All are searched again where the newest do not make
 * enough room.
 *
 * Nodes before the first change stay in place. Where they are most of the tree, the rest moves up
 * within the tree, else the new tree is put together outside, while others may read the old tree,
 * and the lock is held only for the exchange.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"
#include "common/model/ground/least.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

enum { ROUNDS = 8, PAUSE = 1 << 16, AHEAD = 24 };

/* Links of a node, kept as reading the whole node again takes long. */
struct link {
	uint32_t parent, next; /* sibling */
};

struct fold {
	const struct pv_tree_node *node;
	size_t n;
	uint32_t from;     /* nodes before this number are not searched */
	uint64_t *weight;  /* by leaf; by node in a search of only the newest */
	struct link *link; /* by node that may move; in place of the used weights */
	int64_t bar;       /* self time of the heaviest leaf that folds */
	uint32_t *other;   /* by parent: the "other" child, 0 = none */
	uint32_t *into;    /* by node: the node that takes it in, if any; then its new number */
	uint32_t *leaf;    /* nodes that may fold, ascending */
	uint32_t *stay;    /* in place of the leaves: number of staying children, by node ... */
	uint32_t *moves;   /* ... then number of children that move, by node that stays */
	bool *kept;        /* by node: on an open stack, or in use by the caller */
	bool *gone;        /* by node: merged into another */
	bool *inner;       /* by node: the total is in the target already */
	bool *chosen;      /* by leaf; by node in a search of only the newest */
	size_t leaves;
	uint32_t first; /* nodes before this number stay as they are */
	uint64_t folded;
};

/* Memory of the last fold is used again: new memory takes half of the time. */
static bool make_lists(struct pv_overflow_scratch *r, size_t lists)
{
	if (r->lists_size < lists) {
		free(r->lists);
		r->lists = pv_large_alloc(lists);
		r->lists_size = r->lists ? lists : 0;
	}
	return r->lists;
}

static bool make_tree(struct pv_overflow_scratch *r, size_t tree)
{
	if (r->tree_size < tree) {
		pv_table_free(r->tree, r->tree_size);
		r->tree = pv_table_alloc(tree);
		r->tree_size = r->tree ? tree : 0;
	}
	return r->tree;
}

/* Facts of nodes that are not visited stay unset unless a search needs them. */
static bool fold_init(
	struct pv_overflow_scratch *r, const struct pv_calls *c, uint32_t from, struct fold *f)
{
	size_t n = c->node.n, each = sizeof *f->weight + 3 * sizeof(uint32_t) + 4 * sizeof(bool);
	*f = (struct fold){ .node = c->node.v, .n = n, .from = from, .first = (uint32_t)n };
	if (!make_lists(r, n * each))
		return false;
	f->weight = r->lists;
	f->link = r->lists;
	f->other = (uint32_t *)(f->weight + n);
	f->into = f->other + n;
	f->leaf = f->into + n;
	f->stay = f->moves = f->leaf;
	f->kept = (bool *)(f->leaf + n);
	f->gone = f->kept + n;
	f->inner = f->gone + n;
	f->chosen = f->inner + n;
	memset(f->other + from, 0, (n - from) * sizeof *f->other);
	memset(f->kept + from, 0, (n - from) * sizeof *f->kept);
	memset(f->gone + from, 0, (n - from) * sizeof *f->gone);
	memset(f->inner + from, 0, (n - from) * sizeof *f->inner);
	return true;
}

void pv_calls_fold_done(struct pv_model *m)
{
	struct pv_overflow_scratch *r = &m->private->fold;
	free(r->lists);
	pv_table_free(r->tree, r->tree_size);
	*r = (struct pv_overflow_scratch){ 0 };
}

static void mark_open(const struct pv_model *m, struct fold *f)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		const struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			f->kept[s->stack.v[i].node] = true;
	}
}

/*
 * Children stand after their parents: from the last on, "other" is known before its parent is
 * visited.
 */
static void choose_leaves(struct fold *f)
{
	const struct pv_tree_node *v = f->node;
	size_t at = f->n;
	for (uint32_t i = (uint32_t)f->n - 1; i > 0; i--) {
		if (i > AHEAD) {
			__builtin_prefetch(&v[i - AHEAD].parent);
			__builtin_prefetch(&v[i - AHEAD].children);
		}
		if (v[i].method == 0) {
			f->other[v[i].parent] = i;
			continue;
		}
		bool only_other = v[i].children == 1 && f->other[i];
		if (f->kept[i] || (v[i].children && !only_other))
			continue;
		int64_t self = v[i].self_ns + (only_other ? v[f->other[i]].self_ns : 0);
		f->weight[--at] = pv_least_signed(self);
		f->leaf[at] = i;
	}
	f->leaves = f->n - at;
	f->weight += at;
	f->leaf += at;
	pv_least(f->weight, NULL, f->leaves, (f->leaves + 3) / 4, f->chosen);
	f->bar = INT64_MIN;
	for (size_t k = 0; k < f->leaves; k++) {
		int64_t self = pv_least_as_signed(f->weight[k]);
		if (f->chosen[k] && self > f->bar)
			f->bar = self;
	}
}

static void note_change(struct fold *f, uint32_t node)
{
	f->first = node < f->first ? node : f->first;
}

static void merge_node(struct fold *f, uint32_t from, uint32_t into, bool inner)
{
	f->inner[from] = inner;
	note_change(f, from);
	f->into[from] = into;
	f->gone[from] = true;
}

/* Targets of the chosen leaves. A leaf that becomes its parent's "other" stays. */
static void direct(struct fold *f)
{
	for (size_t k = 0; k < f->leaves; k++) {
		uint32_t i = f->leaf[k], *other = &f->other[f->node[i].parent], inner = f->other[i];
		if (!f->chosen[k])
			continue;
		if (*other)
			merge_node(f, i, *other, false);
		else
			note_change(f, *other = i);
		if (inner)
			merge_node(f, inner, *other, true);
		f->folded += inner ? 2 : 1;
	}
}

/* --- only the newest */

/*
 * From the last on, the self time of a node's subtree is known before the node is visited. A new
 * node has only new children. f->stay: number of children that stay.
 */
static void choose_new(struct fold *f)
{
	const struct pv_tree_node *v = f->node;
	const uint32_t from = f->from;
	memset(f->weight + from, 0, (f->n - from) * sizeof *f->weight);
	memset(f->stay + from, 0, (f->n - from) * sizeof *f->stay);
	for (uint32_t i = (uint32_t)f->n - 1; i >= from; i--) {
		uint32_t parent = v[i].parent;
		bool other = v[i].method == 0, over;
		int64_t self;
		over = __builtin_add_overflow(v[i].self_ns, (int64_t)f->weight[i], &self);
		f->link[i] = (struct link){ parent, v[i].next_sibling };
		f->chosen[i] = !other && !over && !f->kept[i] && !f->stay[i] && self <= f->bar;
		if (parent < from) {
			f->other[parent] = v[parent].other;
			continue;
		}
		if (other)
			f->other[parent] = i;
		if (!f->chosen[i] && !(other && !over))
			f->stay[parent]++;
		else if (__builtin_add_overflow((int64_t)f->weight[parent], self, &self))
			f->kept[parent] = true;
		else
			f->weight[parent] = (uint64_t)self;
	}
}

/* Targets of chosen subtrees: all nodes of a subtree go to the target of its topmost node. */
static void direct_new(struct fold *f)
{
	for (uint32_t i = f->from; i < f->n; i++) {
		uint32_t parent = f->link[i].parent;
		bool inner = parent >= f->from && f->chosen[parent];
		if (!f->chosen[i] && !inner)
			continue;
		f->folded++;
		uint32_t into = inner ? f->into[parent] : f->other[parent];
		if (into) {
			merge_node(f, i, into, inner);
			continue;
		}
		f->into[i] = f->other[parent] = i;
		note_change(f, i);
	}
}

/* --- the tree afterwards */

static bool put_tree_node(
	struct pv_calls *to, const struct pv_tree_node *x, uint32_t parent, bool other)
{
	struct pv_tree_node *v = to->node.v;
	uint32_t at = (uint32_t)to->node.n++;
	v[at] = *x;
	v[at].parent = parent;
	v[at].first_child = v[at].next_sibling = v[at].recent = v[at].children = v[at].other = 0;
	v[at].stack = 0; /* paths may have changed */
	if (other) {
		v[at].method = 0;
		v[at].key = UINT64_MAX;
	}
	if (at == 0)
		return true;
	v[at].next_sibling = v[parent].first_child;
	v[parent].first_child = at;
	v[parent].children++;
	if (v[at].method == 0)
		v[parent].other = at;
	return v[parent].children <= PV_CALLS_WIDE || pv_calls_index(to, parent, at);
}

/* Adds a node's figures to its target. */
static void add_node_figures(const struct pv_tree_node *a, struct pv_tree_node *b, bool inner)
{
	b->calls += a->calls;
	b->self_ns += a->self_ns;
	b->total_ns += inner ? 0 : a->total_ns;
	b->max_ns = a->max_ns > b->max_ns ? a->max_ns : b->max_ns;
	b->exc_leaves += a->exc_leaves;
	b->samples += a->samples;
}

/* A merged node gets the number of its target; targets are never merged. */
static void number_gone(const struct fold *f)
{
	for (size_t i = f->first; i < f->n; i++)
		if (f->gone[i])
			f->into[i] = f->into[f->into[i]];
}

/* Builds the new tree in `to`; f->into becomes old number -> new number. */
static bool build(struct fold *f, struct pv_calls *to)
{
	to->node.n = 0;
	pv_map_clear(&to->wide);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pv_tree_node *x = &f->node[i];
		bool looked_at = i >= f->from;
		if (looked_at && f->gone[i])
			continue;
		f->into[i] = (uint32_t)to->node.n;
		if (!put_tree_node(
			    to, x, f->into[x->parent], i && looked_at && f->other[x->parent] == i))
			return false;
	}
	number_gone(f);
	for (size_t i = f->first; i < f->n; i++)
		if (f->gone[i])
			add_node_figures(&f->node[i], &to->node.v[f->into[i]], f->inner[i]);
	return true;
}

/* --- within the tree */

/*
 * Takes `moves` children, all from `first` on, out of the list; most of them stand in front. The
 * others stay in place.
 */
static void unlist(const struct fold *f, struct pv_tree_node *v, uint32_t parent, uint32_t moves)
{
	const uint32_t first = f->first;
	struct pv_tree_node *p = &v[parent];
	uint32_t *last = &p->first_child;
	p->children -= moves;
	uint32_t at = *last;
	while (moves > 0) {
		if (at >= first) {
			moves--;
			at = f->link[at].next;
			continue;
		}
		*last = at;
		last = &v[at].next_sibling;
		at = *last;
	}
	*last = at;
	if (p->recent >= first)
		p->recent = 0;
	if (p->other >= first)
		p->other = 0;
}

/* f->moves: how many children of a staying node move. */
static void unlist_all(struct fold *f, struct pv_tree_node *v)
{
	const uint32_t first = f->first;
	for (size_t i = first; i < f->n; i++)
		if (f->link[i].parent < first)
			f->moves[f->link[i].parent] = 0;
	for (size_t i = first; i < f->n; i++)
		if (f->link[i].parent < first)
			f->moves[f->link[i].parent]++;
	for (size_t i = first; i < f->n; i++) {
		uint32_t parent = f->link[i].parent;
		if (parent >= first || f->moves[parent] == 0)
			continue;
		unlist(f, v, parent, f->moves[parent]);
		f->moves[parent] = 0;
	}
}

/*
 * Further work, with the lock held, for moving nodes found by hash and for their siblings: counted
 * as so many more moving nodes.
 */
static size_t wide_moves(struct fold *f)
{
	enum { HASHED = 4 };
	size_t n = 0;
	memset(f->inner, 0, f->from * sizeof *f->inner);
	for (size_t i = f->first; i < f->n; i++) {
		uint32_t parent = f->link[i].parent;
		if (f->node[parent].children <= PV_CALLS_WIDE)
			continue;
		n += f->gone[i] ? 0 : HASHED;
		if (parent >= f->first || f->inner[parent])
			continue;
		f->inner[parent] = true; /* `inner` is not used for nodes that stay */
		n += f->node[parent].children;
	}
	return n;
}

/* Moving nodes get into the map again when they are listed. */
static void forget_wide(const struct fold *f, struct pv_map *wide)
{
	const struct pv_tree_node *v = f->node;
	for (size_t i = f->first; i < f->n && wide->n; i++)
		if (v[f->link[i].parent].children > PV_CALLS_WIDE)
			pv_map_remove(wide, (uint64_t)f->link[i].parent << 32 | v[i].method);
}

static bool move_up(struct fold *f, struct pv_calls *c)
{
	struct pv_tree_node *v = c->node.v;
	const uint32_t first = f->first, n = (uint32_t)f->n;
	for (uint32_t i = first; i < n; i++)
		if (f->gone[i])
			add_node_figures(&v[i], &v[f->into[i]], f->inner[i]);
	for (uint32_t i = 0; i < first; i++)
		f->into[i] = i;
	unlist_all(f, v);
	c->node.n = first;
	for (uint32_t i = first; i < n; i++) {
		if (f->gone[i])
			continue;
		const struct pv_tree_node x = v[i];
		f->into[i] = (uint32_t)c->node.n;
		if (!put_tree_node(c, &x, f->into[x.parent], f->other[x.parent] == i))
			return false;
	}
	number_gone(f);
	return true;
}

/* Works outside the tree; only fields private to folding change there. */
static bool prepare(struct pv_model *m, struct fold *f, uint32_t parent, bool newest)
{
	const struct pv_calls *c = &m->calls;
	if (!fold_init(&m->private->fold, c, newest ? c->looked_at : 0, f))
		return false;
	f->kept[parent] = true;
	mark_open(m, f);
	f->bar = c->bar_ns;
	if (newest) {
		choose_new(f);
		direct_new(f);
	} else {
		choose_leaves(f);
		direct(f);
	}
	return true;
}

static bool build_separate(struct pv_model *m, struct fold *f, struct pv_calls *to)
{
	struct pv_overflow_scratch *r = &m->private->fold;
	if (!make_tree(r, m->calls.node.room * sizeof *m->calls.node.v))
		return false;
	*to = m->calls;
	to->node.v = r->tree;
	to->node.room = r->tree_size / sizeof *to->node.v;
	bool ok = build(f, to);
	m->calls.wide = to->wide; /* ingest thread only */
	return ok;
}

static void follow_stacks(struct pv_model *m, const uint32_t *into)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			s->stack.v[i].node = into[s->stack.v[i].node];
	}
}

static void note_links(struct fold *f)
{
	for (size_t i = f->first; i < f->n; i++)
		f->link[i] = (struct link){ f->node[i].parent, f->node[i].next_sibling };
}

/* True if the nodes to move, and to list again, are a small part of the tree. */
static bool is_near_end(const struct pv_calls *c, struct fold *f)
{
	size_t moves = f->n - f->first;
	if (moves <= f->n / 3 && f->from == 0)
		note_links(f);
	if (moves <= f->n / 3 && c->wide.n > 0)
		moves += wide_moves(f);
	return moves <= f->n / 3;
}

static bool fold_once(struct pv_model *m, uint32_t *parent, bool newest)
{
	struct pv_calls *c = &m->calls, to;
	struct pv_overflow_scratch *r = &m->private->fold;
	struct fold f;
	pv_model_lock_release(m);
	bool ok = prepare(m, &f, *parent, newest);
	bool moves = ok && is_near_end(c, &f);
	if (moves)
		forget_wide(&f, &c->wide); /* ingest thread only */
	ok = ok && (moves || build_separate(m, &f, &to));
	pv_model_lock_retake(m);
	if (!ok || (moves && !move_up(&f, c)))
		return false;
	if (!moves) {
		r->tree = c->node.v;
		r->tree_size = c->node.room * sizeof *c->node.v;
		c->node = to.node;
	}
	c->folded += f.folded;
	c->looked_at = (uint32_t)c->node.n;
	c->bar_ns = f.bar;
	m->private->segments.changes++;
	follow_stacks(m, f.into);
	*parent = f.into[*parent];
	pv_window_renumber_nodes(m, f.into);
	pv_lanes_renumber(m, f.into);
	pv_sample_times_renumber(&m->sample_times, f.into);
	pv_places_renumber(&m->places, f.into);
	pv_work_renumber(&m->runtime.works, f.into);
	return true;
}

bool pv_calls_fold(struct pv_model *m, uint32_t *parent)
{
	struct pv_calls *c = &m->calls;
	size_t goal = c->cap - c->cap / 16;
	uint64_t before = UINT64_MAX;
	if (m->private->fold.pause > 0 && m->private->fold.pause--)
		return true;
	if (!pv_window_flush(m) || !pv_lanes_judge_all(m))
		return false;
	if (c->looked_at && goal > c->looked_at && !fold_once(m, parent, true))
		return false;
	for (int i = 0; i < ROUNDS && c->node.n > goal && c->folded != before; i++) {
		before = c->folded;
		if (!fold_once(m, parent, false))
			return false;
	}
	if (c->node.n >= c->cap)
		m->private->fold.pause =
			PAUSE; /* after a step without success, not at every call */
	c->folds++;
	return true;
}
