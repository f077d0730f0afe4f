/* SPDX-License-Identifier: MIT */
/*
 * Stacks near their cap: the leaves with the least bytes allocated fold into the "other" nodes of
 * their parents, until half of the room is free. A parent's first folded leaf becomes its "other",
 * so nothing is added and parents keep smaller numbers than their children. A node whose only child
 * is "other" counts as a leaf and takes that child along. Stacks of waiting threads and of handles
 * never fold.
 *
 * Renumbering the rest, and the sites, takes far longer than choosing leaves. So it is done once
 * for half of the stacks, and costs each new stack the time of two old ones.
 */
#include "common/model/calls/stacks_fold.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"
#include "common/model/ground/least.h"
#include "common/model/calls/sites_fold.h"
#include "common/model/time/window_parts.h"

enum { ROUNDS = 8, TABLES = 4 };

/* State of a fold. The rest is compacted in copies, while readers may use the originals. */
struct fold {
	struct pv_stacks stacks;
	struct pv_sites sites[TABLES]; /* of tables(); the first `copies` are made */
	size_t copies;
	uint32_t *remap;    /* of the first table */
	void *room;         /* of the arrays below, for all nodes */
	uint64_t *bytes;    /* allocated with exactly this stack */
	uint64_t *weight;   /* by leaf */
	uint32_t *leaf;     /* nodes that may fold, ascending */
	uint32_t *other;    /* by parent: the "other" child, 0 = none; then a node's new number */
	uint32_t *into;     /* by node: itself, or its target; then its new number */
	uint32_t *children; /* by node: number of children */
	bool *kept;
	bool *chosen; /* by leaf */
	size_t leaves;
	size_t left; /* nodes not merged into another */
};

static bool fold_init(struct fold *f, const struct pv_stacks *s)
{
	size_t n = s->node.n, size = s->node.room * sizeof *s->node.v;
	size_t each = 2 * sizeof(uint64_t) + 4 * sizeof(uint32_t) + 2 * sizeof(bool);
	*f = (struct fold){ .stacks = *s, .room = pv_large_alloc(n * each) };
	f->stacks.node.v = pv_large_alloc(size);
	if (!f->room || !f->stacks.node.v)
		return false;
	memset(f->room, 0, n * each);
	memcpy(f->stacks.node.v, s->node.v, n * sizeof *s->node.v);
	f->bytes = f->room;
	f->weight = f->bytes + n;
	f->leaf = (uint32_t *)(f->weight + n);
	f->other = f->leaf + n;
	f->into = f->other + n;
	f->children = f->into + n;
	f->kept = (bool *)(f->children + n);
	f->chosen = f->kept + n;
	return true;
}

static void fold_finish(struct fold *f)
{
	free(f->stacks.node.v);
	free(f->room);
	free(f->remap);
}

static void tables(struct pv_model *m, struct pv_sites *ret[TABLES])
{
	ret[0] = &m->allocs.sites;
	ret[1] = &m->throws.sites;
	ret[2] = &m->locks.sites;
	ret[3] = &m->locks.by_lock;
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
		for (size_t i = 0; i < m->threads.thread.v[t]->wait.n; i++)
			f->kept[m->threads.thread.v[t]->wait.v[i].stack] = true;
}

static void count_children(const struct pv_stacks *s, struct fold *f)
{
	const struct pv_stack_node *v = s->node.v;
	f->left = s->node.n;
	for (uint32_t i = 0; i < s->node.n; i++)
		f->into[i] = i;
	for (uint32_t i = 1; i < s->node.n; i++) {
		f->children[v[i].parent]++;
		if (v[i].method == 0)
			f->other[v[i].parent] = i;
	}
}

/* Collects the leaves, and chooses `wanted` of them to fold. */
static void collect_leaves(const struct pv_stacks *s, struct fold *f, size_t wanted)
{
	const struct pv_stack_node *v = s->node.v;
	f->leaves = 0;
	for (uint32_t i = 1; i < s->node.n; i++) {
		uint32_t inner = f->other[i];
		bool leaf = f->children[i] == 0 || (f->children[i] == 1 && inner);
		if (!leaf || f->into[i] != i || v[i].method == 0 || f->kept[i] ||
			(inner && f->kept[inner]))
			continue;
		f->weight[f->leaves] = f->bytes[i] + (inner ? f->bytes[inner] : 0);
		f->leaf[f->leaves++] = i;
	}
	pv_least(f->weight, NULL, f->leaves, wanted < f->leaves ? wanted : f->leaves, f->chosen);
}

/* `to` may be the same node. */
static void merge_stack(struct fold *f, uint32_t i, uint32_t parent, uint32_t to)
{
	if (i == to)
		return;
	f->into[i] = to;
	f->bytes[to] += f->bytes[i];
	f->children[parent]--;
	f->left--;
}

