/*
 * What happens to the stacks near their cap: the quarter of the leaves with the least bytes
 * allocated folds into its parents' "other" nodes. A parent's first folded leaf becomes its
 * "other", so nothing is added and parents keep smaller numbers than their children. A node whose
 * only child is "other" counts as a leaf and takes that child with it. Stacks of threads that wait
 * and of handles never fold.
 */
#include "common/model/stacks_fold.h"

#include <stdlib.h>

#include "common/model/window_parts.h"

enum { ROUNDS = 8 };

struct leaf {
	uint64_t bytes;
	uint32_t node;
};

struct fold {
	bool *kept;
	uint32_t *other;    /* by parent: its "other" child, 0 = none; then a node's new number */
	uint32_t *into;     /* by node: itself, or what it was merged into; then its new number */
	uint32_t *children; /* by node: how many */
	uint64_t *bytes;    /* allocated with this very stack */
	struct leaf *leaf;
	size_t leaves;
};

static bool fold_init(struct fold *f, size_t n)
{
	*f = (struct fold){ .kept = calloc(n, sizeof *f->kept),
		.other = calloc(n, sizeof *f->other),
		.into = malloc(n * sizeof *f->into),
		.children = calloc(n, sizeof *f->children),
		.bytes = calloc(n, sizeof *f->bytes),
		.leaf = malloc(n * sizeof *f->leaf) };
	return f->kept && f->other && f->into && f->children && f->bytes && f->leaf;
}

static void fold_finish(struct fold *f)
{
	free(f->kept);
	free(f->other);
	free(f->into);
	free(f->children);
	free(f->bytes);
	free(f->leaf);
}

static void look_at_uses(const struct pv_model *m, struct fold *f)
{
	const struct pv_sites *sites = &m->allocs.sites;
	for (size_t i = 1; i < sites->site.n; i++)
		f->bytes[sites->site.v[i].stack] += sites->site.v[i].amount;
	for (size_t i = 0; i < m->handles.site.n; i++)
		f->kept[m->handles.site.v[i].stack] = true;
	for (size_t i = 0; i < m->runtime.work.n; i++)
		f->kept[m->runtime.work.v[i].stack] = true;
	for (size_t t = 1; t < m->threads.thread.n; t++)
		for (unsigned i = 0; i < m->threads.thread.v[t]->waits; i++)
			f->kept[m->threads.thread.v[t]->wait[i].stack] = true;
}

static int least_first(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? 1 : -1;
	return x->node < y->node ? 1 : -1; /* ties: the newest first */
}

static void collect(const struct pv_stacks *s, struct fold *f)
{
	const struct pv_stack_node *v = s->node.v;
	for (uint32_t i = 0; i < s->node.n; i++)
		f->into[i] = i;
	for (uint32_t i = 1; i < s->node.n; i++) {
		f->children[v[i].parent]++;
		if (v[i].method == 0)
			f->other[v[i].parent] = i;
	}
	for (uint32_t i = 1; i < s->node.n; i++) {
		uint32_t inner = f->other[i];
		bool leaf = f->children[i] == 0 || (f->children[i] == 1 && inner);
		if (!leaf || v[i].method == 0 || f->kept[i] || (inner && f->kept[inner]))
			continue;
		uint64_t bytes = f->bytes[i] + (inner ? f->bytes[inner] : 0);
		f->leaf[f->leaves++] = (struct leaf){ bytes, i };
	}
	if (f->leaves)
		qsort(f->leaf, f->leaves, sizeof *f->leaf, least_first);
}

static void fold_leaf(struct pv_stacks *s, struct fold *f, uint32_t i)
{
	struct pv_stack_node *x = &s->node.v[i];
	uint32_t inner = f->other[i], other = f->other[x->parent];
	uint32_t to = other ? other : i;
	s->folded++;
	f->into[i] = to;
	if (inner)
		f->into[inner] = to;
	if (!other) {
		x->method = 0;
		f->other[x->parent] = i;
	}
}

/* Closes the gaps; f->into becomes old number -> new number. */
static bool compact(struct pv_stacks *s, struct fold *f)
{
	struct pv_stack_node *v = s->node.v;
	uint32_t to = 0;
	for (uint32_t i = 0; i < s->node.n; i++)
		if (f->into[i] == i)
			f->other[i] = to++; /* the lists of "other" are no longer needed */
	for (uint32_t i = 0; i < s->node.n; i++) {
		if (f->into[i] != i)
			continue;
		struct pv_stack_node x = v[i];
		x.parent = f->other[f->into[x.parent]];
		v[f->other[i]] = x;
	}
	for (uint32_t i = 0; i < s->node.n; i++)
		f->into[i] = f->other[f->into[i]];
	s->node.n = to;
	pv_map_clear(&s->child);
	for (uint32_t i = 1; i < to; i++)
		if (!pv_map_set(&s->child, (uint64_t)v[i].parent << 32 | v[i].method, i))
			return false;
	return true;
}

static bool follow(struct pv_model *m, const uint32_t *into)
{
	uint32_t *remap = NULL;
	for (size_t i = 0; i < m->calls.node.n; i++)
		m->calls.node.v[i].stack = 0; /* asked for again when needed */
	for (size_t t = 1; t < m->threads.thread.n; t++)
		for (unsigned i = 0; i < m->threads.thread.v[t]->waits; i++) {
			uint32_t *stack = &m->threads.thread.v[t]->wait[i].stack;
			*stack = into[*stack];
		}
	for (size_t i = 0; i < m->runtime.work.n; i++)
		m->runtime.work.v[i].stack = into[m->runtime.work.v[i].stack];
	m->private->memo_n = 0;
	if (!pv_sites_renumber(&m->throws.sites, into, NULL, NULL) ||
		!pv_sites_renumber(&m->locks.sites, into, NULL, NULL) ||
		!pv_sites_renumber(&m->locks.nameless, into, NULL, NULL) ||
		!pv_handles_restack(&m->handles, into) ||
		!pv_sites_renumber(&m->allocs.sites, into, NULL, &remap))
		return false;
	pv_window_renumber_sites(m, remap);
	free(remap);
	return true;
}

static bool fold_once(struct pv_model *m, bool *ret_less)
{
	struct pv_stacks *s = &m->stacks;
	struct fold f;
	bool ok = fold_init(&f, s->node.n);
	size_t before = s->node.n;
	if (ok) {
		look_at_uses(m, &f);
		collect(s, &f);
		for (size_t i = 0; i < (f.leaves + 3) / 4; i++)
			fold_leaf(s, &f, f.leaf[i].node);
		ok = compact(s, &f) && follow(m, f.into);
	}
	fold_finish(&f);
	*ret_less = s->node.n < before;
	return ok;
}

bool pv_stacks_make_room(struct pv_model *m)
{
	struct pv_stacks *s = &m->stacks;
	size_t goal = s->cap - s->cap / 8;
	bool less = true;
	if (!pv_window_flush(m))
		return false;
	for (int round = 0; round < ROUNDS && less && s->node.n > goal; round++)
		if (!fold_once(m, &less))
			return false;
	s->fold_at = s->node.n + s->cap / 16; /* what did not help is not tried at every stack */
	return true;
}
