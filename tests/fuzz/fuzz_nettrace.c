/*
 * Bytes -> the reader of .nettrace: any input must end, in bounded memory, without reading
 * past it. A libFuzzer target with -Dfuzz=enabled (clang); else a driver that replays files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/nettrace/nettrace.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static bool outside(const struct pv_batch *b, struct pv_span s)
{
	return (size_t)s.at + s.n > b->pool.n;
}

/* Every index within its array, every text within memory that is read. */
static void check(const struct b07_stream *s)
{
	const struct pv_batch *b = &s->batch;
	size_t read = 0;
	if (b->n > b->room || s->offset > s->received)
		abort();
	for (size_t i = 0; i < b->n; i++) {
		bool alloc = b->kind[i] == PV_KIND_ALLOC;
		if (b->key[i] >= (alloc ? b->allocs.n : b->other_events.n))
			abort();
		if (alloc && outside(b, b->allocs.v[b->key[i]].stack))
			abort();
		const struct pv_event *e = &b->other_events.v[b->key[i]];
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
	size_t fed = 0, step = n > 60 ? 1 + bytes[60] * 64u : 1;
	(void)pv_nettrace_sniff(bytes, n);
	if (!pv_nettrace_init(&s))
		return 0;
	for (bool ended = false;;) {
		enum b07_piece p = b07_next(&s);
		if (p == B07_BATCH)
			check(&s);
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
