/* SPDX-License-Identifier: MIT */
/* Grows an answer level by level, as far as cells are wide enough. */
#include <stdlib.h>
#include <string.h>

#include "common/query/flame/flame_parts.h"

enum { CELLS_MAX = 1 << 16, DEPTH_MAX = 4096, STEPS_MAX = 6000000 };

struct bucket {
	uint64_t weight, base;
	uint32_t frame, n; /* members */
};

struct growing {
	struct pv_flame_walk w;
	uint32_t *bucket_of; /* by frame: index + 1 */
	PV_ARRAY(struct bucket) bucket;
	struct pv_flame_members now, next; /* of the level's cells; of the next level's */
};

static uint32_t frame_at(const struct growing *g, const struct pv_flame_member *m)
{
	return g->w.s->node[m->node].frame;
}

/* --- cells */

struct answer {
	struct pv_flame *f;
	PV_ARRAY(struct pv_flame_cell) cell;
	PV_ARRAY(size_t) ends; /* by cell: end of its members in now or next */
	uint64_t least;        /* least weight of a cell */
	uint32_t parts;
};

static int heavier(const void *a, const void *b, void *ctx)
{
	const struct bucket *x = a, *y = b;
	const struct pv_flame_frame *f = ctx;
	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return strcmp(f[x->frame].name, f[y->frame].name);
}

static bool gather_buckets(struct growing *g, const struct pv_flame_members *m)
{
	g->bucket.n = 0;
	for (size_t i = 0; i < m->v.n; i++) {
		uint32_t frame = frame_at(g, &m->v.v[i]);
		if (g->bucket_of[frame] == 0) {
			if (!pv_reserve(&g->bucket, 1))
				return false;
			g->bucket.v[g->bucket.n++] = (struct bucket){ .frame = frame };
			g->bucket_of[frame] = (uint32_t)g->bucket.n;
		}
		struct bucket *b = &g->bucket.v[g->bucket_of[frame] - 1];
		b->weight = pv_flame_plus(b->weight, m->v.v[i].weight);
		b->base = pv_flame_plus(b->base, m->v.v[i].base);
		b->n++;
	}
	for (size_t i = 0; i < g->bucket.n; i++)
		g->bucket_of[g->bucket.v[i].frame] = 0;
	return true;
}

static bool is_wide(const struct answer *a, uint64_t weight)
{
	return weight > 0 && weight >= a->least;
}

/* Moves wide buckets to the front, by weight; adds the rest to the cell's sum. */
static size_t part_buckets(struct growing *g, const struct answer *a, struct pv_flame_cell *up)
{
	size_t wide = 0, room = CELLS_MAX > a->cell.n ? CELLS_MAX - a->cell.n : 0;
	for (size_t i = 0; i < g->bucket.n; i++) {
		struct bucket b = g->bucket.v[i];
		if (!is_wide(a, b.weight))
			continue;
		g->bucket.v[i] = g->bucket.v[wide];
		g->bucket.v[wide++] = b;
	}
	if (wide > 0)
		qsort_r(g->bucket.v, wide, sizeof *g->bucket.v, heavier, g->w.t->frame.v);
	wide = wide < room ? wide : room;
	for (size_t i = wide; i < g->bucket.n; i++) {
		up->thin++;
		up->thin_weight = pv_flame_plus(up->thin_weight, g->bucket.v[i].weight);
	}
	return wide;
}

/* Puts the members of wide buckets into `next`, bucket by bucket. */
static bool keep_members(struct growing *g, const struct pv_flame_members *m, size_t wide)
{
	size_t at = g->next.v.n, n = 0;
	for (size_t i = 0; i < wide; i++) {
		n += g->bucket.v[i].n;
		g->bucket_of[g->bucket.v[i].frame] = (uint32_t)i + 1;
	}
	bool ok = pv_reserve(&g->next.v, n);
	size_t *to = calloc(wide ? wide : 1, sizeof *to);
	for (size_t i = 0; ok && to && i < wide; i++) {
		to[i] = at;
		at += g->bucket.v[i].n;
	}
	for (size_t i = 0; ok && to && i < m->v.n; i++) {
		uint32_t b = g->bucket_of[frame_at(g, &m->v.v[i])];
		if (b)
			g->next.v.v[to[b - 1]++] = m->v.v[i];
	}
	for (size_t i = 0; i < wide; i++)
		g->bucket_of[g->bucket.v[i].frame] = 0;
	g->next.v.n = at;
	ok = ok && to;
	free(to);
	return ok;
}

