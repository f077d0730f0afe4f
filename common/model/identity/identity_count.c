/* SPDX-License-Identifier: MIT */
/* Sums the open shot up by site and cohort, and judges how sure each identity is. */
#include <stdlib.h>

#include "common/model/identity/identity_parts.h"

/* --- doubts */

void pv_identity_doubt(const struct pv_identity *l, struct pv_life_slot *s)
{
	const struct pv_identity_options *o = &l->options;
	bool before = s->seen != PV_IDENTITY_NO_SHOT, allocated = l->site.v[s->site].allocated;
	bool collected = l->collections > l->listed_at;
	bool doubt;
	if (!before) /* the allocation of a new object would be known */
		doubt = !o->by_address && o->allocs && !allocated && l->last != PV_IDENTITY_NO_SHOT;
	else if (o->by_address || !o->moves)
		doubt = collected;
	else
		doubt = collected && !o->allocs && !(s->flags & PV_LIFE_MOVED);
	if (doubt)
		s->flags |= PV_LIFE_DOUBT;
}

/* --- rows */

static struct pv_life_row *row(struct pv_identity *l, uint32_t site, uint32_t cohort)
{
	uint64_t key = (uint64_t)site << 16 | cohort;
	uint32_t at = pv_map_get(&l->row_of, key);
	if (at == PV_MAP_NONE) {
		at = (uint32_t)l->row.n;
		if (!pv_reserve(&l->row, 1) || !pv_map_set(&l->row_of, key, at))
			return NULL;
		l->row.v[l->row.n++] = (struct pv_life_row){ .site = site,
			.cohort = cohort,
			.allocated_from_ns = INT64_MAX,
			.allocated_to_ns = INT64_MIN };
	}
	return &l->row.v[at];
}

bool pv_identity_allocated_after(
	struct pv_identity *l, uint32_t life, uint32_t site, int64_t allocated_ns)
{
	struct pv_life_slot *s = &l->life.v[life];
	if (s->flags & PV_LIFE_BASE) {
		struct pv_life_row *to = row(l, site, s->cohort);
		struct pv_life_row *from = to ? row(l, s->site, s->cohort) : NULL;
		if (!from)
			return false;
		to = row(l, site, s->cohort);
		from->base_objects--;
		from->base_bytes -= s->base_size;
		to->base_objects++;
		to->base_bytes += s->base_size;
	}
	s->site = site;
	s->allocated_ns = allocated_ns;
	s->flags &= (uint16_t)~PV_LIFE_DOUBT;
	return true;
}

static bool count_cell(struct pv_identity *l, const struct pv_life_slot *s, uint32_t step)
{
	uint32_t class_use = l->site.v[s->site].class_use;
	uint64_t key = (uint64_t)class_use << 16 | s->cohort;
	uint32_t at = pv_map_get(&l->cell_of, key);
	if (at == PV_MAP_NONE && l->cell.n >= PV_IDENTITY_CELLS) {
		l->cut = true;
		return true;
	}
	if (at == PV_MAP_NONE) {
		at = (uint32_t)l->cell.n;
		if (!pv_reserve(&l->cell, 1) || !pv_map_set(&l->cell_of, key, at))
			return false;
		l->cell.v[l->cell.n++] = (struct pv_life_cell){
			.class_use = class_use, .cohort = s->cohort, .step = (uint16_t)step
		};
	}
	l->cell.v[at].objects++;
	l->cell.v[at].bytes += s->size;
	return true;
}

static bool count_base(struct pv_identity *l, struct pv_life_slot *s, uint64_t address)
{
	struct pv_life_row *r = row(l, s->site, s->cohort);
	if (!r)
		return false;
	r->base_objects++;
	r->base_bytes += s->size;
	s->base_address = address;
	s->base_size = s->size;
	s->flags = (uint16_t)((s->flags | PV_LIFE_BASE) & ~PV_LIFE_DOUBT);
	l->of++;
	return true;
}

static bool count_shot(struct pv_identity *l, const struct pv_life_slot *s, uint64_t address)
{
	bool allocated = l->site.v[s->site].allocated;
	uint32_t age = (uint32_t)l->collections - s->allocated_at;
	struct pv_life_row *r = row(l, s->site, s->cohort);
	if (!r || !pv_reserve(&l->object, 1))
		return false;
	r->shot_objects++;
	r->shot_bytes += s->size;
	r->kept_bytes += s->flags & PV_LIFE_BASE ? s->base_size : 0;
	if (s->flags & PV_LIFE_DOUBT) {
		r->uncertain++;
		l->uncertain++;
	}
	if (allocated) {
		r->aged++;
		r->collections += age;
		r->allocated_from_ns = s->allocated_ns < r->allocated_from_ns
					       ? s->allocated_ns
					       : r->allocated_from_ns;
		r->allocated_to_ns =
			s->allocated_ns > r->allocated_to_ns ? s->allocated_ns : r->allocated_to_ns;
	}
	l->no_allocation += !allocated && (l->options.allocs || l->options.sampled);
	l->of += !(s->flags & PV_LIFE_BASE);
	l->object.v[l->object.n++] = (struct pv_life_object){ .address = address,
		.base_address = s->flags & PV_LIFE_BASE ? s->base_address : 0,
		.allocated_ns = s->allocated_ns,
		.row = (uint32_t)(r - l->row.v),
		.collections = age };
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct pv_life_object *x = a, *y = b;
	return (x->address > y->address) - (x->address < y->address);
}

