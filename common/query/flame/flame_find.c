/* SPDX-License-Identifier: MIT */
/* Readable names of frames, and the part of the tree left by a wish. */
#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"
#include "common/query/groups/code_kind.h"
#include "common/query/flame/flame_parts.h"

static const struct pv_column method_column = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_METHOD };
static const struct pv_column class_column = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_CLASS };

/* "X [usual]" as "X [usual, 98 %]", "X [awaits]" as "X [awaits; usual, 98 %]". */
static char *with_percent(struct pv_flame_frames *f, const char *text, uint8_t percent)
{
	const size_t len = strlen(text), mark = strlen(PV_AWAITS_MARK);
	const bool awaits = len > mark && strcmp(text + len - mark, PV_AWAITS_MARK) == 0;
	return pv_arena_printf(&f->arena, "%.*s%s, %u %%]", (int)(len - 1), text,
		awaits ? "; usual" : "", percent);
}

const char *pv_flame_shown(struct pv_flame_frames *f, uint32_t frame)
{
	struct pv_flame_frame *v = &f->v[frame];
	char room[PV_READABLE_MAX];
	if (v->shown)
		return v->shown;
	v->shown = v->name;
	if (!f->readable && !v->usual)
		return v->shown;
	const struct pv_column *column = v->flags & PV_FLAME_CLASS ? &class_column : &method_column;
	const char *text = v->name;
	if (f->readable)
		text = pv_readable_text(column, v->name, PV_NAME_READABLE, room);
	char *copy = v->usual          ? with_percent(f, text, v->usual)
		     : text == v->name ? NULL
				       : pv_arena_copy(&f->arena, text, strlen(text));
	if (copy)
		v->shown = copy;
	return v->shown;
}

uint8_t *pv_flame_match(struct pv_flame_frames *f, const char *text)
{
	uint8_t *hit = calloc(f->n ? f->n : 1, 1);
	for (uint32_t i = 0; hit && i < f->n; i++)
		hit[i] = pv_text_has(f->v[i].name, text) || pv_text_has(pv_flame_shown(f, i), text);
	return hit;
}

/* --- leaving out */

/* Marks the nodes of members: UP from the leaves just these, else all nodes below, too. */
static void mark(const struct pv_flame_shape *s, const struct pv_flame_path *p,
	const struct pv_flame_members *m, uint8_t *in)
{
	bool leaves = p->way == PV_FLAME_UP && !p->focus;
	memset(in, 0, s->n);
	for (size_t i = 0; i < m->v.n; i++)
		in[m->v.v[i].origin] = 1;
	for (uint32_t i = 1; !leaves && i < s->n; i++)
		in[i] |= in[s->node[i].parent];
}

static bool cut_from_shape(const struct pv_flame_tree *t, const struct pv_flame_shape *s,
	const struct pv_flame_cut *c, uint64_t *self)
{
	struct pv_flame_walk walk = { .t = t, .s = s };
	struct pv_flame_members m = { 0 };
	size_t found;
	uint8_t *in = malloc(s->n);
	bool ok = in && pv_flame_walk(&walk, &c->at, &m, &found);
	if (ok && found == c->at.key.n) {
		mark(s, &c->at, &m, in);
		for (uint32_t i = 0; i < s->n; i++)
			if (in[i] != c->keep)
				self[i] = 0;
	}
	pv_array_finish(&m.v);
	free(in);
	return ok;
}

/* Finds the origins of code, if a filter asks. */
static bool know_places(struct pv_flame_tree *t, const struct pv_filter *f)
{
	if (t->has_origins || !pv_name_places_wanted(f))
		return true;
	pv_model_lock(t->model);
	t->has_origins = pv_name_places_make(&t->origins, t->model);
	pv_model_unlock(t->model);
	return t->has_origins;
}

/*
 * A path passes as a row with the frames as texts: a term holds if any frame has the text, "site:"
 * for the last frame only.
 */
static bool keep_passing(struct pv_flame_tree *t, const struct pv_flame_shape *s,
	const struct pv_filter *f, uint64_t *self)
{
	uint64_t own = pv_filter_bits_of(f, PV_FILTER_SITE);
	uint64_t *frame = calloc(t->frame.n ? t->frame.n : 1, sizeof *frame);
	uint64_t *on_way = calloc(s->n ? s->n : 1, sizeof *on_way);
	bool ok = frame && on_way && know_places(t, f);
	for (uint32_t i = 0; ok && i < t->frame.n; i++) {
		const struct pv_flame_frame *v = &t->frame.v[i];
		frame[i] = pv_name_bits(f,
			v->flags & PV_FLAME_CLASS ? &class_column : &method_column, v->name,
			pv_code_kind_text((enum pv_code_kind)v->kind), &t->origins);
	}
	for (uint32_t i = 0; ok && i < s->n; i++) {
		if (i)
			on_way[i] = (on_way[s->node[i].parent] & ~own) | frame[s->node[i].frame];
		if (!pv_filter_passes_bits(f, on_way[i]))
			self[i] = 0;
	}
	free(frame);
	free(on_way);
	return ok;
}

