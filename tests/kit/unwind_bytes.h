/* SPDX-License-Identifier: MIT */
#ifndef PV_TESTS_UNWIND_BYTES_H
#define PV_TESTS_UNWIND_BYTES_H

#include "probe/unwind/unwind_set.h"

/* Bytes of the tables that walks use now. Any thread. */
static inline size_t unwind_bytes(void)
{
	const struct pvp_unwind_set *s = pvp_unwind_enter();
	size_t bytes = 0;
	for (size_t i = 0; s && i < s->n; i++)
		bytes += s->v[i].table ? s->v[i].table->bytes : 0;
	pvp_unwind_leave();
	return bytes;
}

#endif
