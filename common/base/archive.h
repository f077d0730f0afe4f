/*
 * One description that writes a value and reads it back: the same calls, in the same order, count,
 * save or load. What is written are the fields of structures, one by one, never a structure as it
 * lies in memory and never a pointer; what is read is checked against what it refers to, as the
 * description (shape.h) says. Not thread-safe.
 *
 * Numbers have their own size and the machine's byte order. A list is its count, then blocks of
 * PV_ARCHIVE_BLOCK elements, in each block field by field; elements that have lists themselves
 * stand one after the other. A map is its count, then keys and values in blocks, in the order of
 * its keys; it is built anew.
 *
 * While saving, values are only read (callers may cast const away). While loading, everything is
 * bounded by the bytes there are, and what was loaded so far can be freed as usual.
 */
#ifndef PV_BASE_ARCHIVE_H
#define PV_BASE_ARCHIVE_H

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/base/shape.h"

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
	 * Elements of the lists that ids refer to, by a number that the caller gives each (from 1
	 * on): found by counting first, written before everything, and true of what was loaded.
	 */
	uint64_t store[PV_ARCHIVE_STORES];
};

/* A structure. While loading it is one that was just created, or zeroed. */
void pv_archive_shape(struct pv_archive *a, const struct pv_shape *shape, void *of);

/* Numbers outside of lists. */
#define pv_archive_value(a, value) pv_archive_numbers((a), &(value), 1, sizeof(value))
void pv_archive_numbers(struct pv_archive *a, void *v, size_t n, size_t each);

/* A count that is at most `most`, for loops: 0 once failed. Of a store, where `store` is not 0. */
size_t pv_archive_count(struct pv_archive *a, size_t n, size_t most, unsigned store);

/* A text or NULL; loading interns it, and the pointer is the one of `in`. */
void pv_archive_text(struct pv_archive *a, struct pv_intern *in, const char **text);
void pv_archive_intern(struct pv_archive *a, struct pv_intern *in, unsigned store);

/* The counts of the stores, before all. */
void pv_archive_stores(struct pv_archive *a);

/* Whether loading goes on, so that there is something to be checked. */
static inline bool pv_archive_loads(const struct pv_archive *a)
{
	return a->mode == PV_ARCHIVE_LOAD && !a->failed;
}

/* Of what the shapes cannot say. It is looked at only while all has held so far. */
#define pv_archive_check(a, holds)                                                                 \
	do {                                                                                       \
		if (pv_archive_loads(a) && !(holds))                                               \
			(a)->failed = true;                                                        \
	} while (0)

#endif
