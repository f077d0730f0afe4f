/* SPDX-License-Identifier: MIT */
/*
 * Shared by the fuzz targets of the streams that share struct pv_stream: bytes in pieces, with gaps
 * where the input says so, each batch checked. Memory must not run out.
 */
#ifndef PV_FUZZ_STREAM_H
#define PV_FUZZ_STREAM_H

#include <stdlib.h>
#include <string.h>

#include "common/format/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Aborts on a batch that is wrong; `fed`: bytes of the input so far. */
typedef void fuzz_check_fn(const struct pv_stream *s, size_t fed);

/* False: the decoder has failed. */
static inline bool fuzz_feed(struct pv_stream *s, const uint8_t *bytes, size_t n)
{
	while (n) {
		size_t room;
		uint8_t *to = pv_stream_room(s, &room);
		size_t part = n < room ? n : room;
		if (!to)
			return false;
		memcpy(to, bytes, part);
		pv_stream_filled(s, part);
		bytes += part;
		n -= part;
	}
	return true;
}

/* The whole input, at most `step` bytes at a time; after a piece that ends with `gap` some are lost. */
static inline void fuzz_whole(struct pv_stream *s, const uint8_t *bytes, size_t n, size_t step,
	uint8_t gap, fuzz_check_fn *check)
{
	size_t fed = 0;
	for (bool ended = false;;) {
		enum pv_piece p = pv_stream_next(s);
		if (p == PV_PIECE_BATCH)
			check(s, fed);
		if (p == PV_PIECE_FAILED && s->error.code == PV_ENOMEM)
			abort(); /* of so few bytes: it is taken for something else */
		if (p == PV_PIECE_FAILED || (p == PV_PIECE_MORE && ended))
			break;
		if (p != PV_PIECE_MORE)
			continue;
		size_t part = n - fed < step ? n - fed : step;
		if (!fuzz_feed(s, bytes + fed, part))
			break;
		fed += part;
		ended = fed == n;
		if (ended)
			pv_stream_end(s);
		else if (part && bytes[fed - 1] == gap)
			pv_stream_gap(s, part, "dropped");
	}
	pv_stream_finish(s);
}

#endif
