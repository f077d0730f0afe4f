/* SPDX-License-Identifier: MIT */
/*
 * Strings of a heap with equal texts, as far as the log has them: groups of one text and one
 * length. Beyond the recorded beginning they may differ. Pure functions of a heap; any thread. Time
 * is that of sorting the strings.
 */
#ifndef PV_HEAP_DUPLICATES_H
#define PV_HEAP_DUPLICATES_H

#include <stdbool.h>

#include "common/base/mem.h"

struct pv_heap;

struct pv_duplicate {
	uint32_t node;   /* any of them; the text is the graph's string */
	uint64_t count;  /* strings with this text */
	uint64_t wasted; /* bytes of all strings but one, as large as `node` */
	bool whole;      /* the text is the whole string, not only its beginning */
};

struct pv_duplicates {
	PV_ARRAY(struct pv_duplicate) group; /* of two and more, by bytes wasted, descending */
	uint64_t wasted;                     /* by all groups */
	uint64_t strings;                    /* with a text in the log */
};

/* False when out of memory; call pv_duplicates_finish() in either case. */
bool pv_duplicates_find(const struct pv_heap *h, struct pv_duplicates *ret);
void pv_duplicates_finish(struct pv_duplicates *d);

#endif
