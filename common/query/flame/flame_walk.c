/* SPDX-License-Identifier: MIT */
/* Follows a path through a tree, away from the root, at all places at once. */
#include <stdlib.h>

#include "common/query/flame/flame_parts.h"

static bool put_walk_member(struct pv_flame_members *to, struct pv_flame_member m)
{
	if (!pv_reserve(&to->v, 1))
		return false;
	to->v.v[to->v.n++] = m;
	return true;
}

static struct pv_flame_member whole(const struct pv_flame_shape *s, uint32_t i)
{
	return (struct pv_flame_member){ i, i, s->node[i].total, s->base ? s->base[i].total : 0 };
}

static struct pv_flame_member own(const struct pv_flame_shape *s, uint32_t i)
{
	return (struct pv_flame_member){ i, i, s->node[i].self, s->base ? s->base[i].self : 0 };
}

/* Members a step further than `from`. */
static bool step_further(
	struct pv_flame_walk *g, const struct pv_flame_member *from, struct pv_flame_members *to)
{
	const struct pv_flame_node *v = g->s->node, *n = &v[from->node];
	if (g->way == PV_FLAME_UP) {
		g->steps++;
		return n->parent == 0 ||
		       put_walk_member(to, (struct pv_flame_member){ n->parent, from->origin,
						   from->weight, from->base });
	}
	g->steps += n->children;
	for (uint32_t c = n->child; c < n->child + n->children; c++)
		if (!put_walk_member(to, whole(g->s, c)))
			return false;
	return true;
}

/* From the root UP: every node with own weight, as a member. */
static bool leaves(struct pv_flame_walk *g, struct pv_flame_members *to)
{
	for (uint32_t i = 1; i < g->s->n; i++)
		if (g->s->node[i].self && !put_walk_member(to, own(g->s, i)))
			return false;
	g->steps += g->s->n;
	return true;
}

/* All places of a frame without the same frame above. */
static bool outermost(struct pv_flame_walk *g, uint64_t key, struct pv_flame_members *to)
{
	uint8_t *is = calloc(g->t->frame.n, 1);
	for (uint32_t i = 0; is && i < g->t->frame.n; i++)
		is[i] = g->t->frame.v[i].key == key;
	uint8_t *in = is ? pv_flame_within(g->s, is) : NULL;
	bool ok = in != NULL;
	for (uint32_t i = 1; ok && i < g->s->n; i++) {
		const struct pv_flame_node *n = &g->s->node[i];
		if (is[n->frame] && !in[n->parent])
			ok = put_walk_member(to, whole(g->s, i));
	}
	free(is);
	free(in);
	return ok;
}

bool pv_flame_begin(
	struct pv_flame_walk *g, const struct pv_flame_path *p, struct pv_flame_members *to)
{
	g->way = p->way;
	g->from_leaves = p->way == PV_FLAME_UP && !p->focus;
	return p->focus ? outermost(g, p->focus, to) : put_walk_member(to, whole(g->s, 0));
}

bool pv_flame_open(
	struct pv_flame_walk *g, const struct pv_flame_members *from, struct pv_flame_members *to)
{
	if (g->from_leaves) {
		g->from_leaves = false;
		return leaves(g, to);
	}
	for (size_t i = 0; i < from->v.n; i++)
		if (!step_further(g, &from->v.v[i], to))
			return false;
	return true;
}

bool pv_flame_walk(struct pv_flame_walk *g, const struct pv_flame_path *p,
	struct pv_flame_members *ret, size_t *ret_n)
{
	bool ok = pv_flame_begin(g, p, ret);
	for (*ret_n = 0; ok && *ret_n < p->key.n; ++*ret_n) {
		struct pv_flame_members next = { 0 };
		bool leaves_first = g->from_leaves;
		ok = pv_flame_open(g, ret, &next);
		size_t kept = 0;
		for (size_t i = 0; i < next.v.n; i++)
			if (g->t->frame.v[g->s->node[next.v.v[i].node].frame].key ==
				p->key.v[*ret_n])
				next.v.v[kept++] = next.v.v[i];
		next.v.n = kept;
		if (!ok || kept == 0) {
			pv_array_finish(&next.v);
			g->from_leaves = leaves_first;
			return ok;
		}
		pv_array_finish(&ret->v);
		*ret = next;
	}
	return ok;
}
