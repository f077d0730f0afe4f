/* SPDX-License-Identifier: MIT */
/* The table of sites: look-up, folding at the cap, new numbers. */
#include "common/model/calls/sites.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/large.h"
#include "common/model/ground/least.h"
#include "common/model/calls/sites_fold.h"

static uint64_t site_key_of(uint32_t class_use, uint32_t stack)
{
	return (uint64_t)class_use << 32 | stack;
}

bool pv_sites_init(struct pv_sites *s)
{
	*s = (struct pv_sites){ .cap = PV_SITES_CAP };
	if (!pv_reserve(&s->site, 64))
		return false;
	s->site.v[s->site.n++] = (struct pv_site){ 0 };
	return true;
}

void pv_sites_finish(struct pv_sites *s)
{
	pv_array_finish(&s->site);
	pv_map_finish(&s->of);
	pv_map_finish(&s->other);
}

/* Marks the quarter to fold in `fold`; false when out of memory. */
static bool choose_sites(const struct pv_sites *s, bool *fold)
{
	size_t room = s->site.n, n = 0;
	uint64_t *amount =
		pv_large_alloc(room * (2 * sizeof *amount + sizeof(uint32_t) + sizeof(bool)));
	if (!amount)
		return false;
	uint64_t *count = amount + room;
	uint32_t *site = (uint32_t *)(count + room);
	bool *chosen = (bool *)(site + room);
	for (uint32_t i = 1; i < s->site.n; i++) {
		const struct pv_site *x = &s->site.v[i];
		amount[n] = x->amount;
		count[n] = x->count;
		site[n] = i;
		n += !x->other;
	}
	pv_least(amount, count, n, (n + 3) / 4, chosen);
	for (size_t i = 0; i < n; i++)
		fold[site[i]] = chosen[i];
	free(amount);
	return true;
}

static bool index_all(struct pv_sites *s)
{
	pv_map_clear(&s->of);
	pv_map_clear(&s->other);
	for (uint32_t i = 1; i < s->site.n; i++) {
		const struct pv_site *x = &s->site.v[i];
		if (!(x->other ? pv_map_set(&s->other, x->class_use, i)
			       : pv_map_set(&s->of, site_key_of(x->class_use, x->stack), i)))
			return false;
	}
	return true;
}

/*
 * Folds in place: the first site of a class that folds becomes its "other", so nothing grows and
 * the order of the rest stays. remap[old] is the new index.
 */
static void compact(struct pv_sites *s, const bool *fold, uint32_t *remap)
{
	uint32_t to = 1;
	for (uint32_t i = 1; i < s->site.n; i++) {
		struct pv_site x = s->site.v[i];
		uint32_t other = fold[i] ? pv_map_get(&s->other, x.class_use) : PV_MAP_NONE;
		if (other != PV_MAP_NONE && other != 0) {
			/* an "other" that stands further on moves when its turn comes */
			struct pv_site *o = &s->site.v[other < i ? remap[other] : other];
			o->count += x.count;
			o->amount += x.amount;
			s->folded++;
			remap[i] = UINT32_MAX - other;
			continue;
		}
		if (fold[i]) {
			x.other = true;
			x.stack = 0;
			s->folded++;
			pv_map_set(&s->other, x.class_use, i);
		}
		remap[i] = to;
		s->site.v[to++] = x;
	}
	for (uint32_t i = 1; i < s->site.n; i++)
		if (remap[i] > to)
			remap[i] = remap[UINT32_MAX - remap[i]];
	s->site.n = to;
}

bool pv_sites_make_room(struct pv_sites *s, uint32_t **ret_remap)
{
	bool *fold = calloc(s->site.n, sizeof *fold);
	uint32_t *remap = calloc(s->site.n, sizeof *remap);
	if (!fold || !remap || !choose_sites(s, fold)) {
		free(fold);
		free(remap);
		return false;
	}
	compact(s, fold, remap);
	s->fold_at = s->site.n + s->cap / 16;
	if (s->fold_at < s->cap)
		s->fold_at = s->cap;
	free(fold);
	if (ret_remap)
		*ret_remap = remap;
	else
		free(remap);
	return index_all(s);
}

