/* SPDX-License-Identifier: MIT */
/* Merges frames of one name under one parent; linear but for sorting siblings. */
#include <stdlib.h>
#include <string.h>

#include "common/query/flame/flame_parts.h"

/* Children of a node with the same frame. */
struct bucket {
	uint64_t self, total, base;
	uint32_t frame, members;
};

struct member {
	uint32_t node, next; /* next: index + 1; 0 ends */
};

struct making {
	const struct pv_flame_source *s;
	const struct pv_flame_frames *f;
	uint32_t n; /* nodes of the source */
	uint64_t *total;
	uint32_t *bucket_of; /* by frame: index + 1 in bucket while one node is opened */
	uint32_t *members;   /* by new node */
	struct pv_flame_node *node;
	struct pv_flame_part *base; /* by new node; NULL: no base */
	uint32_t made;
	PV_ARRAY(struct bucket) bucket;
	PV_ARRAY(struct member) member;
	PV_ARRAY(uint32_t) todo;
};

static uint32_t parent_of(const struct pv_flame_source *s, uint32_t i)
{
	return s->of ? s->of->node[i].parent : s->copy->parent[i];
}

static uint32_t frame_of(const struct pv_flame_source *s, uint32_t i)
{
	return s->of ? s->of->node[i].frame : s->copy->group[i];
}

static uint32_t first_of(const struct pv_flame_source *s, uint32_t i)
{
	if (!s->of)
		return s->copy->first_child[i];
	return s->of->node[i].children ? s->of->node[i].child : 0;
}

static uint32_t next_of(const struct pv_flame_source *s, uint32_t i)
{
	if (!s->of)
		return s->copy->next_sibling[i];
	const struct pv_flame_node *up = &s->of->node[s->of->node[i].parent];
	return i + 1 < up->child + up->children ? i + 1 : 0;
}

static bool sum_up_totals(struct making *k)
{
	k->total = calloc(k->n, sizeof *k->total);
	for (uint32_t i = k->n; k->total && i-- > 0;) {
		k->total[i] = pv_flame_plus(k->total[i], k->s->self[i]);
		uint64_t *up = &k->total[i ? parent_of(k->s, i) : 0];
		if (i)
			*up = pv_flame_plus(*up, k->total[i]);
	}
	return k->total != NULL;
}

static struct bucket *bucket_for(struct making *k, uint32_t frame)
{
	if (k->bucket_of[frame] == 0) {
		if (!pv_reserve(&k->bucket, 1))
			return NULL;
		k->bucket.v[k->bucket.n++] = (struct bucket){ .frame = frame };
		k->bucket_of[frame] = (uint32_t)k->bucket.n;
	}
	return &k->bucket.v[k->bucket_of[frame] - 1];
}

static bool add_child(struct making *k, uint32_t child)
{
	struct bucket *b = bucket_for(k, frame_of(k->s, child));
	if (!b || !pv_reserve(&k->member, 1))
		return false;
	k->member.v[k->member.n++] = (struct member){ child, b->members };
	b->members = (uint32_t)k->member.n;
	b->self = pv_flame_plus(b->self, k->s->self[child]);
	b->total = pv_flame_plus(b->total, k->total[child]);
	b->base = pv_flame_plus(b->base, k->s->base ? k->s->base[child] : 0);
	return true;
}

/* With `fold`: children of the same frame are merged into the node, with their children. */
static bool add_children(struct making *k, uint32_t made, uint32_t of)
{
	uint32_t frame = k->node[made].frame;
	k->todo.n = 0;
	for (;;) {
		for (uint32_t c = first_of(k->s, of); c; c = next_of(k->s, c)) {
			if (k->total[c] == 0)
				continue;
			if (!k->s->fold || made == 0 || frame_of(k->s, c) != frame) {
				if (!add_child(k, c))
					return false;
				continue;
			}
			k->node[made].self = pv_flame_plus(k->node[made].self, k->s->self[c]);
			if (k->base)
				k->base[made].self =
					pv_flame_plus(k->base[made].self, k->s->base[c]);
			if (!pv_reserve(&k->todo, 1))
				return false;
			k->todo.v[k->todo.n++] = c;
		}
		if (k->todo.n == 0)
			return true;
		of = k->todo.v[--k->todo.n];
	}
}

static int heavier(const void *a, const void *b, void *frames)
{
	const struct bucket *x = a, *y = b;
	const struct pv_flame_frames *f = frames;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	int named = strcmp(f->v[x->frame].name, f->v[y->frame].name);
	return named ? named : x->frame < y->frame ? -1 : x->frame > y->frame;
}

static void open_node(struct making *k, uint32_t at)
{
	k->node[at].child = k->made;
	k->node[at].children = (uint32_t)k->bucket.n;
	if (k->bucket.n > 1)
		qsort_r(k->bucket.v, k->bucket.n, sizeof *k->bucket.v, heavier,
			(void *)(uintptr_t)k->f);
	for (size_t i = 0; i < k->bucket.n; i++) {
		const struct bucket *b = &k->bucket.v[i];
		k->members[k->made] = b->members;
		if (k->base)
			k->base[k->made].self = b->base;
		k->node[k->made++] = (struct pv_flame_node){
			.parent = at, .frame = b->frame, .self = b->self, .total = b->total
		};
		k->bucket_of[b->frame] = 0;
	}
	k->bucket.n = 0;
}

