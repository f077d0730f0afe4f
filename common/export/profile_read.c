/* SPDX-License-Identifier: MIT */
/* Reads a model's stores into a profile. */
#include <stdlib.h>
#include <string.h>

#include "common/base/sample_period.h"
#include "common/export/frame_name.h"
#include "common/export/profile.h"
#include "common/export/profile_lines.h"
#include "common/model/model.h"
#include "common/model/names/names_find.h"
#include "common/query/groups/call_copy.h"
#include "common/query/groups/groups_kept.h"

#define UNMET UINT32_MAX

struct reading {
	struct pv_profile *p;
	const struct pv_model *m;
	unsigned thread;
	uint32_t *frame_of; /* by method; UNMET: none yet */
	uint32_t *class_of; /* by class use, likewise */
	uint32_t *
		node_of; /* by node of the copied call tree, or of the stacks as logical.h counts */
	uint32_t *node_of_place;   /* by node of the places; 0: of no known line */
	struct pv_logical logical; /* while stacks are added */
	struct pv_arena text;
	bool ok;
};

static uint32_t frame_of_method(struct reading *r, uint32_t method)
{
	const struct pv_names *n = &r->m->names;
	char hex[24];
	if (method >= n->method.n)
		method = 0;
	if (r->frame_of[method] == UNMET) {
		uint32_t id = method ? pv_names_resolved(n, method) : 0;
		const char *raw = id ? pv_names_method_text(n, id, hex) : "(other)";
		r->ok = r->ok && pv_export_frame(r->p, raw, &r->frame_of[method]);
	}
	return r->frame_of[method];
}

/*
 * The frame of a method that awaits, without a percent, which would keep recordings from matching.
 */
static uint32_t awaiting(struct reading *r, uint32_t method)
{
	char hex[24];
	const char *name =
		pv_names_method_text(&r->m->names, pv_names_resolved(&r->m->names, method), hex);
	char *text = pv_arena_printf(&r->text, "%s%s", name, PV_AWAITS_MARK);
	uint32_t frame = 0;
	r->ok = r->ok && text && pv_export_frame(r->p, text, &frame);
	return frame;
}

static uint32_t child(struct reading *r, uint32_t parent, uint32_t frame)
{
	uint32_t node = 0;
	r->ok = r->ok && pv_profile_child(r->p, parent, frame, &node);
	return node;
}

static uint32_t child_named(struct reading *r, uint32_t parent, const char *name)
{
	uint32_t frame = 0;
	r->ok = r->ok && pv_profile_frame(r->p, name, &frame);
	return child(r, parent, frame);
}

static void count_figures(struct reading *r, uint32_t node, unsigned group, uint64_t a, uint64_t b)
{
	r->ok = r->ok && pv_profile_count(r->p, node, r->thread, group, (uint64_t[]){ a, b });
}

/* --- calls and samples */

/* Figures as in views: running time only, or all (pv_profile.waits). */
static bool copy_calls(struct reading *r, struct pv_model *m, struct pv_call_copy *ret)
{
	char said[PV_TIME_TEXT];
	enum pv_time_of of;
	struct pv_groups g;
	const struct pv_query q = { .waits = r->p->waits, .physical = r->p->physical };
	bool ok = pv_groups_borrow(NULL, m, PV_GROUPED_METHODS, &g) && pv_call_copy(m, &g, &q, ret);
	if (ok && r->thread) /* as for all threads: a single thread may lack the facts */
		ret->waits |= r->p->all_count;
	ok = ok && pv_call_copy_ran(ret);
	pv_groups_finish(&g);
	if (!ok)
		return false;
	pv_call_copy_time(ret, false, true, &of, said, sizeof said);
	if (!r->thread)
		r->p->all_count = of == PV_TIME_WALL;
	return true;
}

static void count_samples(struct reading *r, uint32_t node, uint64_t n)
{
	uint64_t ns;
	if (__builtin_mul_overflow(n, r->p->period_ns, &ns))
		ns = UINT64_MAX;
	count_figures(r, node, PV_GROUP_OF_SAMPLES, n, ns);
}

/* Single samples, as far as the model has kept them. */
static void add_times(struct reading *r, const struct pv_call_copy *copy)
{
	const struct pv_sample_times *t = &r->m->sample_times;
	if (!r->ok || !pv_reserve(&r->p->sample, t->v.n)) {
		r->ok = false;
		return;
	}
	for (size_t i = 0; r->ok && i < t->v.n; i++) {
		const struct pv_sample_time *s = &t->v.v[i];
		if (!pv_call_copy_counts(copy, s->node))
			continue;
		uint32_t at = s->node < r->m->calls.node.n ? pv_call_counted_at(r->m, s->node) : 0;
		at = pv_call_copy_at(copy, at);
		uint32_t node = r->node_of_place[s->place];
		if (!node)
			node = at ? r->node_of[at] : child_named(r, r->p->under, "(no stack)");
		r->p->sample.v[r->p->sample.n++] = (struct pv_profile_sample){
			.time_ns = (int64_t)((uint64_t)s->time - (uint64_t)r->m->zero_ns),
			.id = s->thread,
			.node = node,
			.samples = s->samples,
			.thread = (uint16_t)r->thread
		};
	}
}

