/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> the reader of .nettrace: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/batch_event.h"
#include "tests/fuzz/fuzz_stream_kit.h"

static bool outside(const struct pv_batch *b, struct pv_span s)
{
	return (size_t)s.at + s.n > b->pool.n;
}

/* Every index within its array, every text within memory that is read. */
static void check(const struct pv_stream *s, size_t fed)
{
	const struct pv_batch *b = &s->batch;
	size_t read = 0;
	(void)fed; /* a name of few bytes may be used by many events */
	if (b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		bool alloc = b->kind[i] == PV_KIND_ALLOC;
		bool plain = pv_kind_is_plain(b->kind[i]);
		if (b->key[i] >= (alloc          ? b->allocs.n
					 : plain ? b->plain_events.n
						 : b->other_events.n))
			abort();
		if (alloc && outside(b, b->allocs.v[b->key[i]].stack))
			abort();
		const struct pv_event *e = pv_batch_event(b, i);
		if (alloc)
			continue;
		if (e->kind == PV_KIND_SAMPLE_HIT && outside(b, e->hit.frames))
			abort();
		if (e->kind == PV_KIND_EXCEPTION_THROW && outside(b, e->thrown.stack))
			abort();
		if (e->kind == PV_KIND_MONITOR_CONTENTION && outside(b, e->monitor.stack))
			abort();
		if (e->kind == PV_KIND_METHOD_NAME || e->kind == PV_KIND_CLASS_LOAD)
			read += strnlen(e->meta.name.at, e->meta.name.len);
	}
	if (read > SIZE_MAX / 2)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pv_stream s = { .want_offsets = n & 1 };
	const size_t step = n > 60 ? 1 + bytes[60] * 64u : 1;
	(void)pv_reader_nettrace.sniff(bytes, n, false);
	if (!pv_stream_start(&s, &pv_reader_nettrace))
		return 0;
	fuzz_whole(&s, bytes, n, step, 'G', check);
	return 0;
}
