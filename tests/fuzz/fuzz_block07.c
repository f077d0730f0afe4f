/*
 * Bytes -> the decoder of the 2007 family: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/block07/block07.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* No more events than bytes, and every index within its array. */
static void check(const struct b07_stream *s, size_t fed)
{
	const struct pv_batch *b = &s->batch;
	if (b->n > fed || b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		if (b->kind[i] == PV_KIND_ALLOC && b->key[i] >= b->allocs.n)
			abort();
		if (b->kind[i] > PV_KIND_METHOD_EXC_LEAVE && b->key[i] >= b->other_events.n)
			abort();
	}
}

static bool feed(struct b07_stream *s, const uint8_t *bytes, size_t n)
{
	size_t room;
	uint8_t *to = b07_room(s, &room);
	if (!to)
		return false;
	if (n)
		memcpy(to, bytes, n);
	b07_filled(s, n);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct b07_stream s = { .want_offsets = n & 1 };
	size_t fed = 0, step = n > 40 ? 1 + bytes[40] * 16u : 1;
	bool ended = false;
	if (!b07_init(&s))
		return 0;
	for (;;) {
		enum b07_piece p = b07_next(&s);
		if (p == B07_BATCH)
			check(&s, fed);
		if (p == B07_FAILED || (p == B07_MORE && ended))
			break;
		if (p != B07_MORE)
			continue;
		size_t part = n - fed < step ? n - fed : step;
		if (!feed(&s, bytes + fed, part))
			break;
		fed += part;
		ended = fed == n;
		if (ended)
			b07_end(&s);
		else if (part && bytes[fed - 1] == 0xa5)
			b07_gap(&s, part);
	}
	b07_finish(&s);
	return 0;
}
