/* SPDX-License-Identifier: MIT */
/* A ring of the last bytes of a stream. */
#include "common/io/recent.h"

#include <stdlib.h>
#include <string.h>

bool pv_recent_init(struct pv_recent *r, size_t size, uint64_t offset)
{
	*r = (struct pv_recent){ .ring = malloc(size), .size = size, .end = offset, .at = offset };
	return r->ring != NULL;
}

void pv_recent_finish(struct pv_recent *r)
{
	free(r->ring);
	*r = (struct pv_recent){ 0 };
}

void pv_recent_add(struct pv_recent *r, const void *bytes, size_t n)
{
	const uint8_t *from = bytes;
	if (!r->ring)
		return;
	r->end += n;
	r->at = r->end;
	r->kept = r->kept + n < r->size ? r->kept + n : r->size;
	if (n > r->size) {
		from += n - r->size;
		n = r->size;
	}
	size_t to = (size_t)((r->end - n) % r->size);
	size_t first = n < r->size - to ? n : r->size - to;
	memcpy(r->ring + to, from, first);
	memcpy(r->ring, from + first, n - first);
}

size_t pv_recent_take(struct pv_recent *r, void *to, size_t n)
{
	if (!r->ring || r->at >= r->end)
		return 0;
	size_t from = (size_t)(r->at % r->size);
	if (n > r->end - r->at)
		n = (size_t)(r->end - r->at);
	if (n > r->size - from)
		n = r->size - from;
	memcpy(to, r->ring + from, n);
	r->at += n;
	return n;
}

bool pv_recent_seek(struct pv_recent *r, uint64_t offset)
{
	if (!r->ring || offset > r->end || r->end - offset > r->kept)
		return false;
	r->at = offset;
	return true;
}

void pv_recent_jump(struct pv_recent *r, uint64_t offset)
{
	r->kept = 0;
	r->end = r->at = offset;
}