static bool open_all(struct making *k)
{
	bool ok = true;
	uint64_t own = k->s->self[0];
	k->node[0].total = k->total[0];
	k->made = 1;
	for (uint32_t at = 0; ok && at < k->made; at++) {
		if (at == 0 && own) { /* a frame for all weight without a call path */
			struct bucket *b = bucket_for(k, k->s->root_frame);
			ok = b != NULL;
			if (b)
				b->self = b->total = own;
		}
		if (at == 0)
			ok = ok && add_children(k, 0, 0);
		for (uint32_t i = k->members[at]; ok && i; i = k->member.v[i - 1].next)
			ok = add_children(k, at, k->member.v[i - 1].node);
		if (ok)
			open_node(k, at);
	}
	return ok;
}

/* Parents have smaller numbers than their children. */
static void sum_base(const struct pv_flame_shape *s)
{
	for (uint32_t i = s->base ? s->n : 0; i-- > 0;) {
		struct pv_flame_part *p = &s->base[i], *up = &s->base[s->node[i].parent];
		p->total = pv_flame_plus(p->total, p->self);
		if (i)
			up->total = pv_flame_plus(up->total, p->total);
	}
}

bool pv_flame_shape_make(const struct pv_flame_source *s, const struct pv_flame_frames *f,
	struct pv_flame_shape *ret)
{
	struct making k = { .s = s, .f = f, .n = s->of ? s->of->n : (uint32_t)s->copy->n };
	*ret = (struct pv_flame_shape){ 0 };
	k.bucket_of = calloc(f->n ? f->n : 1, sizeof *k.bucket_of);
	k.members = calloc((size_t)k.n + 1, sizeof *k.members);
	k.node = calloc((size_t)k.n + 1, sizeof *k.node);
	k.base = s->base ? calloc((size_t)k.n + 1, sizeof *k.base) : NULL;
	bool ok = k.bucket_of && k.members && k.node && (k.base || !s->base) && sum_up_totals(&k) &&
		  open_all(&k);
	free(k.total);
	free(k.bucket_of);
	free(k.members);
	pv_array_finish(&k.bucket);
	pv_array_finish(&k.member);
	pv_array_finish(&k.todo);
	if (!ok) {
		free(k.node);
		free(k.base);
		return false;
	}
	struct pv_flame_node *fit = realloc(k.node, k.made * sizeof *fit);
	*ret = (struct pv_flame_shape){ fit ? fit : k.node, k.base, k.made };
	sum_base(ret);
	return true;
}

/* --- the same nodes with other own weights */

/* Nearly sorted already: only nodes above left-out weight have become lighter. */
static void sort_nearly(struct pv_flame_node *v, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++) {
		struct pv_flame_node n = v[i];
		uint32_t at = i;
		for (; at > from && v[at - 1].total < n.total; at--)
			v[at] = v[at - 1];
		v[at] = n;
	}
}

static int lighter(const void *a, const void *b)
{
	const struct pv_flame_node *x = a, *y = b;
	return x->total != y->total ? (x->total < y->total ? 1 : -1)
				    : (x->child < y->child ? -1 : x->child > y->child);
}

/* Appends the children still with weight; `child` is their number in `s` for now. */
static uint32_t keep_children(const struct pv_flame_shape *s, const uint64_t *self,
	const uint64_t *total, struct pv_flame_node *to, uint32_t at, uint32_t n)
{
	enum { FEW = 64 };
	const struct pv_flame_node *of = &s->node[to[at].child];
	uint32_t from = n;
	for (uint32_t c = of->child; c < of->child + of->children; c++)
		if (total[c])
			to[n++] = (struct pv_flame_node){ .parent = at,
				.frame = s->node[c].frame,
				.child = c,
				.self = self[c],
				.total = total[c] };
	if (n - from > FEW)
		qsort(&to[from], n - from, sizeof *to, lighter);
	else
		sort_nearly(to, from, n);
	to[at].child = from;
	to[at].children = n - from;
	return n;
}

bool pv_flame_shape_less(
	const struct pv_flame_shape *s, const uint64_t *self, struct pv_flame_shape *ret)
{
	uint64_t *total = calloc(s->n, sizeof *total);
	struct pv_flame_node *to = calloc(s->n, sizeof *to);
	struct pv_flame_part *base = s->base ? calloc(s->n, sizeof *base) : NULL;
	*ret = (struct pv_flame_shape){ 0 };
	if (!total || !to || (s->base && !base)) {
		free(total);
		free(to);
		free(base);
		return false;
	}
	for (uint32_t i = s->n; i-- > 0;) {
		total[i] = pv_flame_plus(total[i], self[i]);
		if (i)
			total[s->node[i].parent] =
				pv_flame_plus(total[s->node[i].parent], total[i]);
	}
	to[0] = (struct pv_flame_node){ .self = self[0], .total = total[0] };
	uint32_t n = 1;
	for (uint32_t at = 0; at < n; at++) {
		uint32_t was = to[at].child; /* the number in `s`, until the children are placed */
		if (base)
			base[at].self = self[was] ? s->base[was].self : 0;
		n = keep_children(s, self, total, to, at, n);
	}
	free(total);
	*ret = (struct pv_flame_shape){ to, base, n };
	sum_base(ret);
	return true;
}

uint8_t *pv_flame_within(const struct pv_flame_shape *s, const uint8_t *frame)
{
	uint8_t *in = calloc(s->n ? s->n : 1, 1);
	for (uint32_t i = 1; in && i < s->n; i++)
		in[i] = in[s->node[i].parent] || frame[s->node[i].frame];
	return in;
}
