/* SPDX-License-Identifier: MIT */
/* Merges two trees into one with the base's part of each weight. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/intern.h"
#include "common/query/flame/flame_parts.h"

/* Weights are finer than figures, so that scaled single samples are not rounded away. */
enum { GRAIN = 1024 };

struct pairing {
	struct pv_flame_tree *t;
	struct pv_flame_tree *of[2]; /* base, new */
	uint32_t *frame[2];          /* of each tree: the pair's frame, by own frame */
	struct pv_intern key;
	PV_ARRAY(uint32_t) by_key; /* id of a key: frame + 1, 0 none */
};

/* --- frames --- */

static uint64_t flame_key_hash(const char *key, uint8_t flags)
{
	uint64_t h = flags + UINT64_C(0xcbf29ce484222325);
	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return h ? h : 1;
}

/* A class and a method of one name differ, by a letter before the key. */
static bool put_paired_frame(
	struct pairing *p, const struct pv_flame_frame *from, pv_flame_key *key, uint32_t *ret)
{
	char room[PV_FLAME_KEY_MAX], text[PV_FLAME_KEY_MAX + 1];
	uint8_t is_class = from->flags & PV_FLAME_CLASS;
	uint32_t id;
	const char *same = key(from->name, is_class, room);
	size_t n = strlen(same) < sizeof room ? strlen(same) : sizeof room - 1;
	text[0] = is_class ? 'C' : 'M';
	memcpy(text + 1, same, n);
	text[n + 1] = 0;
	if (!pv_intern_add(&p->key, text, n + 1, &id) || !pv_reserve(&p->by_key, id + 1u))
		return false;
	while (p->by_key.n <= id)
		p->by_key.v[p->by_key.n++] = 0;
	struct pv_flame_frames *f = &p->t->frame;
	if (!p->by_key.v[id]) {
		f->v[f->n] = *from;
		f->v[f->n].shown = NULL;
		f->v[f->n].key = flame_key_hash(text + 1, is_class);
		p->by_key.v[id] = ++f->n;
	}
	*ret = p->by_key.v[id] - 1;
	return true;
}

/* The new tree first, as its names are shown. */
static bool put_paired_frames(struct pairing *p, pv_flame_key *key)
{
	size_t n = (size_t)p->of[0]->frame.n + p->of[1]->frame.n;
	bool ok = n < UINT32_MAX && (p->t->frame.v = calloc(n + 1, sizeof *p->t->frame.v));
	for (int side = 1; ok && side >= 0; side--) {
		const struct pv_flame_frames *from = &p->of[side]->frame;
		p->frame[side] = calloc(from->n + 1u, sizeof *p->frame[side]);
		ok = p->frame[side] != NULL;
		for (uint32_t i = 0; ok && i < from->n; i++)
			ok = put_paired_frame(p, &from->v[i], key, &p->frame[side][i]);
	}
	return ok;
}

/* --- nodes: the children of both roots next to each other, then the rest of the new, of the base */

struct joined {
	struct pv_flame_shape shape;
	uint64_t *self, *base;
	uint32_t top[2]; /* children of either root */
};

static uint32_t joined_place(const struct joined *j, uint32_t news, int side, uint32_t i)
{
	if (i == 0)
		return 0;
	if (side == 1)
		return i <= j->top[1] ? i : i + j->top[0];
	return i <= j->top[0] ? j->top[1] + i : news - 1 + i;
}

static uint64_t scaled(uint64_t v, double by)
{
	double d = (double)v * by;
	return d < 1.8e19 ? (uint64_t)llround(fmin(d, 9.2e18)) : UINT64_MAX;
}

static void put_nodes(const struct pairing *p, int side, double by, struct joined *j)
{
	const struct pv_flame_shape *from = &p->of[side]->whole;
	uint32_t news = p->of[1]->whole.n;
	for (uint32_t i = 1; i < from->n; i++) {
		const struct pv_flame_node *n = &from->node[i];
		uint32_t at = joined_place(j, news, side, i);
		j->shape.node[at] =
			(struct pv_flame_node){ .parent = joined_place(j, news, side, n->parent),
				.frame = p->frame[side][n->frame],
				.child = n->children ? joined_place(j, news, side, n->child) : 0,
				.children = n->children };
		j->self[at] = scaled(n->self, by);
		j->base[at] = side == 0 ? j->self[at] : 0;
	}
}

static bool join_shapes(struct pairing *p, double scale)
{
	const struct pv_flame_shape *base = &p->of[0]->whole, *now = &p->of[1]->whole;
	struct joined j = { .top = { base->node[0].children, now->node[0].children } };
	size_t n = (size_t)base->n + now->n - 1;
	uint32_t grain = scale < 1 || scale > 1 ? GRAIN : 1;
	bool ok = n < UINT32_MAX;
	j.shape.n = (uint32_t)n;
	j.shape.node = ok ? calloc(n, sizeof *j.shape.node) : NULL;
	j.self = calloc(n, sizeof *j.self);
	j.base = calloc(n, sizeof *j.base);
	ok = j.shape.node && j.self && j.base;
	if (ok) {
		put_nodes(p, 1, grain, &j);
		put_nodes(p, 0, grain * scale, &j);
		j.shape.node[0].child = 1;
		j.shape.node[0].children = j.top[0] + j.top[1];
		const struct pv_flame_source s = { .of = &j.shape, .self = j.self, .base = j.base };
		ok = pv_flame_shape_make(&s, &p->t->frame, &p->t->whole);
	}
	p->t->grain = grain;
	free(j.shape.node);
	free(j.self);
	free(j.base);
	return ok;
}

struct pv_flame_tree *pv_flame_tree_pair(
	struct pv_flame_tree *base, struct pv_flame_tree *now, pv_flame_key *key, double scale)
{
	struct pairing p = { .t = calloc(1, sizeof *p.t), .of = { base, now } };
	if (!p.t)
		return NULL;
	p.t->refs = 1;
	p.t->model = now->model;
	p.t->frame.readable = now->frame.readable;
	p.t->generation = now->generation;
	p.t->time_of = now->time_of;
	p.t->scale = scale;
	p.t->of[0] = pv_flame_tree_take(base);
	p.t->of[1] = pv_flame_tree_take(now);
	p.t->coverage = now->coverage; /* kept alive by `now` */
	bool ok = put_paired_frames(&p, key) && join_shapes(&p, scale);
	free(p.frame[0]);
	free(p.frame[1]);
	pv_intern_finish(&p.key);
	pv_array_finish(&p.by_key);
	if (ok)
		return p.t;
	pv_flame_tree_drop(p.t);
	return NULL;
}
