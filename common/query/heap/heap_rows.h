/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: helpers shared by the views of a heap's objects. On the thread that
 * builds a table.
 */
#ifndef PV_QUERY_HEAP_ROWS_H
#define PV_QUERY_HEAP_ROWS_H

#include "common/heap/heap.h"
#include "common/query/groups/build.h"
#include "common/query/root_text.h"

/* Rows of objects have this id; 0 stands for all roots together. */
static inline uint64_t pv_object_row(uint32_t node)
{
	return (uint64_t)node + 1;
}

/* The object of a row id; NONE when the heap has none. */
uint32_t pv_object_of(const struct pv_heap *h, uint64_t row);

/* Name of an object's class, owned by the heap; never NULL. */
const char *pv_class_text(const struct pv_heap *h, uint32_t node);

/* Retained bytes, null for unreachable objects. */
void pv_cell_retained(struct pv_cell *c, const struct pv_heap *h, uint32_t node);

/* Address of the immediate dominator, null for roots and unreachable objects. */
void pv_cell_dominator(struct pv_cell *c, const struct pv_heap *h, uint32_t node);

enum { PV_KEEPER_TEXT = 200, PV_PREVIEW_TEXT = 240 };

/* "static Cache.entries", "static Cache.*", "stack: Order": `to`, cut to fit; never fails. */
const char *pv_keeper_text(
	const struct pv_heap *h, const struct pv_keeper *k, char *to, size_t size);

/*
 * The beginning of a string, for people, in quotation marks; at least PV_PREVIEW_TEXT bytes. False:
 * not in the log.
 */
bool pv_heap_preview(const struct pv_heap *h, uint32_t node, char *to, size_t size);

/* Coverage line about the heap's uncertainties, and the table's generation. */
void pv_build_heap_stamp(struct pv_build *b, struct pv_model *m);

/* A reference's place in an object. */
struct pv_object_ref {
	uint32_t node, offset; /* NONE: not recorded */
};

/*
 * `"a label\n"...`: the beginning of a string, for people; owned by the table; NULL: not in the
 * log.
 */
const char *pv_build_preview(struct pv_build *b, const struct pv_heap *h, uint32_t node);

/* "list", or "+0x18" where names are not known; owned by the table or heap; NULL for NONE. */
const char *pv_build_field(
	struct pv_build *b, const struct pv_heap *h, const struct pv_object_ref *ref);

/*
 * "static Cache.entries", or "static field Static Fields of Cache"; owned by the table, never NULL.
 */
const char *pv_build_root(struct pv_build *b, const struct pv_heap *h, size_t root);

#endif
