/*
 * Shared by the fuzz targets of the streams that share struct b07_stream: bytes in pieces, with gaps
 * where the input says so, each batch checked. Memory must not run out.
 */
#ifndef PV_FUZZ_STREAM_H
#define PV_FUZZ_STREAM_H

#include <stdlib.h>
#include <string.h>

#include "common/format/block07/block07.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Aborts on a batch that is wrong; `fed`: bytes of the input so far. */
typedef void fuzz_check_fn(const struct b07_stream *s, size_t fed);

/* False: the decoder has failed. */
static inline bool fuzz_feed(struct b07_stream *s, const uint8_t *bytes, size_t n)
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

/* The whole input, at most `step` bytes at a time; after a piece that ends with `gap` some are lost. */
static inline void fuzz_whole(struct b07_stream *s, const uint8_t *bytes, size_t n, size_t step,
	uint8_t gap, fuzz_check_fn *check)
{
	size_t fed = 0;
	for (bool ended = false;;) {
		enum b07_piece p = b07_next(s);
		if (p == B07_BATCH)
			check(s, fed);
		if (p == B07_FAILED && s->error.code == PV_ENOMEM)
			abort(); /* of so few bytes: it is taken for something else */
		if (p == B07_FAILED || (p == B07_MORE && ended))
			break;
		if (p != B07_MORE)
			continue;
		size_t part = n - fed < step ? n - fed : step;
		if (!fuzz_feed(s, bytes + fed, part))
			break;
		fed += part;
		ended = fed == n;
		if (ended)
			b07_end(s);
		else if (part && bytes[fed - 1] == gap)
			b07_gap(s, part);
	}
	b07_finish(s);
}

#endif
