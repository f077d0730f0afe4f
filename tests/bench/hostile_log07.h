/* SPDX-License-Identifier: MIT */
/* Shared by the files that write hostile logs of 2007; no other includes this. */
#ifndef PV_TESTS_BENCH_HOSTILE_LOG07_H
#define PV_TESTS_BENCH_HOSTILE_LOG07_H

#include "tests/kit/b07_kit.h"
#include "tests/bench/hostile_log.h"

enum {
	HOSTILE07_KEYS = 1000,
	HOSTILE07_THREAD = 0x71,
	HOSTILE07_US = 2, /* from one event to the next */
	HOSTILE07_FIRST_US = 1000000,
};

/* Groups of events, and blocks. */
enum { METHOD = 5, CLASS = 6, OTHER = 7 };
enum { END = 2, MAPPING, LOADED, UNLOADED, EVENTS, HITS, HEAP, SUMMARY, DIRECTIVES };

struct hostile07 {
	struct b07_kit k;
	struct hostile_bytes out;
	enum hostile_pattern p;
	uint64_t us, dice;
	unsigned name;
	bool within;    /* a block of events is open */
	uint64_t depth; /* of the stack */
};

typedef void hostile07_put(struct hostile07 *x, uint64_t key);

struct hostile07_family {
	const char *name;
	hostile07_put *begin, *end; /* NULL: nothing ends it */
	char stage;                 /* of b07_kit.h */
	bool lists;                 /* longer ones where the pattern is wide */
	bool named;
};

/* A block of its own, a moment after what stands before it. */
void hostile07_begin(struct hostile07 *x, unsigned code);
void hostile07_end(struct hostile07 *x);
/* In a block of events: how long after the one before it. */
uint64_t hostile07_event(struct hostile07 *x, uint64_t thread);
void hostile07_full(struct hostile07 *x, unsigned group, unsigned code, bool end, uint64_t key);
uint64_t hostile07_thread(const struct hostile07 *x, uint64_t key);
const char *hostile07_name(struct hostile07 *x, char name[32]);
/* Elements of a list. */
unsigned hostile07_many(const struct hostile07 *x);
/* Ends the block of events that is open. */
void hostile07_end_events(struct hostile07 *x);

/* The rarer items, earlier stages, and blocks that are not what they say: by number, else NULL. */
const struct hostile07_family *hostile07_more(size_t at);
const struct hostile07_family *hostile07_early(size_t at);

#endif
