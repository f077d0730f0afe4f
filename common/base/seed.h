/*
 * A number that is another one in every process and that an input cannot know: what hashes and
 * trees are shaped by, so that no input can be made for their worst case. No figure depends on it.
 */
#ifndef PV_BASE_SEED_H
#define PV_BASE_SEED_H

#include <stdint.h>

/* Set before main() begins, or when the library is loaded; only read from then on. */
extern uint64_t pv_seed;

#endif
