/* SPDX-License-Identifier: MIT */
/*
 * Overflow of the classes near their cap: the quarter with the least bytes (allocated, or in the
 * newest heap shot if that is more) becomes "other". Their figures stay in place and are summed up
 * when shown; their keys are forgotten, so a class that comes back is a new class. Ids are not used
 * again: after four times the cap every new class is "other".
 */
#include "common/model/objects/classes_fold.h"

#include <stdlib.h>

#include "common/model/ground/least.h"

/* Bytes by class id. NULL when out of memory. */
static uint64_t *weigh(const struct pv_model *m)
{
	uint64_t *bytes = calloc(m->names.class_use.n, sizeof *bytes);
	const struct pv_shot *shot = pv_shots_newest(&m->shots);
	for (size_t i = 0; bytes && i < m->allocs.class_use.n; i++)
		bytes[i] = m->allocs.class_use.v[i].bytes;
	for (size_t i = 0; bytes && shot && i < shot->classes.n; i++) {
		const struct pv_shot_class *c = &shot->classes.v[i];
		if (c->bytes > bytes[c->class_use])
			bytes[c->class_use] = c->bytes;
	}
	return bytes;
}

/* Keys with several meanings stay: their uses are linked. */
static bool may_fold(const struct pv_names *n, uint32_t id)
{
	const struct pv_class_use *u = &n->class_use.v[id];
	return !u->other && !u->before && pv_map_get(&n->class_of, u->key) == id;
}

static bool forget_keys(struct pv_names *n)
{
	bool ok = true;
	pv_map_clear(&n->class_of);
	for (uint32_t i = 1; ok && i < n->class_use.n; i++)
		if (!n->class_use.v[i].other)
			ok = pv_map_set(&n->class_of, n->class_use.v[i].key, i);
	return ok;
}

/* Chooses the least quarter into id[0 .. *ret_n - 1]; reorders `bytes`. */
static bool choose_classes(const struct pv_names *n, uint64_t *bytes, uint32_t *id, size_t *ret_n)
{
	size_t found = 0, to = 0;
	for (uint32_t i = 1; i < n->class_use.n; i++) {
		if (!may_fold(n, i))
			continue;
		bytes[found] = bytes[i];
		id[found++] = i;
	}
	bool *chosen = malloc(found + 1);
	if (!chosen)
		return false;
	pv_least(bytes, NULL, found, (found + 3) / 4, chosen);
	for (size_t i = 0; i < found; i++)
		if (chosen[i])
			id[to++] = id[i];
	free(chosen);
	*ret_n = to;
	return true;
}

static void fold(struct pv_model *m, const uint32_t *id, size_t count)
{
	struct pv_names *n = &m->names;
	for (size_t i = 0; i < count; i++) {
		n->changes++;
		n->class_use.v[id[i]] =
			(struct pv_class_use){ .other = true, .last_ns = INT64_MIN };
		n->classes_folded++;
		pv_model_lock_yield(m, 1);
	}
}

bool pv_classes_make_room(struct pv_model *m)
{
	struct pv_names *n = &m->names;
	size_t count = 0;
	pv_model_lock_release(m);
	uint64_t *bytes = weigh(m);
	uint32_t *id = malloc(n->class_use.n * sizeof *id);
	bool ok = bytes && id && choose_classes(n, bytes, id, &count);
	free(bytes);
	pv_model_lock_retake(m);
	if (ok)
		fold(m, id, count);
	free(id);
	pv_model_lock_release(m);
	ok = ok && forget_keys(n); /* keys are not searched by other code */
	pv_model_lock_retake(m);
	n->class_fold_at = n->class_use.n + n->class_cap / 16; /* not at every batch */
	return ok;
}
