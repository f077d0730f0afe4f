/* SPDX-License-Identifier: MIT */
/* Copies a model's stores into one tree of frames with own weights. */
#include <stdlib.h>
#include <string.h>

#include "common/model/model.h"
#include "common/model/identity/identity.h"
#include "common/model/time/window.h"
#include "common/query/groups/code_kind.h"
#include "common/query/coverage/coverage.h"
#include "common/query/flame/flame_parts.h"
#include "common/query/groups/identity_line.h"

struct copied {
	struct pv_call_copy copy;
	uint64_t *self; /* by node of the copy */
};

/* --- frames: methods, then classes, then frames made here */

static uint64_t frame_key_of(const char *name, uint8_t flags)
{
	uint64_t h = flags + UINT64_C(0xcbf29ce484222325);
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return h ? h : 1;
}

static bool put_flame_frame(
	struct pv_flame_frames *f, const struct pv_group_row *row, uint8_t kind, uint8_t flags)
{
	const char *name = row->name;
	if (!name)
		name = pv_arena_printf(&f->arena, "0x%llx", (unsigned long long)row->key);
	if (!name)
		return false;
	f->v[f->n++] = (struct pv_flame_frame){
		.name = name, .key = frame_key_of(name, flags), .kind = kind, .flags = flags
	};
	return true;
}

static bool make_frames(struct pv_model *m, const struct pv_query *q, struct pv_flame_frames *f)
{
	static const struct pv_group_row own[PV_FLAME_OWN_FRAMES] = {
		[PV_FLAME_NO_STACK] = { .name = "(no stack)" },
		[PV_FLAME_OTHER] = { .name = "(other)" },
		[PV_FLAME_OLDER] = { .name = "(no allocation recorded)" },
	};
	if (!pv_groups_borrow(q->groups, m, PV_GROUPED_METHODS, &f->methods) ||
		!pv_groups_borrow(q->groups, m, PV_GROUPED_CLASSES, &f->classes))
		return false;
	const uint8_t *kind = pv_groups_kinds(&f->methods, m);
	size_t n = f->methods.row.n + f->classes.row.n + PV_FLAME_OWN_FRAMES;
	f->v = n < UINT32_MAX ? calloc(n, sizeof *f->v) : NULL;
	bool ok = kind && f->v;
	for (size_t i = 0; ok && i < f->methods.row.n; i++)
		ok = put_flame_frame(f, &f->methods.row.v[i], kind[i], 0);
	for (size_t i = 0; ok && i < f->classes.row.n; i++)
		ok = put_flame_frame(f, &f->classes.row.v[i], PV_CODE_UNKNOWN, PV_FLAME_CLASS);
	f->own = f->n;
	for (size_t i = 0; ok && i < PV_FLAME_OWN_FRAMES; i++)
		ok = put_flame_frame(f, &own[i], PV_CODE_UNKNOWN, 0);
	return ok;
}

/*
 * The frame of a method that awaits, or was resumed below a usual awaiter. UINT32_MAX: out of
 * memory.
 */
static uint32_t put_part(
	struct pv_flame_frames *f, uint32_t method, enum pv_logical_part part, uint8_t usual)
{
	const struct pv_flame_frame *called = &f->v[method];
	const char *mark = part == PV_PART_AWAITS ? PV_AWAITS_MARK : PV_USUAL_MARK;
	const char *name = pv_arena_printf(&f->arena, "%s%s", called->name, mark);
	struct pv_flame_frame *more =
		name ? realloc(f->v, (f->n + (size_t)1) * sizeof *f->v) : NULL;
	if (!more)
		return UINT32_MAX;
	f->v = more;
	f->v[f->n] = (struct pv_flame_frame){ .name = name,
		.key = frame_key_of(name, 0),
		.kind = f->v[method].kind,
		.usual = usual };
	return f->n++;
}

/* After folding: gives each part of a method in stacks a frame of its own. */
static bool mark_parts(struct pv_flame_frames *f, struct pv_call_copy *c)
{
	const size_t methods = f->methods.row.n;
	uint32_t *of = c->usual ? calloc(methods * PV_PARTS, sizeof *of) : NULL;
	bool ok = of || !c->usual;
	for (uint32_t i = 1; of && ok && i < c->n; i++) {
		const enum pv_logical_part part = pv_call_copy_part(c, i);
		if (part == PV_PART_CALLED || c->group[i] >= methods)
			continue;
		uint32_t *frame = &of[(size_t)c->group[i] * PV_PARTS + part];
		if (!*frame)
			*frame = put_part(f, c->group[i], part, pv_call_copy_usual(c, i));
		ok = *frame != UINT32_MAX;
		c->group[i] = *frame;
	}
	free(of);
	return ok;
}