static bool count_line(void *ctx, uint32_t node, uint64_t samples)
{
	struct reading *r = ctx;
	count_samples(r, node, samples);
	return r->ok;
}

/* Nodes of the profile without lines; samples whose lines are not known. */
static void add_nodes(struct reading *r, const struct pv_call_copy *copy, const uint32_t *frame,
	const uint64_t *left)
{
	for (uint32_t i = 1; r->ok && i < copy->n; i++) {
		const uint32_t node = child(r, r->node_of[copy->parent[i]], frame[i]);
		const int64_t self_ns = copy->figures[i].self_ns;
		r->node_of[i] = node;
		if (i <= copy->awaiting)
			continue;
		count_samples(r, node, left[i]);
		count_figures(r, node, PV_GROUP_OF_CALLS,
			r->m->calls.node.v[i - copy->awaiting].calls,
			self_ns > 0 ? (uint64_t)self_ns : 0);
	}
}

static void add_figures(struct reading *r, struct pv_model *m, const struct pv_call_copy *copy)
{
	uint32_t *frames = calloc(copy->n + 1, sizeof *frames);
	uint64_t *left = calloc(copy->n + 1, sizeof *left);
	r->ok = r->ok && frames && left;
	for (uint32_t i = 1; r->ok && i < copy->n; i++) {
		const uint32_t awaiting_n = copy->awaiting;
		frames[i] = i <= awaiting_n
				    ? awaiting(r, copy->frame[i].method)
				    : frame_of_method(r, m->calls.node.v[i - awaiting_n].method);
		left[i] = copy->figures[i].samples;
	}
	const struct pv_profile_by_lines lines = { r->p, m, copy, frames, left, r->node_of_place,
		count_line, r };
	r->ok = r->ok && (r->p->lines == PV_LINES_NONE || pv_profile_by_lines(&lines));
	add_nodes(r, copy, frames, left);
	free(frames);
	free(left);
}

static void add_tree(struct reading *r, struct pv_model *m)
{
	const struct pv_calls *c = &r->m->calls;
	struct pv_call_copy copy = { 0 };
	r->ok = r->ok && copy_calls(r, m, &copy);
	r->node_of = calloc(copy.n + 1, sizeof *r->node_of);
	r->node_of_place = calloc(m->places.node.n + 1, sizeof *r->node_of_place);
	r->ok = r->ok && r->node_of && r->node_of_place;
	if (r->ok) {
		r->node_of[0] = r->p->under;
		add_figures(r, m, &copy);
	}
	if (r->ok && c->node.n && copy.figures[0].samples)
		count_samples(
			r, child_named(r, r->p->under, "(no stack)"), copy.figures[0].samples);
	add_times(r, &copy);
	pv_call_copy_finish(&copy);
	free(r->node_of);
	free(r->node_of_place);
	r->node_of = NULL;
}

/* --- figures by class and stack */

static uint32_t class(struct reading *r, uint32_t use)
{
	char hex[24];
	if (use >= r->m->names.class_use.n)
		use = 0;
	if (r->class_of[use] == UNMET) {
		const char *raw =
			use ? pv_names_class_text(&r->m->names, use, hex) : "(class not recorded)";
		r->ok = r->ok && pv_export_class(r->p, raw, &r->class_of[use]);
	}
	return r->class_of[use];
}

static uint32_t stack(struct reading *r, uint32_t id, bool other)
{
	const struct pv_stacks *s = &r->m->stacks;
	if (other)
		return child_named(r, r->p->under, "(other)");
	if (!id || id >= s->node.n)
		return child_named(r, r->p->under, "(no stack)");
	return r->node_of[pv_logical_at(&r->logical, id)];
}

static void add_alloc_site(struct reading *r, const struct pv_site *s, uint32_t use, unsigned group)
{
	if (s->count || s->amount)
		count_figures(r, child(r, stack(r, s->stack, s->other), class(r, use)), group,
			s->count, s->amount);
}

static void add_sites(struct reading *r, const struct pv_sites *s, unsigned group)
{
	for (size_t i = 1; r->ok && i < s->site.n; i++)
		add_alloc_site(r, &s->site.v[i], s->site.v[i].class_use, group);
}

/* Waits are kept by lock while the lock is known, with the lock's present class. */
static void add_waits(struct reading *r)
{
	const struct pv_locks *l = &r->m->locks;
	add_sites(r, &l->sites, PV_GROUP_OF_WAITS);
	for (size_t i = 1; r->ok && i < l->by_lock.site.n; i++) {
		const struct pv_site *s = &l->by_lock.site.v[i];
		add_alloc_site(r, s,
			s->class_use < l->lock.n ? l->lock.v[s->class_use].class_use : 0,
			PV_GROUP_OF_WAITS);
	}
}

