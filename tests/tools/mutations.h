/* SPDX-License-Identifier: MIT */
/* Ways to damage a log, chosen by a generator that a seed sets: the same seed, the same damage. */
#ifndef TESTS_MUTATIONS_H
#define TESTS_MUTATIONS_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *v;
	size_t n;
};

void mutate_seed(uint64_t seed); /* not 0 */
uint64_t mutate_any(uint64_t below);

/* Cuts, flips, overwrites, splices, moves and swaps buffers, lies; never longer than before. */
void mutate(struct bytes *b);

/* Wrong readings of a log: in this process, by framer, decoder and model; NULL for nothing. */
const char *mutate_read_parts(const struct bytes *in, size_t step);

/* The same with the whole ingest, in one thread and in many, reports and convert. */
const char *mutate_read_whole(const struct bytes *in);

#endif