static uint32_t own_frame(const struct pv_flame_frames *f, uint32_t which)
{
	return f->own + which;
}

/* --- sites: the stacks as a call tree, with a leaf for each site's class */

struct site {
	uint32_t class_use, stack;
	bool other, older; /* several sites summed up; allocation not recorded */
	uint64_t weight;
};

enum { NO_CLASS = UINT32_MAX }; /* the weight is the innermost frame's own */

struct sites {
	PV_ARRAY(struct site) v;
};

static bool add_weighed_site(
	struct sites *to, const struct pv_site *s, uint32_t class_use, uint64_t weight)
{
	if (!weight)
		return true;
	if (!pv_reserve(&to->v, 1))
		return false;
	to->v.v[to->v.n++] = (struct site){
		.class_use = class_use, .stack = s->stack, .other = s->other, .weight = weight
	};
	return true;
}

static bool add_sites(struct sites *to, const struct pv_sites *from, bool amounts)
{
	bool ok = true;
	for (size_t i = 1; ok && i < from->site.n; i++) {
		const struct pv_site *s = &from->site.v[i];
		ok = add_weighed_site(to, s, s->class_use, amounts ? s->amount : s->count);
	}
	return ok;
}

static bool add_window(struct sites *to, const struct pv_model *m, uint64_t window_ns, bool amounts)
{
	struct pv_window_sums w = { 0 };
	bool ok = pv_window_sum(m, window_ns, &w);
	for (size_t i = 0; ok && i < w.sites.n; i++) {
		const struct pv_site *s = &m->allocs.sites.site.v[w.sites.v[i].site];
		ok = add_weighed_site(
			to, s, s->class_use, amounts ? w.sites.v[i].bytes : w.sites.v[i].count);
	}
	pv_window_sums_finish(&w);
	return ok;
}

/* Held memory has no class. */
static bool add_held(struct sites *to, const struct pv_held *h)
{
	bool ok = true;
	for (size_t i = 1; ok && i < h->one.n; i++) {
		const struct pv_site s = { .stack = h->one.v[i].stack };
		ok = add_weighed_site(to, &s, NO_CLASS, h->one.v[i].live_bytes);
	}
	return ok;
}

/* Waits are kept by lock while the lock is known, with the lock's present class. */
static bool add_waits(struct sites *to, const struct pv_locks *l, bool amounts)
{
	bool ok = add_sites(to, &l->sites, amounts);
	for (size_t i = 1; ok && i < l->by_lock.site.n; i++) {
		const struct pv_site *s = &l->by_lock.site.v[i];
		uint32_t class = s->class_use < l->lock.n ? l->lock.v[s->class_use].class_use : 0;
		ok = add_weighed_site(to, s, class, amounts ? s->amount : s->count);
	}
	return ok;
}

/* Objects of the shot by allocation stack. */
static bool add_live(struct sites *to, const struct pv_identity *l)
{
	bool ok = true;
	for (size_t i = 0; l && ok && i < l->row.n; i++) {
		const struct pv_life_site *from = &l->site.v[l->row.v[i].site];
		const struct pv_site s = { .stack = from->stack };
		size_t before = to->v.n;
		ok = add_weighed_site(to, &s, from->class_use, l->row.v[i].shot_bytes);
		if (to->v.n > before)
			to->v.v[before].older = !from->allocated;
	}
	return ok;
}

static bool find_sites(const struct pv_model *m, enum pv_flame_measure measure,
	const struct pv_query *q, struct sites *ret)
{
	bool amounts = measure == PV_FLAME_BYTES || measure == PV_FLAME_WAIT;
	switch (measure) {
	case PV_FLAME_BYTES:
	case PV_FLAME_OBJECTS:
		return q->window_ns ? add_window(ret, m, q->window_ns, amounts)
				    : add_sites(ret, &m->allocs.sites, amounts);
	case PV_FLAME_HELD:
		return add_held(ret, &m->held);
	case PV_FLAME_LIVE:
		return add_live(ret, q->identity);
	case PV_FLAME_WAIT:
	case PV_FLAME_CONTENTIONS:
		return add_waits(ret, &m->locks, amounts);
	default:
		return add_sites(ret, &m->throws.sites, amounts);
	}
}

