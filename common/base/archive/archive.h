/* SPDX-License-Identifier: MIT */
/*
 * One description that writes a value and reads it back: the same calls, in the same order, count,
 * save or load. Structures are written field by field, never as they lie in memory, and never a
 * pointer; every value read is checked against the objects it refers to, by the description
 * (shape.h). Not thread-safe.
 *
 * Numbers have their own size and the machine's byte order. A list is its count, then blocks of
 * PV_ARCHIVE_BLOCK elements, in each block field by field; elements with lists stand one after the
 * other. A map is its count, then keys and values in blocks, in the order of the keys; loading
 * builds the map anew.
 *
 * While saving, values are only read (callers may cast const away). While loading, everything is
 * bounded by the bytes there are, and loaded parts can be freed as usual.
 */
#ifndef PV_BASE_ARCHIVE_H
#define PV_BASE_ARCHIVE_H

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/archive/shape.h"

enum { PV_ARCHIVE_BLOCK = 512, PV_ARCHIVE_STORES = 64 };

/* False: the bytes could not be kept, or got. */
typedef bool (*pv_archive_write_fn)(void *ctx, const void *bytes, size_t n);
typedef bool (*pv_archive_read_fn)(void *ctx, void *to, size_t n);

enum pv_archive_mode { PV_ARCHIVE_SAVE, PV_ARCHIVE_LOAD, PV_ARCHIVE_COUNT };

struct pv_archive {
	enum pv_archive_mode mode;
	bool failed; /* to write, to allocate, or to believe; from then on nothing is done */

	pv_archive_write_fn write; /* saving */
	pv_archive_read_fn read;   /* loading */
	uint64_t left;             /* loading: bytes there are still */
	void *ctx;
	/*
	 * Number of elements in each list (a "store") that ids refer to, by a number of the
	 * caller's, from 1 on. Found by counting first, written before everything, and checked
	 * against the lists loaded.
	 */
	uint64_t store[PV_ARCHIVE_STORES];
};

/* Writes or reads a structure. For loading the structure must be newly created, or zeroed. */
void pv_archive_shape(struct pv_archive *a, const struct pv_shape *shape, void *of);

/* Numbers outside of lists. */
#define pv_archive_value(a, value) pv_archive_numbers((a), &(value), 1, sizeof(value))
void pv_archive_numbers(struct pv_archive *a, void *v, size_t n, size_t each);

/* A count of `most` at most, for loops: 0 once failed. A store's count, unless `store` is 0. */
size_t pv_archive_count(struct pv_archive *a, size_t n, size_t most, unsigned store);

/* A text or NULL; loading interns the text, and returns the pointer of `in`. */
void pv_archive_text(struct pv_archive *a, struct pv_intern *in, const char **text);
void pv_archive_intern(struct pv_archive *a, struct pv_intern *in, unsigned store);

/* The counts of the stores, before all. */
void pv_archive_stores(struct pv_archive *a);

/* Whether loading goes on, so that values need a check. */
static inline bool pv_archive_loads(const struct pv_archive *a)
{
	return a->mode == PV_ARCHIVE_LOAD && !a->failed;
}

/*
 * A check beyond the shapes. `holds` is evaluated only while loading, and only before any failure.
 */
#define pv_archive_check(a, holds)                                                                 \
	do {                                                                                       \
		if (pv_archive_loads(a) && !(holds))                                               \
			(a)->failed = true;                                                        \
	} while (0)

#endif
