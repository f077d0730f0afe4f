/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> the reader of texts with stacks: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "tests/fuzz/fuzz_stream_kit.h"

/* Few events for a byte, and every index within its array. */
static void check(const struct pv_stream *s, size_t fed)
{
	const struct pv_batch *b = &s->batch;
	if (b->n > 3 * fed || b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		const struct pv_event *e = pv_batch_event(b, i);
		if (!e || b->key[i] >= b->other_events.n)
			abort();
		if (e->kind == PV_KIND_SAMPLE_HIT &&
			(size_t)e->hit.frames.at + e->hit.frames.n > b->pool.n)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pv_stream s = { .want_offsets = n & 1 };
	const size_t step = n > 40 ? 1 + bytes[40] * 16u : 1;
	(void)pv_reader_stacks.sniff(bytes, n, n & 2);
	if (!pv_stream_start(&s, &pv_reader_stacks))
		return 0;
	fuzz_whole(&s, bytes, n, step, 'G', check);
	return 0;
}
