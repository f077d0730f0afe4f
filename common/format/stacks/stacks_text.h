/*
 * Texts of stacks, of `perf script` or folded, as a stream of neutral events: each stack is a
 * SAMPLE_HIT, each name that is new a METHOD_NAME, each thread's name a THREAD_NAME. They come
 * through the seam of the logs of 2007 (block07.h): a reader of those reads these.
 *
 * perf's samples have their times and threads, and files that functions are in (SAMPLE_BINARY, a
 * range of keys); folded stacks have none: all are at 1 ns. A hit's weight is the count, or the
 * period where periods differ; the header's args say of what. Samples of a second event are counted
 * by its name (EXT_UNKNOWN), not read.
 *
 * A line that is no stack is damage of its own; the others are read as if it were not there. Bounded: a line to
 * PV_STACK_TEXT_LINE bytes, names to PV_STACK_TEXT_NAMES and PV_STACK_TEXT_NAME_BYTES together;
 * frames beyond are "(other)".
 */
#ifndef PV_FORMAT_STACKS_TEXT_H
#define PV_FORMAT_STACKS_TEXT_H

#include "common/format/block07/block07.h"

enum {
	PV_STACK_TEXT_LINE = 1 << 20,
	PV_STACK_TEXT_SNIFF = 64 << 10,
	PV_STACK_TEXT_COMMENTS = 1 << 20,
	PV_STACK_TEXT_NAMES = 1000000
};
#define PV_STACK_TEXT_NAME_BYTES ((size_t)256 << 20)

/* By all of the text's beginning: stacks_look.h. `ended`: no more bytes will come. */
enum b07_sniffed pv_stack_text_sniff(const uint8_t *bytes, size_t n, bool ended);

/*
 * The stream reads such a text from now on; instead of b07_init(). header.text says of which kind.
 * False: out of memory.
 */
bool pv_stack_text_init(struct b07_stream *s);

#endif
