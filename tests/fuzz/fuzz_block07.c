/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> the decoder of the 2007 family: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz_stream_kit.h"

/* No more events than bytes, and every index within its array. */
static void check(const struct pv_stream *s, size_t fed)
{
	const struct pv_batch *b = &s->batch;
	if (b->n > fed || b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		if (b->kind[i] == PV_KIND_ALLOC && b->key[i] >= b->allocs.n)
			abort();
		bool plain = pv_kind_is_plain(b->kind[i]);
		if (b->kind[i] > PV_KIND_METHOD_EXC_LEAVE &&
			b->key[i] >= (plain ? b->plain_events.n : b->other_events.n))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pv_stream s = { .want_offsets = n & 1 };
	const size_t step = n > 40 ? 1 + bytes[40] * 16u : 1;
	if (!pv_stream_start(&s, &pv_reader_block07))
		return 0;
	fuzz_whole(&s, bytes, n, step, 0xa5, check);
	return 0;
}