static bool make_flame_room(struct pv_call_copy *c, size_t n, bool turned)
{
	c->n = n;
	c->parent = calloc(n, sizeof *c->parent);
	c->group = calloc(n, sizeof *c->group);
	c->figures = calloc(n, sizeof *c->figures);
	c->usual = turned ? calloc(n, sizeof *c->usual) : NULL;
	return c->parent && c->group && c->figures && (c->usual || !turned) && n <= UINT32_MAX;
}

/* The stacks, after awaiting frames. */
static void put_stacks(const struct pv_model *m, const struct pv_logical *l,
	const struct pv_flame_frames *f, struct pv_call_copy *c)
{
	const struct pv_stacks *s = &m->stacks;
	c->awaiting = l->awaiting;
	for (uint32_t i = 1; i <= l->awaiting; i++) {
		c->parent[i] = l->frame[i].parent;
		c->group[i] = pv_group_of(&f->methods, l->frame[i].method);
		c->usual[i] = l->frame[i].percent;
	}
	for (uint32_t i = 1; i < s->node.n; i++) {
		const struct pv_stack_node *n = &s->node.v[i];
		const uint32_t at = pv_logical_at(l, i);
		c->parent[at] = pv_logical_caller(l, i, n->parent);
		c->group[at] = pv_group_of(&f->methods, n->method);
		if (c->usual)
			c->usual[at] = l->percent[i];
	}
}

/* After the stacks come nodes for sites without an own stack, then the leaves. */
static bool tree_of(const struct pv_model *m, const struct pv_logical *l, const struct sites *sites,
	const struct pv_flame_frames *f, struct copied *c)
{
	const struct pv_stacks *s = &m->stacks;
	uint32_t stacks = (s->node.n ? (uint32_t)s->node.n : 1) + l->awaiting;
	size_t n = (size_t)stacks + PV_FLAME_OWN_FRAMES + sites->v.n;
	c->self = calloc(n, sizeof *c->self);
	if (!make_flame_room(&c->copy, n, l->caller != NULL) || !c->self)
		return false;
	put_stacks(m, l, f, &c->copy);
	for (uint32_t i = 0; i < PV_FLAME_OWN_FRAMES; i++)
		c->copy.group[stacks + i] = own_frame(f, i);
	for (size_t i = 0; i < sites->v.n; i++) {
		const struct site *from = &sites->v.v[i];
		size_t at = stacks + PV_FLAME_OWN_FRAMES + i;
		bool known = from->stack && from->stack < s->node.n && !from->other;
		c->copy.parent[at] = known         ? pv_logical_at(l, from->stack)
				     : from->other ? stacks + PV_FLAME_OTHER
				     : from->older ? stacks + PV_FLAME_OLDER
						   : stacks + PV_FLAME_NO_STACK;
		bool leaf = from->class_use != NO_CLASS;
		c->copy.group[at] = (uint32_t)f->methods.row.n +
				    pv_group_of(&f->classes, leaf ? from->class_use : 0);
		c->self[leaf ? at : c->copy.parent[at]] += from->weight;
	}
	return true;
}

/* With `my_code`: folds as pv_call_copy_fold(); classes and frames made here stay. */
static bool fold_sites(struct copied *c, const struct pv_flame_frames *f)
{
	uint8_t *kind = malloc(f->n);
	if (!kind)
		return false;
	for (uint32_t i = 0; i < f->n; i++)
		kind[i] = f->v[i].kind;
	c->copy.kind = kind;
	pv_call_copy_fold(&c->copy);
	c->copy.kind = NULL;
	free(kind);
	return true;
}

static bool copy_measured_sites(struct pv_model *m, enum pv_flame_measure measure,
	const struct pv_query *q, const struct pv_flame_frames *f, struct copied *ret)
{
	struct sites sites = { 0 };
	struct pv_logical logical;
	bool ok = pv_logical_stacks(m, q, &f->methods, &logical) &&
		  find_sites(m, measure, q, &sites) && tree_of(m, &logical, &sites, f, ret);
	pv_array_finish(&sites.v);
	pv_logical_finish(&logical);
	return ok && (!q->my_code || fold_sites(ret, f));
}

