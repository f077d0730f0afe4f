/* SPDX-License-Identifier: MIT */
/* Counts the fates of objects by class: died young, died later, promoted. */
#include "common/model/objects/allocs.h"
#include "common/model/identity/identity_parts.h"

static struct pv_life_fate *fate(struct pv_identity *l, uint32_t class_use)
{
	struct pv_life_fates *f = &l->fates;
	if (class_use >= f->of.n && !pv_reserve(&f->of, class_use + 1 - f->of.n))
		return NULL;
	while (f->of.n <= class_use)
		f->of.v[f->of.n++] = (struct pv_life_fate){ .allocated = 0 };
	return &f->of.v[class_use];
}

static struct pv_life_size *size_class(struct pv_identity *l, uint32_t class_use, unsigned at)
{
	struct pv_life_fates *f = &l->fates;
	uint64_t key = (uint64_t)class_use << 8 | at;
	uint32_t i = pv_map_get(&f->size_of, key);
	if (i != PV_MAP_NONE)
		return &f->size.v[i];
	if (!pv_reserve(&f->size, 1) || !pv_map_set(&f->size_of, key, (uint32_t)f->size.n))
		return NULL;
	f->size.v[f->size.n] = (struct pv_life_size){ .class_use = class_use, .at = at };
	return &f->size.v[f->size.n++];
}

bool pv_identity_allocated(struct pv_identity *l, uint32_t class_use, uint64_t size)
{
	struct pv_life_fate *f = fate(l, class_use);
	struct pv_life_size *z = size_class(l, class_use, pv_alloc_size_of(size));
	if (!f || !z)
		return false;
	f->allocated++;
	f->allocated_bytes += size;
	z->count++;
	z->bytes += size;
	return true;
}

void pv_identity_died(struct pv_identity *l, const struct pv_life_slot *s)
{
	const struct pv_life_site *at = &l->site.v[s->site];
	if (!at->allocated || at->class_use >= l->fates.of.n)
		return;
	struct pv_life_fate *f = &l->fates.of.v[at->class_use];
	bool listed = s->seen != PV_IDENTITY_NO_SHOT;
	f->later += listed;
	f->young += !listed;
	f->young_bytes += listed ? 0 : s->size;
}

void pv_identity_undecided(struct pv_identity *l, const struct pv_life_slot *s)
{
	const uint32_t class_use = l->site.v[s->site].class_use;
	struct pv_life_fate *f = fate(l, class_use);
	struct pv_life_size *z = size_class(l, class_use, pv_alloc_size_of(s->size));
	if (!f || !z || !f->allocated || !z->count)
		return; /* never: the allocation was counted */
	f->allocated--;
	f->allocated_bytes -= s->size;
	z->count--;
	z->bytes -= s->size;
}

bool pv_identity_promoted(struct pv_identity *l, uint32_t class_use, uint64_t size)
{
	struct pv_life_fate *f = fate(l, class_use);
	if (!f)
		return false;
	l->fates.generations = true;
	f->promoted++;
	f->promoted_bytes += size;
	return true;
}

bool pv_identity_knows_young(const struct pv_identity *l)
{
	const struct pv_identity_options *o = &l->options;
	return l->done && o->allocs && o->moves && !o->sampled && !o->by_address && !l->lost &&
	       !l->damaged && !l->unordered;
}
