/* SPDX-License-Identifier: MIT */
/*
 * Texts of stacks, of `perf script` or folded, as a stream of neutral events: each stack is a
 * SAMPLE_HIT, each new name a METHOD_NAME, each thread's name a THREAD_NAME.
 *
 * perf's samples have times, threads and the files of functions (SAMPLE_BINARY, a range of keys);
 * folded stacks have none: all are at 1 ns. A hit's weight is the count, or the period if periods
 * differ; the header's args say of what. Samples of a second event are counted by its name
 * (EXT_UNKNOWN), not read.
 *
 * A line that is no stack is damage; the other lines are read as if without it. Bounded: a line to
 * PV_STACK_TEXT_LINE bytes, names to PV_STACK_TEXT_NAMES and PV_STACK_TEXT_NAME_BYTES together;
 * further frames are "(other)".
 */
#ifndef PV_FORMAT_STACKS_TEXT_H
#define PV_FORMAT_STACKS_TEXT_H

#include <stddef.h>

enum {
	PV_STACK_TEXT_LINE = 1 << 20,
	PV_STACK_TEXT_SNIFF = 64 << 10,
	PV_STACK_TEXT_COMMENTS = 1 << 20,
	PV_STACK_TEXT_NAMES = 1000000
};
#define PV_STACK_TEXT_NAME_BYTES ((size_t)256 << 20)

#endif