static void add_stacks(struct reading *r, struct pv_model *m)
{
	const struct pv_stacks *s = &r->m->stacks;
	const struct pv_query q = { .physical = r->p->physical };
	r->ok = r->ok && pv_logical_stacks(m, &q, NULL, &r->logical);
	const struct pv_logical *l = &r->logical;
	const size_t n = s->node.n + l->awaiting;
	r->node_of = calloc(n + 1, sizeof *r->node_of);
	r->ok = r->ok && r->node_of;
	if (r->ok)
		r->node_of[0] = r->p->under;
	for (uint32_t i = 1; r->ok && i < n; i++) {
		const uint32_t method = pv_logical_method(l, s, i);
		r->node_of[i] = child(r, r->node_of[pv_logical_above(l, s, i)],
			i <= l->awaiting ? awaiting(r, method) : frame_of_method(r, method));
	}
	if (r->ok) {
		add_sites(r, &r->m->allocs.sites, PV_GROUP_OF_ALLOCS);
		add_sites(r, &r->m->throws.sites, PV_GROUP_OF_THROWS);
		add_waits(r);
	}
	pv_logical_finish(&r->logical);
	free(r->node_of);
	r->node_of = NULL;
}

/* --- the whole model */

static void find_period(struct pv_profile *p, const char *args)
{
	bool wall;
	uint64_t period_ns = pv_sample_period(args, &wall);
	if (!period_ns)
		return;
	p->period_ns = period_ns;
	p->wall = wall && (p->waits || p->all_count);
}

static unsigned recorded(const struct pv_model *m)
{
	unsigned groups = 0;
	groups |= m->calls.samples ? 1u << PV_GROUP_OF_SAMPLES : 0;
	groups |= m->calls.calls ? 1u << PV_GROUP_OF_CALLS : 0;
	groups |= m->allocs.count ? 1u << PV_GROUP_OF_ALLOCS : 0;
	groups |= m->locks.contentions ? 1u << PV_GROUP_OF_WAITS : 0;
	groups |= m->throws.thrown ? 1u << PV_GROUP_OF_THROWS : 0;
	return groups;
}

static bool begin_profile_read(struct reading *r)
{
	size_t methods = r->m->names.method.n + 1, classes = r->m->names.class_use.n + 1;
	r->frame_of = malloc(methods * sizeof *r->frame_of);
	r->class_of = malloc(classes * sizeof *r->class_of);
	if (!r->frame_of || !r->class_of)
		return false;
	memset(r->frame_of, 0xff, methods * sizeof *r->frame_of);
	memset(r->class_of, 0xff, classes * sizeof *r->class_of);
	return true;
}

static void finish_profile_read(struct reading *r)
{
	free(r->frame_of);
	free(r->class_of);
	pv_arena_finish(&r->text);
}

/* Places are the model's, and needed only while its stacks are added. */
static bool know_places(struct pv_profile *p, const struct pv_model *m)
{
	pv_name_places_finish(&p->places);
	p->places = (struct pv_name_places){ 0 };
	return !p->filter || !pv_name_places_wanted(p->filter) ||
	       pv_name_places_make(&p->places, m);
}

bool pv_profile_add(struct pv_profile *p, struct pv_model *m, unsigned thread)
{
	struct reading r = { .p = p, .m = m, .thread = thread };
	pv_model_lock(m);
	r.ok = begin_profile_read(&r) && know_places(p, m);
	if (r.ok) {
		p->groups |= recorded(m);
		find_period(p, m->target.args ? m->target.args : "");
		add_tree(&r, m);
		add_stacks(&r, m);
	}
	pv_model_unlock(m);
	finish_profile_read(&r);
	return r.ok;
}

/* Classes of a shot take the place of functions: there are no stacks. */
static void add_shot(struct reading *r, const struct pv_shot *shot)
{
	r->p->groups |= 1u << PV_GROUP_OF_HEAP;
	for (size_t i = 0; r->ok && i < shot->classes.n; i++) {
		const struct pv_shot_class *c = &shot->classes.v[i];
		count_figures(r, child(r, 0, class(r, c->class_use) & ~PV_FRAME_CLASS),
			PV_GROUP_OF_HEAP, c->objects, c->bytes);
	}
}

bool pv_profile_add_shot(struct pv_profile *p, struct pv_model *m, uint32_t shot)
{
	struct reading r = { .p = p, .m = m };
	pv_model_lock(m);
	r.ok = begin_profile_read(&r) && know_places(p, m);
	for (size_t i = 0; r.ok && i < m->shots.shot.n; i++)
		if (m->shots.shot.v[i].index == shot)
			add_shot(&r, &m->shots.shot.v[i]);
	pv_model_unlock(m);
	finish_profile_read(&r);
	return r.ok;
}
