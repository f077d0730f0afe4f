/*
 * What happens to the call tree at its cap: the quarter of the leaves with the least self time
 * folds into its parents' "other" nodes. A parent's first folded leaf becomes its "other", so
 * nothing is added and parents keep smaller numbers than their children. A node whose only child
 * is "other" counts as a leaf and takes that child with it.
 *
 * What stands before the first node that changes stays where it is. Where that is most of the tree
 * the rest moves up within it, else all that is left is put together beside the tree, while others
 * may read it, and the lock is held only to have one take the other's place.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"
#include "common/model/ground/least.h"
#include "common/model/ground/model_parts.h"
#include "common/model/time/window_parts.h"

enum { ROUNDS = 8, PAUSE = 1 << 16, AHEAD = 24 };

struct fold {
	const struct pv_tree_node *node;
	size_t n;
	uint64_t *weight; /* by leaf */
	uint32_t *other;  /* by parent: its "other" child, 0 = none */
	uint32_t *into;   /* by node: what it is merged into, if it goes; then its new number */
	uint32_t *leaf;   /* nodes that may fold, ascending */
	uint32_t *merged; /* those that are merged into others */
	size_t merges;
	bool *kept;   /* by node: on an open stack, or in use by the caller */
	bool *gone;   /* by node: it is merged into another */
	bool *chosen; /* by leaf */
	size_t leaves;
	uint32_t first; /* nodes before it stay as they are */
	uint64_t folded;
};

/* Memory that was used for the last fold is taken again: where it is new, half the time goes there.
 */
static bool make_lists(struct pv_fold_room *r, size_t lists)
{
	if (r->lists_size < lists) {
		free(r->lists);
		r->lists = pv_large_alloc(lists);
		r->lists_size = r->lists ? lists : 0;
	}
	return r->lists;
}

static bool make_tree(struct pv_fold_room *r, size_t tree)
{
	if (r->tree_size < tree) {
		pv_table_free(r->tree, r->tree_size);
		r->tree = pv_table_alloc(tree);
		r->tree_size = r->tree ? tree : 0;
	}
	return r->tree;
}

static bool fold_init(struct pv_fold_room *r, const struct pv_calls *c, struct fold *f)
{
	size_t n = c->node.n, each = sizeof *f->weight + 4 * sizeof(uint32_t) + 3 * sizeof(bool);
	*f = (struct fold){ .node = c->node.v, .n = n, .first = (uint32_t)n };
	if (!make_lists(r, n * each))
		return false;
	f->weight = r->lists;
	f->other = (uint32_t *)(f->weight + n);
	f->into = f->other + n;
	f->leaf = f->into + n;
	f->merged = f->leaf + n;
	f->kept = (bool *)(f->merged + n);
	f->gone = f->kept + n;
	f->chosen = f->gone + n;
	memset(f->other, 0, n * sizeof *f->other);
	memset(f->kept, 0, 2 * n * sizeof *f->kept);
	return true;
}

void pv_calls_fold_done(struct pv_model *m)
{
	struct pv_fold_room *r = &m->private->fold;
	free(r->lists);
	pv_table_free(r->tree, r->tree_size);
	*r = (struct pv_fold_room){ 0 };
}

static void mark_open(const struct pv_model *m, struct fold *f)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		const struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			f->kept[s->stack.v[i].node] = true;
	}
}

/* Children stand behind their parents: from the last on, a node's "other" is known before it. */
static void choose(struct fold *f)
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
}

static void note_change(struct fold *f, uint32_t node)
{
	f->first = node < f->first ? node : f->first;
}

static void merge(struct fold *f, uint32_t from, uint32_t into)
{
	note_change(f, from);
	f->into[from] = into;
	f->gone[from] = true;
	f->merged[f->merges++] = from;
}

/* Where the chosen ones go. A leaf that becomes its parent's "other" stays. */
static void direct(struct fold *f)
{
	for (size_t k = 0; k < f->leaves; k++) {
		uint32_t i = f->leaf[k], *other = &f->other[f->node[i].parent], inner = f->other[i];
		if (!f->chosen[k])
			continue;
		if (*other)
			merge(f, i, *other);
		else
			note_change(f, *other = i);
		if (inner)
			merge(f, inner, *other);
		f->folded += inner ? 2 : 1;
	}
}

static bool put(struct pv_calls *to, const struct pv_tree_node *x, uint32_t parent, bool other)
{
	struct pv_tree_node *v = to->node.v;
	uint32_t at = (uint32_t)to->node.n++;
	v[at] = *x;
	v[at].parent = parent;
	v[at].first_child = v[at].next_sibling = v[at].recent = v[at].children = 0;
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
	return v[parent].children <= PV_CALLS_WIDE || pv_calls_index(to, parent, at);
}

/* A node's figures go where it does. */
static void add(const struct pv_tree_node *a, struct pv_tree_node *b)
{
	b->calls += a->calls;
	b->self_ns += a->self_ns;
	/* What is "other" already has its total in that of its parent, which folds with it. */
	b->total_ns += a->method ? a->total_ns : 0;
	b->max_ns = a->max_ns > b->max_ns ? a->max_ns : b->max_ns;
	b->exc_leaves += a->exc_leaves;
	b->samples += a->samples;
}

