/* SPDX-License-Identifier: MIT */
/* Notices by hashes of names that a method key is described under another name. */
#include "common/calls/described.h"

#include <string.h>

/*
 * In place of a hash, as no hash is as large: each description of the key may change its meaning.
 */
#define SEVERAL UINT64_MAX

void pv_described_finish(struct pv_described *d)
{
	pv_map_finish(&d->of);
	pv_array_finish(&d->name);
}

/* 64 bits: two names of one key with the same hash are not to be expected in any log. */
static uint64_t hash_of_description(const struct pv_text *name, uint64_t more)
{
	uint64_t h = pv_hash_word(name->len + 1, more);
	for (size_t i = 0; i < name->len; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		size_t left = name->len - i;
		memcpy(&word, name->at + i, left < sizeof word ? left : sizeof word);
		h = pv_hash_word(h, word);
	}
	return h;
}

/* "library.so+0x1f0": the final name depends on the place of the code. */
static bool is_place(const struct pv_text *name)
{
	for (size_t i = 0; i + 3 <= name->len; i++)
		if (memcmp(name->at + i, "+0x", 3) == 0)
			return true;
	return false;
}

static bool add_described(struct pv_described *d, uint64_t key, uint64_t hash)
{
	if (d->name.n >= PV_DESCRIBED_MOST || !pv_reserve(&d->name, 1) ||
		!pv_map_set(&d->of, key, (uint32_t)d->name.n))
		return false;
	d->name.v[d->name.n++] = hash;
	return true;
}

bool pv_described_changes(struct pv_described *d, const struct pv_event *e)
{
	if (d->over)
		return false;
	bool names = e->kind == PV_KIND_METHOD_NAME;
	uint64_t key = names ? e->meta.key : e->jit.method;
	const struct pv_text *name = names ? &e->meta.name : &e->jit.name;
	uint64_t hash = hash_of_description(name, !names && is_place(name) ? e->jit.code : 0);
	uint32_t at = pv_map_get(&d->of, key);
	if (at == PV_MAP_NONE) {
		bool unsure = d->unsure;
		d->unsure |= !add_described(d, key, hash);
		return unsure;
	}
	if (d->name.v[at] == hash)
		return false;
	d->name.v[at] = SEVERAL;
	return true;
}
