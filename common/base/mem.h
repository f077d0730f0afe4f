/* SPDX-License-Identifier: MIT */
/*
 * Growable arrays and an append-only arena. Allocation failure is a value (false or NULL),
 * never an exit. Neither is thread-safe.
 */
#ifndef PV_BASE_MEM_H
#define PV_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * PV_ARRAY(T) declares a growable array of T: { T *v; size_t n, room; }, valid when zeroed.
 * pv_reserve(&array, extra) makes room for `extra` more elements; false: out of memory, and the
 * array is unchanged. Elements move when an array grows: keep indices, not pointers.
 */
#define PV_ARRAY(T)                                                                                \
	struct {                                                                                   \
		T *v;                                                                              \
		size_t n, room;                                                                    \
	}

#define pv_reserve(a, extra)                                                                       \
	((a)->room - (a)->n >= (size_t)(extra) ||                                                  \
		pv_grow_array((void **)(void *)&(a)->v, (a)->n, &(a)->room, (size_t)(extra),       \
			sizeof *(a)->v))

/* Frees the elements and leaves the array empty and usable. */
#define pv_array_finish(a) pv_free_array((void **)(void *)&(a)->v, &(a)->n, &(a)->room)

/* For the macros above. False when out of memory: then the array is as before. */
bool pv_grow_array(void **v, size_t n, size_t *room, size_t extra, size_t size);
void pv_free_array(void **v, size_t *n, size_t *room);

/*
 * `size` zeroed bytes, aligned to a cache line, for tables in constant use: for large tables the
 * system is asked for large pages. NULL when out of memory.
 */
void *pv_table_alloc(size_t size);
/*
 * Grows a table of `size` bytes (NULL, or from pv_table_alloc() or here) to `more` bytes, not
 * fewer: new bytes are zeroed, and large tables are not copied. NULL: out of memory, the table is
 * unchanged.
 */
void *pv_table_grow(void *table, size_t size, size_t more);
/*
 * Call before a table is read and written all over: all pages come at once, instead of twice each,
 * first as a page of zeros to read, then as a page to write. Does nothing for a small table.
 */
void pv_table_fill(void *table, size_t size);
void pv_table_free(void *table, size_t size); /* `size` as asked for; NULL is fine */

/* Like pv_reserve() and pv_array_finish(), for an array that becomes such a table when large. */
#define pv_table_reserve(a, extra)                                                                 \
	((a)->room - (a)->n >= (size_t)(extra) ||                                                  \
		pv_grow_table((void **)(void *)&(a)->v, (a)->n, &(a)->room, (size_t)(extra),       \
			sizeof *(a)->v))
#define pv_table_finish(a)                                                                         \
	pv_free_table((void **)(void *)&(a)->v, &(a)->n, &(a)->room, sizeof *(a)->v)

/* For the macros above. False when out of memory: then the array is as before. */
bool pv_grow_table(void **v, size_t n, size_t *room, size_t extra, size_t size);
void pv_free_table(void **v, size_t *n, size_t *room, size_t size);

/*
 * An arena hands out memory that never moves and is freed all at once. Valid when zeroed. Not
 * thread-safe for writers; any thread may read memory whose address it got under a lock.
 */
struct pv_arena {
	struct pv_arena_chunk *last;
	size_t bytes; /* total handed out */
};

/* `size` zeroed bytes, aligned for any scalar; NULL when out of memory. */
void *pv_arena_alloc(struct pv_arena *a, size_t size);

/* A NUL-terminated copy of `len` bytes; NULL when out of memory. */
char *pv_arena_copy(struct pv_arena *a, const char *text, size_t len);

/* printf into the arena; NULL when out of memory. */
char *pv_arena_printf(struct pv_arena *a, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Frees everything handed out; the arena is empty and usable. */
void pv_arena_finish(struct pv_arena *a);
/* Empty again, with memory for a little: for what is made anew time and again. */
void pv_arena_reset(struct pv_arena *a);

#endif
