/*
 * Bytes -> the reader of texts with stacks: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/stacks/stacks_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Few events for a byte, and every index within its array. */
static void check(const struct b07_stream *s, size_t fed)
{
	const struct pv_batch *b = &s->batch;
	if (b->n > 3 * fed || b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		const struct pv_event *e = &b->other_events.v[b->key[i]];
		if (b->key[i] >= b->other_events.n)
			abort();
		if (e->kind == PV_KIND_SAMPLE_HIT &&
			(size_t)e->hit.frames.at + e->hit.frames.n > b->pool.n)
			abort();
	}
}

static bool feed(struct b07_stream *s, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t room;
		uint8_t *to = b07_room(s, &room);
		size_t part = n < room ? n : room;
		if (!to)
			return false;
		memcpy(to, bytes, part);
		b07_filled(s, part);
		bytes += part;
		n -= part;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct b07_stream s = { .want_offsets = n & 1 };
	size_t fed = 0, step = n > 40 ? 1 + bytes[40] * 16u : 1;
	(void)pv_stack_text_sniff(bytes, n, n & 2);
	if (!pv_stack_text_init(&s))
		return 0;
	for (bool ended = false;;) {
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
		else if (part && bytes[fed - 1] == 'G')
			b07_gap(&s, part);
	}
	b07_finish(&s);
	return 0;
}
