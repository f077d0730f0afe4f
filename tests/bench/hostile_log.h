/* SPDX-License-Identifier: MIT */
/*
 * Logs that are hard on their reader, and whose every byte is as the format wants it: each kind of
 * event, by itself and with those it is paired with, in patterns that make a reader search, walk or
 * copy what it keeps. A shape is a family of events in a pattern; its benign log has the same
 * kinds, a thousand keys, in order.
 *
 * The encoder's kit (tests/kit/wire.h) asserts: to be called within a test of Check.
 */
#ifndef PV_TESTS_BENCH_HOSTILE_LOG_H
#define PV_TESTS_BENCH_HOSTILE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/mem.h"

enum hostile_pattern {
	HOSTILE_BENIGN,
	HOSTILE_MANY,     /* keys, one after the other */
	HOSTILE_OPEN,     /* never ended; and ends of what never began */
	HOSTILE_CROSSED,  /* the first that began ends first */
	HOSTILE_SAME,     /* one key again and again */
	HOSTILE_RENAMED,  /* likewise, under another name each time */
	HOSTILE_ONE_TIME, /* all at once */
	HOSTILE_BACK,     /* each before the one before it */
	HOSTILE_SHUFFLED, /* in no order of their times */
	HOSTILE_DEEP,     /* one within the other */
	HOSTILE_WIDE,     /* within one call; lists of hundreds */
	HOSTILE_THREADS,  /* each key on a thread of its own */
	HOSTILE_PATTERNS
};

extern const char *const hostile_pattern_names[HOSTILE_PATTERNS];

struct hostile_bytes {
	uint8_t *v;
	size_t n, room;
};

/* Families of both log formats, counted from 0; a name is good until the next call. */
size_t hostile_families(void);
const char *hostile_family_name(size_t family);
/* Whether the pattern makes a log of this family that no other of its patterns makes. */
bool hostile_has(size_t family, enum hostile_pattern p);
/* Whether it is one of those that the suite has time for. */
bool hostile_is_quick(size_t family, enum hostile_pattern p);
/* How many times its events then, where the usual families have them `n` times. */
unsigned hostile_quick_n(size_t family, unsigned n);
/*
 * Whether the suite asks for all lists of it as well. Not of a row only, as nothing is then in the
 * lists that others are not; nor of 2007, whose stacks are below what lists show of a stack, so
 * that they are written whole for each event.
 */
bool hostile_is_asked(size_t family, enum hostile_pattern p);
/* Whether it is none of a family in patterns, but made up. */
bool hostile_is_made(size_t family);
/* Whether what is hard of it shows in a heap shot's graph, or in tables of shots. */
bool hostile_is_heap(size_t family);
/* A log with `n` times the family's events; the caller frees *ret. */
void hostile_write(size_t family, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret);

/* Private: those of 2007, and bytes that are no whole log. */
size_t hostile_families07(void);
const char *hostile_family_name07(size_t family);
bool hostile_has07(size_t family, enum hostile_pattern p);
bool hostile_is_quick07(size_t family, enum hostile_pattern p);
void hostile_write07(size_t family, enum hostile_pattern p, unsigned n, struct hostile_bytes *ret);
size_t hostile_families_raw(void);
const char *hostile_family_name_raw(size_t family);
void hostile_write_raw(size_t family, bool benign, unsigned n, struct hostile_bytes *ret);
/* Private: what no pattern makes. */
size_t hostile_families_made(void);
const char *hostile_family_name_made(size_t family);
bool hostile_is_heap_made(size_t family);
void hostile_write_made(size_t family, bool benign, unsigned n, struct hostile_bytes *ret);

#endif
