/*
 * What happens to the call tree at its cap: the quarter of the leaves with the least self time
 * folds into its parents' "other" nodes. A parent's first folded leaf becomes its "other", so
 * nothing is added and parents keep smaller numbers than their children. A node whose only child
 * is "other" counts as a leaf and takes that child with it.
 */
#include <stdlib.h>
#include <string.h>

#include "common/model/model_parts.h"
#include "common/model/window_parts.h"

enum { ROUNDS = 8 };

struct leaf {
	int64_t self_ns;
	uint32_t node;
};

struct fold {
	bool *kept;      /* on an open stack, or in use by the caller */
	uint32_t *other; /* by parent: its "other" child, 0 = none */
	uint32_t *into;  /* by node: itself, or what it was merged into */
	struct leaf *leaf;
	size_t leaves;
};

static bool fold_init(struct fold *f, size_t n)
{
	*f = (struct fold){ .kept = calloc(n, sizeof *f->kept),
		.other = calloc(n, sizeof *f->other),
		.into = malloc(n * sizeof *f->into),
		.leaf = malloc(n * sizeof *f->leaf) };
	return f->kept && f->other && f->into && f->leaf;
}

static void fold_finish(struct fold *f)
{
	free(f->kept);
	free(f->other);
	free(f->into);
	free(f->leaf);
}

static int least_first(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	if (x->self_ns != y->self_ns)
		return x->self_ns > y->self_ns ? 1 : -1;
	return x->node < y->node ? 1 : -1; /* ties: the newest first */
}

static bool is_other(const struct pv_tree_node *v, uint32_t i)
{
	return i != 0 && v[i].method == 0;
}

static void collect(const struct pv_calls *c, struct fold *f)
{
	const struct pv_tree_node *v = c->node.v;
	for (uint32_t i = 1; i < c->node.n; i++)
		if (is_other(v, i))
			f->other[v[i].parent] = i;
	f->leaves = 0;
	for (uint32_t i = 1; i < c->node.n; i++) {
		bool only_other = v[i].children == 1 && f->other[i];
		if (f->kept[i] || is_other(v, i) || (v[i].children && !only_other))
			continue;
		int64_t self = v[i].self_ns + (only_other ? v[f->other[i]].self_ns : 0);
		f->leaf[f->leaves++] = (struct leaf){ self, i };
	}
	qsort(f->leaf, f->leaves, sizeof *f->leaf, least_first);
}

static void merge(struct pv_calls *c, struct fold *f, uint32_t from, uint32_t to)
{
	struct pv_tree_node *a = &c->node.v[from], *b = &c->node.v[to];
	b->calls += a->calls;
	b->self_ns += a->self_ns;
	b->total_ns += a->total_ns;
	b->max_ns = a->max_ns > b->max_ns ? a->max_ns : b->max_ns;
	b->exc_leaves += a->exc_leaves;
	b->samples += a->samples;
	f->into[from] = to;
	c->folded++;
}

/* An "other" child's total is part of its parent's already. */
static void merge_inner(struct pv_calls *c, struct fold *f, uint32_t from, uint32_t to)
{
	int64_t total = c->node.v[to].total_ns;
	merge(c, f, from, to);
	c->node.v[to].total_ns = total;
}

static void fold_leaf(struct pv_calls *c, struct fold *f, uint32_t i)
{
	struct pv_tree_node *x = &c->node.v[i];
	uint32_t inner = f->other[i], other = f->other[x->parent];
	if (inner)
		merge_inner(c, f, inner, i);
	if (other) {
		merge(c, f, i, other);
		if (inner)
			f->into[inner] = other;
		return;
	}
	x->method = 0;
	x->key = UINT64_MAX;
	f->other[x->parent] = i;
	c->folded++;
}

/* Closes the gaps; f->into becomes old number -> new number. */
static void compact(struct pv_calls *c, struct fold *f)
{
	struct pv_tree_node *v = c->node.v;
	uint32_t to = 0;
	for (uint32_t i = 0; i < c->node.n; i++)
		if (f->into[i] == i)
			f->other[i] = to++; /* the lists of "other" are no longer needed */
	for (uint32_t i = 0; i < c->node.n; i++) {
		uint32_t at = f->other[f->into[i]];
		if (f->into[i] == i) {
			v[at] = v[i];
			v[at].parent = f->other[f->into[v[at].parent]];
		}
	}
	for (uint32_t i = 0; i < c->node.n; i++)
		f->into[i] = f->other[f->into[i]];
	c->node.n = to;
}

static bool relink(struct pv_calls *c)
{
	struct pv_tree_node *v = c->node.v;
	pv_map_clear(&c->wide);
	for (uint32_t i = 0; i < c->node.n; i++) {
		v[i].first_child = v[i].next_sibling = v[i].recent = v[i].children = 0;
		v[i].stack = 0; /* paths may have changed */
	}
	for (uint32_t i = 1; i < c->node.n; i++) {
		uint32_t parent = v[i].parent;
		v[i].next_sibling = v[parent].first_child;
		v[parent].first_child = i;
		v[parent].children++;
		if (!pv_calls_index(c, parent, i))
			return false;
	}
	return true;
}

static void mark_open(const struct pv_model *m, struct fold *f)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		const struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			f->kept[s->stack.v[i].node] = true;
	}
}

static void follow(struct pv_model *m, const struct fold *f)
{
	for (size_t t = 1; t < m->threads.thread.n; t++) {
		struct pv_thread_calls *s = &m->threads.thread.v[t]->stack;
		for (size_t i = 0; i < s->stack.n; i++)
			s->stack.v[i].node = f->into[s->stack.v[i].node];
	}
	pv_window_renumber_nodes(m, f->into);
}

static bool fold_once(struct pv_model *m, uint32_t *parent)
{
	struct pv_calls *c = &m->calls;
	struct fold f;
	bool ok = fold_init(&f, c->node.n);
	if (ok) {
		for (uint32_t i = 0; i < c->node.n; i++)
			f.into[i] = i;
		f.kept[*parent] = true;
		mark_open(m, &f);
		collect(c, &f);
		for (size_t i = 0; i < (f.leaves + 3) / 4; i++)
			fold_leaf(c, &f, f.leaf[i].node);
		compact(c, &f);
		follow(m, &f);
		*parent = f.into[*parent];
		ok = relink(c);
	}
	fold_finish(&f);
	return ok;
}

bool pv_calls_fold(struct pv_model *m, uint32_t *parent)
{
	struct pv_calls *c = &m->calls;
	size_t goal = c->cap - c->cap / 16;
	if (!pv_window_flush(m))
		return false;
	for (int round = 0; round < ROUNDS && c->node.n > goal; round++)
		if (!fold_once(m, parent))
			return false;
	c->folds++;
	m->private->stretches.hash_of.n = 0;
	return true;
}