static void fold_leaf(struct pv_stacks *s, struct fold *f, uint32_t i)
{
	struct pv_stack_node *x = &s->node.v[i];
	uint32_t inner = f->other[i], other = f->other[x->parent];
	uint32_t to = other ? other : i;
	s->folded++;
	if (inner)
		merge_stack(f, inner, i, to);
	merge_stack(f, i, x->parent, to);
	if (!other) {
		x->method = 0;
		f->other[x->parent] = i;
	}
}

/* Follows merges into nodes which then are merged themselves. */
static void follow_merges(const struct pv_stacks *s, struct fold *f)
{
	for (uint32_t i = 0; i < s->node.n; i++)
		while (f->into[f->into[i]] != f->into[i])
			f->into[i] = f->into[f->into[i]];
}

/* Closes the gaps; f->into becomes old number -> new number. */
static bool compact(struct pv_stacks *s, struct fold *f)
{
	struct pv_stack_node *v = s->node.v;
	uint32_t to = 0;
	follow_merges(s, f);
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

static bool copy_site_tables(struct pv_model *m, struct fold *f)
{
	struct pv_sites *of[TABLES];
	bool ok = true;
	tables(m, of);
	for (size_t i = 0; i < TABLES && ok; i++) {
		ok = pv_sites_copy(of[i], &f->sites[i]);
		f->copies += ok;
		ok = ok && pv_sites_renumber(&f->sites[i], f->into, NULL, i ? NULL : &f->remap);
	}
	return ok;
}

static void fold_to(struct fold *f, size_t goal)
{
	struct pv_stacks *s = &f->stacks;
	for (int round = 0; round < ROUNDS && f->left > goal; round++) {
		collect_leaves(s, f, f->left - goal);
		for (size_t i = 0; i < f->leaves; i++)
			if (f->chosen[i])
				fold_leaf(s, f, f->leaf[i]);
	}
}

static bool prepare(struct pv_model *m, struct fold *f)
{
	struct pv_stacks *s = &f->stacks;
	if (!fold_init(f, &m->stacks))
		return false;
	look_at_uses(m, f);
	count_children(s, f);
	fold_to(f, s->cap / 2);
	bool ok = compact(s, f) && copy_site_tables(m, f);
	m->stacks.child = s->child; /* ingest thread only */
	return ok;
}

/* In one hold of the lock: readers see consistent tables. */
static void replace(struct pv_model *m, struct fold *f, bool take)
{
	struct pv_sites *of[TABLES];
	struct pv_stacks before = m->stacks;
	const uint32_t *into = f->into;
	tables(m, of);
	for (size_t i = 0; i < f->copies; i++)
		pv_sites_replace(of[i], &f->sites[i], take);
	if (!take)
		return;
	m->stacks = f->stacks;
	f->stacks.node = before.node;
	for (size_t t = 1; t < m->threads.thread.n; t++)
		for (size_t i = 0; i < m->threads.thread.v[t]->wait.n; i++) {
			uint32_t *stack = &m->threads.thread.v[t]->wait.v[i].stack;
			*stack = into[*stack];
		}
	for (size_t i = 0; i < m->runtime.work.n; i++)
		m->runtime.work.v[i].stack = into[m->runtime.work.v[i].stack];
	for (const struct pv_stack_listener *const *l = m->private->on_stacks; *l; l++)
		(*l)->renumbered(m, into);
	m->private->memo_n = 0;
	pv_model_forget_frames(m);
}

/* Forgets the stacks of call-tree nodes. */
static void forget_stacks(struct pv_model *m)
{
	for (size_t i = 0; i < m->calls.node.n; i++) {
		m->calls.node.v[i].stack = 0; /* found again when needed */
		pv_model_lock_yield(m, 1);
	}
}

static bool fold_once(struct pv_model *m)
{
	struct fold f;
	pv_model_lock_release(m);
	bool ok = prepare(m, &f);
	pv_model_lock_retake(m);
	replace(m, &f, ok);
	if (ok) {
		pv_window_renumber_sites(m, f.remap);
		forget_stacks(m);
	}
	pv_model_lock_release(m);
	for (const struct pv_stack_listener *const *l = m->private->on_stacks; ok && *l; l++)
		ok = !(*l)->rebuild || (*l)->rebuild(m);
	fold_finish(&f);
	pv_model_lock_retake(m);
	return ok;
}

bool pv_stacks_make_room(struct pv_model *m)
{
	struct pv_stacks *s = &m->stacks;
	if (!pv_window_flush(m) || !fold_once(m))
		return false;
	s->fold_at = s->node.n + s->cap / 16; /* after a step without success, not at every stack */
	return true;
}