/* --- calls and samples */

static bool copy_calls(struct pv_model *m, const struct pv_query *q,
	const struct pv_flame_frames *f, struct pv_call_copy *c)
{
	if (!pv_call_copy(m, &f->methods, q, c))
		return false;
	pv_call_copy_net(c, q->net ? pv_call_pair_ns(m) : 0);
	if (!pv_call_copy_ran(c))
		return false;
	pv_call_copy_fold(c);
	return true;
}

static bool weigh(struct copied *c, bool samples)
{
	c->self = calloc(c->copy.n, sizeof *c->self);
	for (size_t i = 0; c->self && i < c->copy.n; i++) {
		const struct pv_call_figures *g = &c->copy.figures[i];
		c->self[i] = samples ? g->samples : g->self_ns > 0 ? (uint64_t)g->self_ns : 0;
	}
	return c->self != NULL;
}

/* Links children in ascending order. */
static bool link_all(struct pv_call_copy *c)
{
	if (!c->first_child)
		c->first_child = calloc(c->n, sizeof *c->first_child);
	if (!c->next_sibling)
		c->next_sibling = calloc(c->n, sizeof *c->next_sibling);
	for (size_t i = c->n; c->first_child && c->next_sibling && i-- > 1;) {
		uint32_t p = c->parent[i];
		c->next_sibling[i] = c->first_child[p];
		c->first_child[p] = (uint32_t)i;
	}
	return c->first_child && c->next_sibling;
}

static bool copy_model(struct pv_model *m, enum pv_flame_measure measure, const struct pv_query *q,
	struct pv_flame_frames *f, struct copied *ret)
{
	bool samples = measure == PV_FLAME_SAMPLES;
	bool calls = samples || measure == PV_FLAME_TIME;
	*ret = (struct copied){ 0 };
	if (!make_frames(m, q, f))
		return false;
	if (calls ? !copy_calls(m, q, f, &ret->copy) || !weigh(ret, samples)
		  : !copy_measured_sites(m, measure, q, f, ret))
		return false;
	if (!mark_parts(f, &ret->copy))
		return false;
	free(ret->copy.figures);
	ret->copy.figures = NULL;
	return link_all(&ret->copy);
}

/* --- the tree */

static bool take_shape(struct pv_flame_tree *t, enum pv_flame_measure m, struct copied *copied)
{
	struct pv_flame_source from = { .copy = &copied->copy,
		.self = copied->self,
		.root_frame = t->frame.own + PV_FLAME_NO_STACK };
	char text[PV_TIME_TEXT];
	bool times = m == PV_FLAME_TIME, samples = m == PV_FLAME_SAMPLES;
	if (!pv_flame_shape_make(&from, &t->frame, &t->whole))
		return false;
	copied->copy.self_ns = (int64_t)t->whole.node[0].total;
	if (pv_call_copy_time(&copied->copy, times, samples, &t->time_of, text, sizeof text))
		t->coverage = pv_arena_printf(&t->frame.arena, "%s; %s", t->coverage, text);
	return t->coverage != NULL;
}

struct pv_flame_tree *pv_flame_tree_make(
	struct pv_model *m, enum pv_flame_measure which, const struct pv_query *q)
{
	char line[PV_COVERAGE_LINE] = "";
	struct pv_flame_tree *t = calloc(1, sizeof *t);
	struct copied copied = { 0 };
	struct pv_query query = *q;
	if (!t)
		return NULL;
	t->refs = 1;
	t->model = m;
	t->frame.readable = q->readable;
	if (!pv_flame_windowed(which))
		query.window_ns = 0;
	pv_model_lock(m);
	t->generation = pv_model_generation(m);
	pv_groups_prepare(q->groups, m);
	if (which == PV_FLAME_LIVE)
		pv_identity_text(q->identity, line, sizeof line);
	else
		pv_coverage_line(m, q->groups, pv_flame_view(which), line, sizeof line);
	bool ok = copy_model(m, which, &query, &t->frame, &copied);
	pv_model_unlock(m);
	t->coverage = pv_arena_copy(&t->frame.arena, line, strlen(line));
	ok = ok && t->coverage && take_shape(t, which, &copied);
	pv_call_copy_finish(&copied.copy);
	free(copied.self);
	if (ok)
		return t;
	pv_flame_tree_drop(t);
	return NULL;
}