/* What is merged gets the number of what it is merged into, which is never merged itself. */
static void number_gone(const struct fold *f)
{
	for (size_t k = 0; k < f->merges; k++)
		f->into[f->merged[k]] = f->into[f->into[f->merged[k]]];
}

/* The tree as it is then, in `to`; f->into becomes old number -> new number. */
static bool build(struct fold *f, struct pv_calls *to)
{
	to->node.n = 0;
	pv_map_clear(&to->wide);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pv_tree_node *x = &f->node[i];
		if (f->gone[i])
			continue;
		f->into[i] = (uint32_t)to->node.n;
		if (!put(to, x, f->into[x->parent], i && f->other[x->parent] == i))
			return false;
	}
	number_gone(f);
	for (size_t k = 0; k < f->merges; k++)
		add(&f->node[f->merged[k]], &to->node.v[f->into[f->merged[k]]]);
	return true;
}

/* --- within the tree */

/* Children that stay where they are, in the order in which they are listed. */
static void list_first_children(struct pv_tree_node *v, uint32_t parent, uint32_t first)
{
	uint32_t *last = &v[parent].first_child, children = 0;
	for (uint32_t at = *last, next; at; at = next) {
		next = v[at].next_sibling;
		if (at >= first)
			continue;
		*last = at;
		last = &v[at].next_sibling;
		children++;
	}
	*last = 0;
	v[parent].children = children;
	if (v[parent].recent >= first)
		v[parent].recent = 0;
}

/* Where no parent has so many children that they are found by hash. */
static bool move_up(struct fold *f, struct pv_calls *c)
{
	struct pv_tree_node *v = c->node.v;
	const uint32_t first = f->first, n = (uint32_t)f->n;
	for (size_t k = 0; k < f->merges; k++)
		add(&v[f->merged[k]], &v[f->into[f->merged[k]]]);
	for (uint32_t i = 0; i < first; i++)
		f->into[i] = i;
	for (uint32_t i = first; i < n; i++) {
		uint32_t parent = v[i].parent;
		if (parent >= first || f->gone[parent])
			continue;
		f->gone[parent] = true; /* its list is as it is to be */
		list_first_children(v, parent, first);
	}
	c->node.n = first;
	for (uint32_t i = first; i < n; i++) {
		const struct pv_tree_node x = v[i];
		if (f->gone[i])
			continue;
		f->into[i] = (uint32_t)c->node.n;
		if (!put(c, &x, f->into[x.parent], f->other[x.parent] == i))
			return false;
	}
	number_gone(f);
	return true;
}

/* Beside the tree, of which nothing changes but what nobody else looks at. */
static bool prepare(struct pv_model *m, struct fold *f, uint32_t parent)
{
	if (!fold_init(&m->private->fold, &m->calls, f))
		return false;
	f->kept[parent] = true;
	mark_open(m, f);
	choose(f);
	direct(f);
	return true;
}

static bool build_beside(struct pv_model *m, struct fold *f, struct pv_calls *to)
{
	struct pv_fold_room *r = &m->private->fold;
	if (!make_tree(r, m->calls.node.room * sizeof *m->calls.node.v))
		return false;
	*to = m->calls;
	to->node.v = r->tree;
	to->node.room = r->tree_size / sizeof *to->node.v;
	bool ok = build(f, to);
	m->calls.wide = to->wide; /* the owner's alone */
	return ok;
}

static void follow(struct pv_model *m, const uint32_t *into)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			s->stack.v[i].node = into[s->stack.v[i].node];
	}
}

static bool fold_once(struct pv_model *m, uint32_t *parent)
{
	struct pv_calls *c = &m->calls, to;
	struct pv_fold_room *r = &m->private->fold;
	struct fold f;
	pv_model_let_go(m);
	bool ok = prepare(m, &f, *parent);
	bool moves = f.n - f.first <= f.n / 3 && c->wide.n == 0;
	ok = ok && (moves || build_beside(m, &f, &to));
	pv_model_take_back(m);
	if (!ok || (moves && !move_up(&f, c)))
		return false;
	if (!moves) {
		r->tree = c->node.v;
		r->tree_size = c->node.room * sizeof *c->node.v;
		c->node = to.node;
	}
	c->folded += f.folded;
	m->private->stretches.changes++;
	follow(m, f.into);
	*parent = f.into[*parent];
	pv_window_renumber_nodes(m, f.into);
	return true;
}

bool pv_calls_fold(struct pv_model *m, uint32_t *parent)
{
	struct pv_calls *c = &m->calls;
	size_t goal = c->cap - c->cap / 16;
	uint64_t before = UINT64_MAX;
	if (m->private->fold.pause > 0 && m->private->fold.pause--)
		return true;
	if (!pv_window_flush(m))
		return false;
	for (int i = 0; i < ROUNDS && c->node.n > goal && c->folded != before; i++) {
		before = c->folded;
		if (!fold_once(m, parent))
			return false;
	}
	if (c->node.n >= c->cap)
		m->private->fold.pause = PAUSE; /* what does not help is not tried at every call */
	c->folds++;
	return true;
}