/* Nothing passes an invalid filter. */
static bool filter(
	struct pv_flame_tree *t, const struct pv_flame_shape *s, const char *text, uint64_t *self)
{
	struct pv_filter_error wrong;
	struct pv_filter *f = pv_filter_make(text, PV_FILTER_CAPITALS, NULL, 0, &wrong);
	if (!f && !wrong.no_memory)
		memset(self, 0, s->n * sizeof *self);
	bool ok = f ? keep_passing(t, s, f, self) : !wrong.no_memory;
	pv_filter_free(f);
	return ok;
}

static bool is_given_text(const char *text)
{
	return text && text[0];
}

/*
 * The tree with chains of frames that call themselves folded; *ret is the tree's own if unchanged.
 */
static bool folded(
	const struct pv_flame_tree *t, bool fold, struct pv_flame_shape *room, uint64_t **ret_self)
{
	const struct pv_flame_shape *s = &t->whole;
	uint64_t *self = malloc(s->n * sizeof *self);
	for (uint32_t i = 0; self && i < s->n; i++)
		self[i] = s->node[i].self;
	*ret_self = self;
	if (!self || !fold)
		return self != NULL;
	uint64_t *base = s->base ? calloc(s->n, sizeof *base) : NULL;
	for (uint32_t i = 0; base && i < s->n; i++)
		base[i] = s->base[i].self;
	struct pv_flame_source from = { .of = s, .self = self, .base = base, .fold = true };
	bool ok = (base || !s->base) && pv_flame_shape_make(&from, &t->frame, room);
	free(base);
	if (!ok)
		return false;
	for (uint32_t i = 0; i < room->n; i++)
		self[i] = room->node[i].self;
	return true;
}

/* --- by frame, over all places */

struct tally {
	const struct pv_flame_shape *s;
	uint32_t *on; /* by frame: how often on the way */
	uint64_t *everywhere;
	uint32_t *places;
};

static void enter_tally(struct tally *y, uint32_t node)
{
	const struct pv_flame_node *n = &y->s->node[node];
	y->places[n->frame]++;
	if (y->on[n->frame]++ == 0)
		y->everywhere[n->frame] = pv_flame_plus(y->everywhere[n->frame], n->total);
}

static void tally_all(struct tally *y)
{
	const struct pv_flame_node *v = y->s->node;
	uint32_t at = v[0].children ? v[0].child : 0;
	while (at) {
		enter_tally(y, at);
		if (v[at].children) {
			at = v[at].child;
			continue;
		}
		while (at) {
			const struct pv_flame_node *up = &v[v[at].parent];
			y->on[v[at].frame]--;
			if (at + 1 < up->child + up->children) {
				at++;
				break;
			}
			at = v[at].parent;
		}
	}
}

static bool tally(struct pv_flame_tree *t)
{
	uint32_t n = t->frame.n ? t->frame.n : 1;
	struct tally y = { .s = &t->left, .on = calloc(n, sizeof *y.on) };
	y.everywhere = t->everywhere = calloc(n, sizeof *y.everywhere);
	y.places = t->places = calloc(n, sizeof *y.places);
	bool ok = y.on && y.everywhere && y.places;
	if (ok)
		tally_all(&y);
	free(y.on);
	return ok;
}

/* --- kept for the next wish */

static uint64_t hash_cuts(const struct pv_flame_wish *w)
{
	uint64_t h = w->cuts;
	for (size_t i = 0; i < w->cuts; i++) {
		const struct pv_flame_path *p = &w->cut[i].at;
		h = pv_hash(h + w->cut[i].keep + 2 * (uint64_t)p->way) ^ p->focus;
		for (size_t k = 0; k < p->key.n; k++)
			h = pv_hash(h ^ p->key.v[k]);
	}
	return h;
}

void pv_flame_forget(struct pv_flame_tree *t)
{
	if (!t->left_all) {
		free(t->left.node);
		free(t->left.base);
	}
	free(t->everywhere);
	free(t->places);
	free(t->left_filter);
	t->left = (struct pv_flame_shape){ 0 };
	t->everywhere = NULL;
	t->places = NULL;
	t->left_filter = NULL;
	t->left_made = t->left_all = false;
}

bool pv_flame_prepare(struct pv_flame_tree *t, const struct pv_flame_wish *w)
{
	uint64_t cuts = hash_cuts(w), *self = NULL;
	const char *text = is_given_text(w->filter) ? w->filter : "";
	if (t->left_made && t->left_fold == w->fold && t->left_cuts == cuts &&
		strcmp(t->left_filter, text) == 0)
		return true;
	pv_flame_forget(t);
	struct pv_flame_shape room = { 0 };
	bool ok = folded(t, w->fold, &room, &self);
	const struct pv_flame_shape *s = room.node ? &room : &t->whole;
	for (size_t i = 0; ok && i < w->cuts; i++)
		ok = cut_from_shape(t, s, &w->cut[i], self);
	ok = ok && (!text[0] || filter(t, s, text, self));
	t->left_all = !w->fold && !w->cuts && !text[0];
	if (t->left_all)
		t->left = t->whole;
	ok = ok && (t->left_all || pv_flame_shape_less(s, self, &t->left)) && tally(t);
	free(room.node);
	free(room.base);
	free(self);
	t->left_fold = w->fold;
	t->left_cuts = cuts;
	t->left_filter = strdup(text);
	t->left_made = ok && t->left_filter;
	return t->left_made;
}
