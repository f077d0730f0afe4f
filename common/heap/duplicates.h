/*
 * Strings of a heap that say the same, as far as the log has them: groups of one text and one
 * length. Beyond the beginning that was recorded they may differ. Pure functions of a heap; any
 * thread. Time is that of sorting the strings.
 */
#ifndef PV_HEAP_DUPLICATES_H
#define PV_HEAP_DUPLICATES_H

#include <stdbool.h>

#include "common/base/mem.h"

struct pv_heap;

struct pv_duplicate {
	uint32_t node;   /* one of them; its text is the graph's string */
	uint64_t count;  /* strings that say this */
	uint64_t wasted; /* bytes of all of them but one, as large as `node` */
	bool whole;      /* the text is all of it, not only its beginning */
};

struct pv_duplicates {
	PV_ARRAY(struct pv_duplicate) group; /* of two and more, by bytes wasted, descending */
	uint64_t wasted;                     /* by all of them */
	uint64_t strings;                    /* with a text in the log */
};

/* False when out of memory; finish it in either case. */
bool pv_duplicates_find(const struct pv_heap *h, struct pv_duplicates *ret);
void pv_duplicates_finish(struct pv_duplicates *d);

#endif