static struct pv_flame_cell cell_of(const struct growing *g, uint32_t frame, uint64_t weight)
{
	const struct pv_flame_frame *f = &g->w.t->frame.v[frame];
	return (struct pv_flame_cell){ .name = f->name,
		.key = f->key,
		.weight = weight,
		.everywhere = g->w.t->everywhere[frame],
		.places = g->w.t->places[frame],
		.kind = f->kind,
		.flags = f->flags,
		.parent = frame }; /* until the cell is placed */
}

static bool add_cells(struct growing *g, struct answer *a, size_t up, size_t wide)
{
	if (!pv_reserve(&a->cell, wide) || !pv_reserve(&a->ends, wide))
		return false;
	struct pv_flame_cell *top = &a->cell.v[up];
	uint64_t below = top->thin_weight;
	size_t end = g->next.v.n;
	for (size_t i = 0; i < wide; i++)
		end -= g->bucket.v[i].n;
	top->child = (uint32_t)a->cell.n;
	top->children = (uint32_t)wide;
	for (size_t i = 0; i < wide; i++) {
		struct pv_flame_cell c = cell_of(g, g->bucket.v[i].frame, g->bucket.v[i].weight);
		c.depth = (uint16_t)(top->depth + 1);
		c.base = g->bucket.v[i].base;
		end += g->bucket.v[i].n;
		below = pv_flame_plus(below, c.weight);
		a->cell.v[a->cell.n++] = c;
		a->ends.v[a->ends.n++] = end;
	}
	top->self = top->weight > below ? top->weight - below : 0;
	return true;
}

/* Grows the level of the cells from `from` to `to`. */
static bool grow_level(struct growing *g, struct answer *a, size_t from, size_t to)
{
	size_t first = 0;
	g->next.v.n = 0;
	for (size_t i = from; i < to; i++) {
		struct pv_flame_members of = { 0 }, below = { 0 };
		of.v.v = g->now.v.v + first;
		of.v.n = a->ends.v[i] - first;
		first = a->ends.v[i];
		bool ok = g->w.steps < STEPS_MAX;
		if (!ok)
			a->cell.v[i].flags |= PV_FLAME_MORE;
		else if (!pv_flame_open(&g->w, &of, &below) || !gather_buckets(g, &below))
			return pv_array_finish(&below.v), false;
		size_t wide = ok ? part_buckets(g, a, &a->cell.v[i]) : 0;
		ok = !ok || (keep_members(g, &below, wide) && add_cells(g, a, i, wide));
		pv_array_finish(&below.v);
		if (!ok)
			return false;
	}
	struct pv_flame_members was = g->now;
	g->now = g->next;
	g->next = was;
	return true;
}

static bool grow_levels(struct growing *g, struct answer *a)
{
	size_t from = 0;
	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		size_t to = a->cell.n;
		if (from == to)
			return true;
		if (!grow_level(g, a, from, to))
			return false;
		from = to;
	}
	for (; from < a->cell.n; from++)
		a->cell.v[from].flags |= PV_FLAME_MORE;
	return true;
}

/* --- order by name, names, marks */

static int by_shown_name(const void *a, const void *b)
{
	const struct pv_flame_cell *x = a, *y = b;
	int named = strcmp(x->shown, y->shown);
	return named ? named : x->child < y->child ? -1 : x->child > y->child;
}

static bool finish_cells(struct pv_flame_tree *t, struct answer *a, const struct pv_flame_wish *w,
	const uint8_t *hit)
{
	for (size_t i = 0; i < a->cell.n; i++) {
		struct pv_flame_cell *c = &a->cell.v[i];
		bool root = c->key == 0;
		const char *shown = root ? c->name : pv_flame_shown(&t->frame, c->parent);
		c->shown = pv_arena_copy(&a->f->arena, shown, strlen(shown));
		if (!c->shown)
			return false;
		if (hit && !root && hit[c->parent])
			c->flags |= PV_FLAME_HIT;
	}
	for (size_t i = 0; i < a->cell.n; i++) {
		struct pv_flame_cell *c = &a->cell.v[i];
		if (w->by_name && c->children > 1)
			qsort(c + (c->child - i), c->children, sizeof *c, by_shown_name);
		for (uint32_t k = 0; k < c->children; k++)
			a->cell.v[c->child + k].parent = (uint32_t)i;
	}
	if (a->cell.n)
		a->cell.v[0].parent = 0;
	return true;
}

