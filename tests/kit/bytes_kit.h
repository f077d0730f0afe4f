/* SPDX-License-Identifier: MIT */
/* Bytes that are written to memory, as pv_archive_write_fn has it. */
#ifndef PV_TESTS_BYTES_KIT_H
#define PV_TESTS_BYTES_KIT_H

#include <string.h>

#include "common/base/mem.h"

typedef PV_ARRAY(uint8_t) bytes;

static inline bool bytes_keep(void *ctx, const void *p, size_t n)
{
	bytes *b = ctx;
	if (!pv_reserve(b, n))
		return false;
	memcpy(b->v + b->n, p, n);
	b->n += n;
	return true;
}

#endif
