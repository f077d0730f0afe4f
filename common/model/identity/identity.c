/* SPDX-License-Identifier: MIT */
/* Follows the identities of objects: allocations, moves, and the objects that shots list. */
#include "common/model/identity/identity.h"

#include <stdlib.h>
#include <string.h>

#include "common/model/identity/identity_parts.h"

enum { GONE = PV_LIFE_GONE, COMPACT_FROM = 1 << 20 };

bool pv_identity_init(struct pv_identity *l, const struct pv_identity_options *o)
{
	*l = (struct pv_identity){ .options = *o,
		.free = PV_MAP_NONE,
		.open = PV_IDENTITY_NO_SHOT,
		.last = PV_IDENTITY_NO_SHOT };
	uint32_t *steps = malloc(o->n_steps * sizeof *steps);
	l->options.steps = steps;
	if (!steps || !pv_reserve(&l->site, 1))
		return false;
	memcpy(steps, o->steps, o->n_steps * sizeof *steps);
	l->site.v[l->site.n++] = (struct pv_life_site){ 0 };
	return true;
}

/* Frees working memory; results stay. */
static void forget_work(struct pv_identity *l)
{
	pv_map_finish(&l->at);
	pv_map_finish(&l->place_of);
	pv_map_finish(&l->site_of);
	pv_map_finish(&l->row_of);
	pv_map_finish(&l->cell_of);
	pv_map_finish(&l->written);
	pv_array_finish(&l->life);
	pv_array_finish(&l->pairs);
	pv_array_finish(&l->listed);
	pv_array_finish(&l->where);
}

void pv_identity_finish(struct pv_identity *l)
{
	free((void *)l->options.steps);
	pv_array_finish(&l->site);
	pv_array_finish(&l->row);
	pv_array_finish(&l->cell);
	pv_array_finish(&l->object);
	pv_array_finish(&l->step);
	pv_array_finish(&l->fates.of);
	pv_array_finish(&l->fates.size);
	pv_map_finish(&l->fates.size_of);
	forget_work(l);
	*l = (struct pv_identity){ 0 };
}

/* --- sites and lives */

/* The site of an allocation; 0 when out of memory. */
static uint32_t site(struct pv_identity *l, const struct pv_life_site *s)
{
	uint64_t place_key = (uint64_t)s->class_use << 32 | s->stack;
	uint32_t place = pv_map_get(&l->place_of, place_key);
	if (place == PV_MAP_NONE) {
		place = l->places;
		if (!pv_map_set(&l->place_of, place_key, place))
			return 0;
		l->places++;
	}
	uint64_t key = (uint64_t)place << 32 | s->thread << 1 | s->allocated;
	uint32_t at = pv_map_get(&l->site_of, key);
	if (at != PV_MAP_NONE)
		return at;
	at = (uint32_t)l->site.n;
	if (!pv_reserve(&l->site, 1) || !pv_map_set(&l->site_of, key, at))
		return 0;
	l->site.v[l->site.n++] = *s;
	return at;
}

/* Makes a life of this site; PV_MAP_NONE when out of memory. */
static uint32_t new_life(struct pv_identity *l, uint32_t at_site, int64_t allocated_ns)
{
	uint32_t i = l->free;
	if (i == PV_MAP_NONE) {
		if (l->life.n >= GONE || !pv_reserve(&l->life, 1))
			return PV_MAP_NONE;
		i = (uint32_t)l->life.n++;
	} else {
		l->free = l->life.v[i].seen;
	}
	l->alive++;
	l->life.v[i] = (struct pv_life_slot){ .allocated_ns = allocated_ns,
		.site = at_site,
		.allocated_at = (uint32_t)l->collections,
		.seen = PV_IDENTITY_NO_SHOT,
		.cohort = PV_LIFE_NO_COHORT };
	return i;
}

/* The object is dead: its slot may be used for another. */
static void free_life(struct pv_identity *l, uint32_t life)
{
	pv_identity_died(l, &l->life.v[life]);
	l->life.v[life].seen = l->free;
	l->free = life;
	l->alive--;
}

/* The life at an address; GONE when there is none. */
static uint32_t there(const struct pv_identity *l, uint64_t address)
{
	uint32_t life = pv_map_get(&l->at, address);
	return life == PV_MAP_NONE ? GONE : life;
}

/* Puts a life (or GONE) at an address; an object there before is dead. */
static bool put_life(struct pv_identity *l, uint64_t address, uint32_t life)
{
	uint32_t before = there(l, address);
	if (before == life)
		return true;
	if (!pv_map_set(&l->at, address, life))
		return false;
	if (before != GONE)
		free_life(l, before);
	return true;
}

