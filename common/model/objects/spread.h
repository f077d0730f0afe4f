/* SPDX-License-Identifier: MIT */
/*
 * Distribution of durations, in cells that are a sixteenth of a power of two wide: a duration read
 * from a cell is at most 3.2 % off. For durations that no list has any more. Durations are ns.
 */
#ifndef PV_MODEL_SPREAD_H
#define PV_MODEL_SPREAD_H

#include <stdint.h>

enum {
	PV_SPREAD_PARTS = 16,
	PV_SPREAD_BITS = 42, /* longer durations (from 73 min on) share the last cell */
	PV_SPREAD_CELLS = (PV_SPREAD_BITS - 3) * PV_SPREAD_PARTS
};

/* The cell of a duration; of a negative one the first. Any thread, pure, as the next. */
static inline unsigned pv_spread_cell(int64_t ns)
{
	uint64_t v = ns > 0 ? (uint64_t)ns : 0;
	if (v < PV_SPREAD_PARTS)
		return (unsigned)v;
	unsigned bit = 63 - (unsigned)__builtin_clzll(v);
	if (bit >= PV_SPREAD_BITS)
		return PV_SPREAD_CELLS - 1;
	return (bit - 3) * PV_SPREAD_PARTS + (unsigned)(v >> (bit - 4) & (PV_SPREAD_PARTS - 1));
}

/* The middle of a cell. */
static inline int64_t pv_spread_ns(unsigned cell)
{
	if (cell < PV_SPREAD_PARTS)
		return cell;
	unsigned bit = cell / PV_SPREAD_PARTS + 3;
	uint64_t part = UINT64_C(1) << (bit - 4);
	return (int64_t)((PV_SPREAD_PARTS + cell % PV_SPREAD_PARTS) * part + part / 2);
}

#endif