/* True if the open shot is a rung. */
static bool is_step(struct pv_identity *l)
{
	const struct pv_identity_options *o = &l->options;
	while (l->next_step < o->n_steps && o->steps[l->next_step] < l->open)
		l->next_step++;
	return l->next_step < o->n_steps && o->steps[l->next_step] == l->open;
}

bool pv_identity_count(struct pv_identity *l)
{
	bool base = l->open == l->options.base, shot = l->open == l->options.shot, ok = true;
	if (!is_step(l))
		return true;
	uint32_t step = (uint32_t)l->step.n;
	if (!pv_reserve(&l->step, 1) || (shot && !pv_reserve(&l->object, l->listed.n)))
		return false;
	l->step.v[l->step.n++] = (struct pv_identity_shot){
		.index = l->open, .time_ns = l->open_ns, .allocations = l->allocations
	};
	pv_map_clear(&l->cell_of);
	for (size_t i = 0; ok && i < l->listed.n; i++) {
		struct pv_life_slot *s = &l->life.v[l->listed.v[i]];
		if (s->cohort == PV_LIFE_NO_COHORT)
			s->cohort = (uint16_t)step;
		l->step.v[step].objects++;
		l->step.v[step].bytes += s->size;
		ok = count_cell(l, s, step) && (!base || count_base(l, s, l->where.v[i])) &&
		     (!shot || count_shot(l, s, l->where.v[i]));
	}
	if (shot && l->object.n)
		qsort(l->object.v, l->object.n, sizeof *l->object.v, by_address);
	return ok;
}

/* --- pairs */

struct candidate {
	uint32_t class_use, life;
	uint64_t size, order; /* order: decides between two alike */
};

typedef PV_ARRAY(struct candidate) candidates;

static int by_class_and_size(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->class_use != y->class_use)
		return x->class_use < y->class_use ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static int alike(const struct candidate *a, const struct candidate *b)
{
	struct candidate x = *a, y = *b;
	x.order = y.order = 0;
	return by_class_and_size(&x, &y);
}

static bool add_candidate(struct pv_identity *l, candidates *c, uint32_t life, uint64_t order)
{
	const struct pv_life_slot *s = &l->life.v[life];
	if (!pv_reserve(c, 1))
		return false;
	c->v[c->n++] = (struct candidate){ l->site.v[s->site].class_use, life, s->size, order };
	return true;
}

/* gone: listed by the last shot and not by this one. came: first listed now, allocation unknown. */
static bool find_candidates(struct pv_identity *l, candidates *gone, candidates *came)
{
	bool ok = true;
	for (size_t i = 0; ok && l->at.slots && i <= l->at.mask; i++) {
		uint32_t life = l->at.slots[i].value;
		if (life < PV_LIFE_GONE && l->life.v[life].seen == l->last)
			ok = add_candidate(l, gone, life, l->at.slots[i].key);
	}
	for (size_t i = 0; ok && i < l->listed.n; i++) {
		const struct pv_life_slot *s = &l->life.v[l->listed.v[i]];
		if (s->cohort == PV_LIFE_NO_COHORT && !l->site.v[s->site].allocated &&
			s->allocated_at == (uint32_t)l->collections)
			ok = add_candidate(l, came, l->listed.v[i], i);
	}
	if (gone->n)
		qsort(gone->v, gone->n, sizeof *gone->v, by_class_and_size);
	if (came->n)
		qsort(came->v, came->n, sizeof *came->v, by_class_and_size);
	return ok;
}

/*
 * The object that appeared takes on the facts of the vanished object, whose slot stays as a dead
 * one.
 */
static void take_over(
	struct pv_identity *l, const struct candidate *came, const struct candidate *gone)
{
	struct pv_life_slot *to = &l->life.v[came->life], *from = &l->life.v[gone->life];
	uint32_t seen = to->seen;
	*to = *from;
	to->seen = seen;
	to->flags |= PV_LIFE_DOUBT;
	from->cohort = PV_LIFE_NO_COHORT;
	l->guessed++;
}

bool pv_identity_pair(struct pv_identity *l)
{
	const struct pv_identity_options *o = &l->options;
	candidates gone = { 0 }, came = { 0 };
	if (o->by_address || o->moves || l->last == PV_IDENTITY_NO_SHOT ||
		l->collections == l->listed_at)
		return true;
	bool ok = find_candidates(l, &gone, &came);
	for (size_t g = 0, c = 0; ok && g < gone.n && c < came.n;) {
		int order = alike(&gone.v[g], &came.v[c]);
		if (order == 0)
			take_over(l, &came.v[c], &gone.v[g]);
		g += order <= 0;
		c += order >= 0;
	}
	pv_array_finish(&gone);
	pv_array_finish(&came);
	return ok;
}