void pv_identity_expect(const struct pv_identity *l, uint64_t address, bool near)
{
	if (!l->at.slots)
		return;
	const struct pv_map_slot *slot = &l->at.slots[pv_map_place(&l->at, address)];
	if (!near)
		__builtin_prefetch(slot, 1);
	else if (slot->key == address && slot->value < GONE)
		__builtin_prefetch(&l->life.v[slot->value], 1);
}

/* --- events */

/*
 * True if an allocation is of an object that the last shot listed already: a thread may be stopped
 * after making an object and before recording it. Its address cannot have been used again before
 * another collection.
 */
static bool comes_after_shot(
	const struct pv_identity *l, uint32_t life, const struct pv_allocation_event *b)
{
	if (life == GONE || l->collections != l->listed_at)
		return false;
	const struct pv_life_slot *s = &l->life.v[life];
	const struct pv_life_site *at = &l->site.v[s->site];
	return s->seen != PV_IDENTITY_NO_SHOT && s->seen == l->last && !at->allocated &&
	       at->class_use == b->class_use;
}

bool pv_identity_alloc(struct pv_identity *l, const struct pv_allocation_event *b)
{
	const struct pv_life_site allocated = {
		.class_use = b->class_use, .stack = b->stack, .thread = b->thread, .allocated = true
	};
	if (l->options.by_address || l->done)
		return true;
	l->allocations++;
	uint32_t at = pv_identity_apply_moves(l) ? site(l, &allocated) : 0;
	if (!at)
		return false;
	uint32_t known = there(l, b->address);
	if (!pv_identity_allocated(l, b->class_use, b->size))
		return false;
	if (comes_after_shot(l, known, b))
		return pv_identity_allocated_after(l, known, at, b->time_ns);
	uint32_t life = new_life(l, at, b->time_ns);
	if (life == PV_MAP_NONE)
		return false;
	l->life.v[life].size = b->size;
	return put_life(l, b->address, life);
}

bool pv_identity_moves(struct pv_identity *l, const uint64_t *pairs, size_t n)
{
	n -= n % 2;
	if (l->options.by_address || l->done || n == 0)
		return true;
	if (!pv_reserve(&l->pairs, n))
		return false;
	memcpy(l->pairs.v + l->pairs.n, pairs, n * sizeof *pairs);
	l->pairs.n += n;
	return true;
}

bool pv_identity_collection(struct pv_identity *l)
{
	bool ok = pv_identity_apply_moves(l);
	l->collections += !l->done;
	return ok;
}

/*
 * Takes the object at the source of a move: the object there before the batch, else (none there, or
 * moved away already) the object that came there within the batch, as one stop may hold two
 * collections.
 */
static bool take_source(struct pv_identity *l, uint64_t from, uint32_t *ret)
{
	*ret = there(l, from);
	if (*ret != GONE)
		return pv_map_set(&l->at, from, GONE);
	uint32_t came = pv_map_get(&l->written, from);
	*ret = came == PV_MAP_NONE ? GONE : came;
	return came == PV_MAP_NONE || pv_map_set(&l->written, from, GONE);
}

/* Writes a target; of two objects moved to one target the last stays. */
static bool write_target(struct pv_identity *l, uint64_t to, uint32_t life)
{
	uint32_t before = pv_map_get(&l->written, to);
	if (before != PV_MAP_NONE && before != GONE)
		free_life(l, before);
	if (life != GONE)
		l->life.v[life].flags |= PV_LIFE_MOVED;
	return pv_map_set(&l->written, to, life);
}

/* Makes the table anew without GONE entries, when they have become most of the table. */
static bool compact(struct pv_identity *l)
{
	struct pv_map old = l->at;
	if (old.n < COMPACT_FROM || old.n / 4 < l->alive)
		return true;
	l->at = (struct pv_map){ 0 };
	bool ok = true;
	for (size_t i = 0; ok && i <= old.mask; i++)
		if (old.slots[i].value < GONE)
			ok = pv_map_set(&l->at, old.slots[i].key, old.slots[i].value);
	pv_map_finish(&old);
	return ok;
}

bool pv_identity_apply_moves(struct pv_identity *l)
{
	bool ok = true;
	if (l->pairs.n == 0)
		return true;
	for (size_t i = 0; ok && i < l->pairs.n; i += 2) {
		uint64_t from = l->pairs.v[i], to = l->pairs.v[i + 1];
		uint32_t life;
		if (from != to)
			ok = take_source(l, from, &life) && write_target(l, to, life);
	}
	for (size_t i = 0; ok && l->written.slots && i <= l->written.mask; i++) {
		const struct pv_map_slot *w = &l->written.slots[i];
		if (w->value != PV_MAP_NONE && (w->value != GONE || there(l, w->key) != GONE))
			ok = put_life(l, w->key, w->value);
	}
	l->pairs.n = 0;
	if (l->written.mask >= COMPACT_FROM)
		pv_map_finish(&l->written);
	pv_map_clear(&l->written);
	return ok && compact(l);
}

