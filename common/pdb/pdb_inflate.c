/* SPDX-License-Identifier: MIT */
/* Inflates embedded PDBs and sources to a known size. */
#include "common/pdb/pdb_inflate.h"

#include <stdlib.h>
#include <zlib.h>

enum { DEFLATE_ONLY = -15 };

static bool inflate_all(const uint8_t *packed, size_t n, uint8_t *to, size_t size)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed,
		.avail_in = (uInt)n,
		.next_out = to,
		.avail_out = (uInt)size };
	if (n > UINT32_MAX || size > UINT32_MAX || inflateInit2(&z, DEFLATE_ONLY) != Z_OK)
		return false;
	const int how = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return how == Z_STREAM_END && z.avail_out == 0;
}

/* Deflate expands a byte to at most 1,032: no memory is taken for an impossible size. */
uint8_t *pv_pdb_inflate(const uint8_t *packed, size_t n, size_t size, struct pv_error *reterr)
{
	const bool possible = size / 1032 <= n;
	uint8_t *to = possible ? malloc(size + 1) : NULL;
	if (possible && !to) {
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
		return NULL;
	}
	if (!possible || !inflate_all(packed, n, to, size)) {
		pv_fail(reterr, PV_ECORRUPT, 0, "what is packed in it is damaged");
		free(to);
		return NULL;
	}
	to[size] = 0;
	return to;
}
