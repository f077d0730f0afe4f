/*
 * One description that writes a value and reads it back: the same calls, in the same order, save
 * or load. Bytes are as this build lays them out in memory, so an archive is good for the build
 * that wrote it; whoever keeps one must say which. Not thread-safe.
 *
 * While saving, values are only read (callers may cast const away). While loading, everything is
 * bounded by the bytes there are: counts that cannot be true make the archive fail, and what was
 * loaded so far can be freed as usual.
 */
#ifndef PV_BASE_ARCHIVE_H
#define PV_BASE_ARCHIVE_H

#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/base/mem.h"

/* False: the bytes could not be kept, or got. */
typedef bool (*pv_archive_write_fn)(void *ctx, const void *bytes, size_t n);
typedef bool (*pv_archive_read_fn)(void *ctx, void *to, size_t n);

struct pv_archive {
	bool loading;
	bool failed; /* to write, to allocate, or to believe; from then on nothing is done */

	pv_archive_write_fn write; /* saving */
	pv_archive_read_fn read;   /* loading */
	uint64_t left;             /* loading: bytes there are still */
	void *ctx;
};

/* `n` bytes; what follows stands at a multiple of 8 again. */
void pv_archive_bytes(struct pv_archive *a, void *bytes, size_t n);
#define pv_archive_value(a, value) pv_archive_bytes((a), &(value), sizeof(value))

/* A PV_ARRAY of plain elements (no pointers in them); what it held before loading is freed. */
#define pv_archive_array(a, array)                                                                 \
	pv_archive_elements((a), (void **)(void *)&(array)->v, &(array)->n, &(array)->room,        \
		sizeof *(array)->v)
void pv_archive_elements(struct pv_archive *a, void **v, size_t *n, size_t *room, size_t size);
/* Likewise, of one that grows by pv_table_reserve(). */
#define pv_archive_table(a, array)                                                                 \
	pv_archive_table_elements((a), (void **)(void *)&(array)->v, &(array)->n, &(array)->room,  \
		sizeof *(array)->v)
void pv_archive_table_elements(
	struct pv_archive *a, void **v, size_t *n, size_t *room, size_t size);

void pv_archive_map(struct pv_archive *a, struct pv_map *m);
/* A text or NULL; loading interns it, and the pointer is the one of `in`. */
void pv_archive_text(struct pv_archive *a, struct pv_intern *in, const char **text);
void pv_archive_intern(struct pv_archive *a, struct pv_intern *in);

/* A count that is at most `most`, for loops: 0 once failed. */
size_t pv_archive_count(struct pv_archive *a, size_t n, size_t most);

#endif
