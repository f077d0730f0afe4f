/* SPDX-License-Identifier: MIT */
/* Walks on machines without tables: by frame pointers. */
#include "probe/unwind/unwind_walk.h"

#if !defined(__x86_64__)

unsigned pvp_unwind_walk_again(const struct pvp_registers *at, struct pvp_walk_memory *m,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	(void)m;
	return pvp_unwind_walk(at, to, most, ret_stop);
}

unsigned pvp_unwind_walk_files(const struct pvp_registers *at, uint64_t *to, unsigned most)
{
	(void)at, (void)to, (void)most;
	return 0;
}

unsigned pvp_unwind_walk_copy(const struct pvp_registers *at, const struct pvp_stack_view *v,
	uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	(void)v, (void)to, (void)most;
	*ret_stop = (struct pvp_walk_stop){ PVP_WALK_UNREADABLE, at->pc };
	return 0;
}

unsigned pvp_unwind_walk(
	const struct pvp_registers *at, uint64_t *to, unsigned most, struct pvp_walk_stop *ret_stop)
{
	unsigned n = pvp_native_walk(at->fp, at->sp, to, most, &ret_stop->end);
	ret_stop->pc = n ? to[n - 1] - 1 : at->pc;
	return n;
}

#endif