/* Last resort, when "other" sites fill everything: a common site for all classes. */
static uint32_t other_of(struct pv_sites *s, uint32_t class_use)
{
	uint32_t at = pv_map_get(&s->other, class_use);
	return at != PV_MAP_NONE ? at : pv_map_get(&s->other, 0);
}

bool pv_sites_are_many(const struct pv_sites *s, uint32_t class_use, uint32_t stack)
{
	return s->site.n >= s->cap && s->site.n >= s->fold_at &&
	       pv_map_get(&s->of, site_key_of(class_use, stack)) == PV_MAP_NONE;
}

bool pv_sites_copy(const struct pv_sites *s, struct pv_sites *ret)
{
	*ret = *s;
	ret->site.v = pv_large_alloc(s->site.room * sizeof *s->site.v);
	if (ret->site.v)
		memcpy(ret->site.v, s->site.v, s->site.n * sizeof *s->site.v);
	return ret->site.v != NULL;
}

void pv_sites_replace(struct pv_sites *s, struct pv_sites *copy, bool take)
{
	void *drop = take ? (void *)s->site.v : copy->site.v;
	if (take)
		*s = *copy;
	s->of = copy->of;
	s->other = copy->other;
	free(drop);
}

/* Events of a kind mostly come from one site many times. */
static bool is_last(const struct pv_sites *s, uint32_t class_use, uint32_t stack)
{
	const struct pv_site *x = &s->site.v[s->last];
	return s->last && s->last < s->site.n && x->class_use == class_use && x->stack == stack &&
	       !x->other;
}

uint32_t pv_sites_get(struct pv_sites *s, uint32_t class_use, uint32_t stack)
{
	if (is_last(s, class_use, stack))
		return s->last;
	uint32_t at = pv_map_get(&s->of, site_key_of(class_use, stack));
	if (at != PV_MAP_NONE)
		return s->last = at;
	at = (uint32_t)s->site.n;
	bool full = at >= s->cap + s->cap / 4; /* folding no longer helps */
	if (full) {
		uint32_t other = other_of(s, class_use);
		if (other != PV_MAP_NONE)
			return other;
		class_use = 0;
	}
	if (!pv_reserve(&s->site, 1) ||
		!(full ? pv_map_set(&s->other, 0, at)
		       : pv_map_set(&s->of, site_key_of(class_use, stack), at)))
		return 0;
	s->site.v[s->site.n++] = (struct pv_site){
		.class_use = class_use, .stack = full ? 0 : stack, .other = full
	};
	return at;
}

static struct pv_map *map_of(struct pv_sites *s, const struct pv_site *x, uint64_t *ret_key)
{
	*ret_key = x->other ? x->class_use : site_key_of(x->class_use, x->stack);
	return x->other ? &s->other : &s->of;
}

bool pv_sites_renumber(struct pv_sites *s, const uint32_t *stack_into, const uint32_t *class_into,
	uint32_t **ret_remap)
{
	uint32_t *remap = calloc(s->site.n, sizeof *remap), to = 1;
	uint64_t key;
	bool ok = true;
	if (!remap)
		return false;
	pv_map_clear(&s->of);
	pv_map_clear(&s->other);
	for (uint32_t i = 1; i < s->site.n; i++) {
		struct pv_site x = s->site.v[i];
		if (stack_into && !x.other)
			x.stack = stack_into[x.stack];
		if (class_into)
			x.class_use = class_into[x.class_use];
		struct pv_map *map = map_of(s, &x, &key);
		uint32_t at = pv_map_get(map, key);
		remap[i] = at == PV_MAP_NONE ? to : at;
		if (at != PV_MAP_NONE) {
			s->site.v[at].count += x.count;
			s->site.v[at].amount += x.amount;
			continue;
		}
		s->site.v[to] = x;
		ok &= pv_map_set(map, key, to++);
	}
	s->site.n = to;
	if (ret_remap && ok)
		*ret_remap = remap;
	else
		free(remap);
	return ok;
}