static uint64_t weigh_hits(const struct pv_flame_shape *s, const uint8_t *hit)
{
	uint8_t *in = pv_flame_within(s, hit);
	uint64_t sum = 0;
	for (uint32_t i = 1; in && i < s->n; i++)
		if (hit[s->node[i].frame] && !in[s->node[i].parent])
			sum = pv_flame_plus(sum, s->node[i].total);
	free(in);
	return sum;
}

/* --- the answer */

/* Starts at the zoomed frame, or at the root if there is no such frame. */
static bool put_root(struct growing *g, struct answer *a, const struct pv_flame_path *zoom)
{
	static const struct pv_flame_path whole = { .way = PV_FLAME_DOWN };
	const struct pv_flame_path *p = zoom ? zoom : &whole;
	size_t found;
	if (!pv_flame_walk(&g->w, p, &g->now, &found))
		return false;
	a->f->lost = found < p->key.n;
	if (a->f->lost) {
		struct pv_flame_path top = { .way = p->way, .focus = p->focus };
		pv_array_finish(&g->now.v);
		if (!pv_flame_begin(&g->w, &top, &g->now))
			return false;
	}
	uint64_t sum = 0, base = 0;
	for (size_t i = 0; i < g->now.v.n; i++) {
		sum = pv_flame_plus(sum, g->now.v.v[i].weight);
		base = pv_flame_plus(base, g->now.v.v[i].base);
	}
	struct pv_flame_cell c = { .name = "all", .weight = sum, .everywhere = sum, .places = 1 };
	if (g->now.v.n && (p->focus || (found && !a->f->lost)))
		c = cell_of(g, frame_at(g, &g->now.v.v[0]), sum);
	c.base = base;
	if (!pv_reserve(&a->cell, 1) || !pv_reserve(&a->ends, 1))
		return false;
	a->cell.v[a->cell.n++] = c;
	a->ends.v[a->ends.n++] = g->now.v.n;
	a->least = a->parts ? sum / a->parts + (sum % a->parts != 0) : 1;
	return true;
}

static bool answer_wish(struct pv_flame_tree *t, const struct pv_flame_wish *w, struct answer *a)
{
	struct growing g = { .w = { .t = t, .s = &t->left } };
	g.bucket_of = calloc(t->frame.n ? t->frame.n : 1, sizeof *g.bucket_of);
	uint8_t *hit = w->find && w->find[0] ? pv_flame_match(&t->frame, w->find) : NULL;
	bool ok = g.bucket_of && put_root(&g, a, w->zoom);
	if (ok)
		g.w.steps = 0;
	ok = ok && grow_levels(&g, a) && finish_cells(t, a, w, hit);
	if (ok && hit)
		a->f->hits = weigh_hits(&t->left, hit);
	free(hit);
	free(g.bucket_of);
	pv_array_finish(&g.bucket);
	pv_array_finish(&g.now.v);
	pv_array_finish(&g.next.v);
	pv_array_finish(&a->ends);
	return ok;
}

struct pv_flame *pv_flame_ask(struct pv_flame_tree *t, const struct pv_flame_wish *w)
{
	struct answer a = { .f = calloc(1, sizeof *a.f), .parts = w->parts };
	if (!a.f || !pv_flame_prepare(t, w)) {
		free(a.f);
		return NULL;
	}
	a.f->all = t->whole.node[0].total;
	a.f->total = t->left.node[0].total;
	a.f->generation = t->generation;
	a.f->pair = t->scale > 0;
	a.f->scale = t->scale;
	a.f->grain = t->grain ? t->grain : 1;
	a.f->time_of = t->time_of;
	a.f->coverage = pv_arena_copy(&a.f->arena, t->coverage, strlen(t->coverage));
	bool ok = answer_wish(t, w, &a) && a.f->coverage;
	a.f->cell = a.cell.v;
	a.f->cells = a.cell.n;
	if (ok)
		return a.f;
	pv_flame_destroy(a.f);
	return NULL;
}

void pv_flame_destroy(struct pv_flame *f)
{
	if (!f)
		return;
	pv_arena_finish(&f->arena);
	free(f->cell);
	free(f);
}
