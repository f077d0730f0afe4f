/*
 * What happens to the classes near their cap: the quarter with the least bytes (allocated, or in
 * the newest heap shot where that is more) becomes "other". Their figures stay where they are and
 * are summed up when they are shown; their keys are forgotten, so that a class that comes back is
 * a new one. Ids are not used again: after four times the cap whatever is new is "other".
 */
#include "common/model/classes_fold.h"

#include <stdlib.h>

struct candidate {
	uint64_t bytes;
	uint32_t id;
};

static int least_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? 1 : -1;
	return x->id < y->id ? 1 : -1; /* ties: the newest first */
}

/* By id. NULL when out of memory. */
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

/* Keys with several meanings stay: their uses hang together. */
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

static void fold(struct pv_names *n, const uint64_t *bytes, struct candidate *c)
{
	size_t found = 0;
	for (uint32_t i = 1; i < n->class_use.n; i++)
		if (may_fold(n, i))
			c[found++] = (struct candidate){ bytes[i], i };
	qsort(c, found, sizeof *c, least_first);
	for (size_t i = 0; i < (found + 3) / 4; i++)
		n->class_use.v[c[i].id] = (struct pv_class_use){ .other = true,
			.last_ns = INT64_MIN };
	n->classes_folded += (found + 3) / 4;
}

bool pv_classes_make_room(struct pv_model *m)
{
	struct pv_names *n = &m->names;
	uint64_t *bytes = weigh(m);
	struct candidate *c = malloc(n->class_use.n * sizeof *c);
	bool ok = bytes && c;
	if (ok) {
		fold(n, bytes, c);
		ok = forget_keys(n);
	}
	n->class_fold_at = n->class_use.n + n->class_cap / 16; /* not at every batch */
	free(bytes);
	free(c);
	return ok;
}