/* --- shots */

bool pv_identity_shot_begins(struct pv_identity *l, uint32_t index, int64_t time_ns)
{
	if (l->done)
		return true;
	l->open = index;
	l->open_ns = time_ns;
	l->listed.n = l->where.n = 0;
	return true;
}

/* True if an object of the list may be the life known at its address. */
static bool agrees(struct pv_identity *l, uint32_t life, uint32_t class_use, uint64_t size)
{
	const struct pv_life_slot *s = &l->life.v[life];
	if (l->site.v[s->site].class_use != class_use) {
		l->mismatched += !l->options.by_address;
		return false;
	}
	/* If nothing else is known, an unmoved object must have kept its size. */
	bool sized = s->seen != PV_IDENTITY_NO_SHOT && !(s->flags & PV_LIFE_MOVED);
	return !sized || (l->options.allocs && !l->options.by_address) || s->size == size;
}

static uint32_t unknown_life(struct pv_identity *l, uint32_t class_use)
{
	uint32_t at = site(l, &(struct pv_life_site){ .class_use = class_use });
	return at ? new_life(l, at, PV_LIFE_NEVER) : PV_MAP_NONE;
}

bool pv_identity_object(struct pv_identity *l, const struct pv_listed_object *o)
{
	const uint64_t address = o->address, size = o->size;
	const uint32_t class_use = o->class_use;
	if (l->open == PV_IDENTITY_NO_SHOT || l->done)
		return true;
	if (!pv_identity_apply_moves(l) || !pv_reserve(&l->listed, 1) || !pv_reserve(&l->where, 1))
		return false;
	uint32_t life = there(l, address);
	if (life != GONE && l->life.v[life].seen == l->open) {
		l->duplicates++;
		return true;
	}
	if (life == GONE || !agrees(l, life, class_use, size)) {
		life = unknown_life(l, class_use);
		if (life == PV_MAP_NONE || !put_life(l, address, life))
			return false;
	}
	struct pv_life_slot *s = &l->life.v[life];
	pv_identity_doubt(l, s);
	s->seen = l->open;
	s->size = size;
	s->flags &= (uint16_t)~PV_LIFE_MOVED;
	l->listed.v[l->listed.n++] = life;
	l->where.v[l->where.n++] = address;
	bool counts = l->open == l->options.shot && o->generation;
	return !counts || pv_identity_promoted(l, class_use, size);
}

static bool stays(struct pv_identity *l, uint64_t address, uint32_t life)
{
	if (l->open == l->options.shot)
		pv_identity_undecided(l, &l->life.v[life]);
	return pv_map_set(&l->at, address, life);
}

/* Only objects that the shot lists are alive, and perhaps allocations recorded since its start. */
static bool bury(struct pv_identity *l)
{
	struct pv_map old = l->at;
	bool ok = true;
	l->at = (struct pv_map){ 0 };
	for (size_t i = 0; ok && i < l->listed.n; i++)
		ok = pv_map_set(&l->at, l->where.v[i], l->listed.v[i]);
	for (size_t i = 0; ok && old.slots && i <= old.mask; i++) {
		uint32_t life = old.slots[i].value;
		if (life >= GONE || l->life.v[life].seen == l->open)
			continue;
		const struct pv_life_slot *s = &l->life.v[life];
		if (s->seen == PV_IDENTITY_NO_SHOT && s->allocated_ns != PV_LIFE_NEVER &&
			s->allocated_ns >= l->open_ns)
			ok = stays(l, old.slots[i].key, life);
		else
			free_life(l, life);
	}
	pv_map_finish(&old);
	return ok;
}

bool pv_identity_shot_ends(struct pv_identity *l, bool whole)
{
	uint32_t index = l->open;
	if (index == PV_IDENTITY_NO_SHOT || l->done)
		return true;
	bool ok = pv_identity_apply_moves(l);
	whole = whole && l->listed.n > 0; /* a heap is never empty */
	if (ok && whole)
		ok = pv_identity_pair(l) && pv_identity_count(l) && bury(l);
	l->open = PV_IDENTITY_NO_SHOT;
	if (!whole)
		return ok;
	l->last = index;
	l->listed_at = l->collections;
	if (index == l->options.shot && ok) {
		l->done = true;
		forget_work(l);
	}
	return ok;
}
