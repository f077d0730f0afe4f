#include "common/format/batch_fit.h"

#include <stdlib.h>
#include <string.h>

#define USED(a) ((a)->n * sizeof *(a)->v)
#define ROOM(a) ((a)->room * sizeof *(a)->v)
#define COPIED(to, from)                                                                           \
	((from)->n == 0 ||                                                                         \
		(pv_reserve(to, (from)->n) &&                                                      \
			memcpy((to)->v, (from)->v, USED(from)) && ((to)->n = (from)->n) > 0))

enum { EVENT = sizeof(uint64_t) + sizeof(uint8_t) + sizeof(uint64_t) }; /* time, kind and key */

size_t pv_batch_bytes(const struct pv_batch *b)
{
	return b->room * EVENT + ROOM(&b->allocs) + ROOM(&b->rare) + ROOM(&b->pool) +
		ROOM(&b->descs) + ROOM(&b->values) + ROOM(&b->bytes) + pv_digest_bytes(&b->digest);
}

/* The payload is handed over in either case, since texts point into it. */
static size_t used_bytes(const struct pv_batch *b)
{
	const struct pv_digest *d = &b->digest;
	return b->n * EVENT + USED(&b->allocs) + USED(&b->rare) + USED(&b->pool) +
		USED(&b->descs) + USED(&b->values) + ROOM(&b->bytes) + USED(&d->node) +
		USED(&d->count) + USED(&d->open) + USED(&d->stretch) + USED(&d->alloc_node) +
		USED(&d->number);
}

static bool copy_events(struct pv_batch *to, const struct pv_batch *b)
{
	if (b->n == 0)
		return true;
	to->time = malloc(b->n * sizeof *to->time);
	to->kind = malloc(b->n * sizeof *to->kind);
	to->key = malloc(b->n * sizeof *to->key);
	if (!to->time || !to->kind || !to->key)
		return false;
	memcpy(to->time, b->time, b->n * sizeof *to->time);
	memcpy(to->kind, b->kind, b->n * sizeof *to->kind);
	memcpy(to->key, b->key, b->n * sizeof *to->key);
	to->n = to->room = b->n;
	return true;
}

/* The decoder's own memory is nothing that a copy needs. */
static bool copy_digest(struct pv_digest *to, const struct pv_digest *d)
{
	return COPIED(&to->node, &d->node) && COPIED(&to->count, &d->count) &&
		COPIED(&to->open, &d->open) && COPIED(&to->stretch, &d->stretch) &&
		COPIED(&to->alloc_node, &d->alloc_node) && COPIED(&to->number, &d->number);
}

/* All but the arrays is copied as it is. */
static void forget_arrays(struct pv_batch *b)
{
	b->n = b->room = 0;
	b->time = b->key = NULL;
	b->kind = NULL;
	memset(&b->allocs, 0, sizeof b->allocs);
	memset(&b->rare, 0, sizeof b->rare);
	memset(&b->pool, 0, sizeof b->pool);
	memset(&b->descs, 0, sizeof b->descs);
	memset(&b->values, 0, sizeof b->values);
	memset(&b->bytes, 0, sizeof b->bytes);
	struct pv_digest *d = &b->digest;
	memset(&d->node, 0, sizeof d->node);
	memset(&d->count, 0, sizeof d->count);
	memset(&d->open, 0, sizeof d->open);
	memset(&d->stretch, 0, sizeof d->stretch);
	memset(&d->alloc_node, 0, sizeof d->alloc_node);
	memset(&d->number, 0, sizeof d->number);
}

bool pv_batch_keep(struct pv_batch *b, struct pv_batch *ret)
{
	if (used_bytes(b) > pv_batch_bytes(b) / 2) {
		*ret = *b;
		*b = (struct pv_batch){ 0 };
		return true;
	}
	struct pv_batch copy = *b;
	forget_arrays(&copy);
	if (!copy_events(&copy, b) || !COPIED(&copy.allocs, &b->allocs) ||
		!COPIED(&copy.rare, &b->rare) || !COPIED(&copy.pool, &b->pool) ||
		!COPIED(&copy.descs, &b->descs) || !COPIED(&copy.values, &b->values) ||
		!copy_digest(&copy.digest, &b->digest)) {
		pv_batch_finish(&copy);
		return false;
	}
	copy.bytes.v = b->bytes.v;
	copy.bytes.n = b->bytes.n;
	copy.bytes.room = b->bytes.room;
	memset(&b->bytes, 0, sizeof b->bytes);
	pv_batch_reset(b);
	*ret = copy;
	return true;
}
