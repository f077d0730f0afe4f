/* SPDX-License-Identifier: MIT */
/* The choice and order of a heap's objects for a list. Any thread. */
#ifndef PV_QUERY_HEAP_CHOOSE_H
#define PV_QUERY_HEAP_CHOOSE_H

#include "common/heap/heap.h"
#include "common/query/groups/name_filter.h"

/* The first `limit` objects by `key`. */
struct pv_chosen {
	uint32_t *node;
	size_t n;
	size_t left_out;
};
enum pv_choice_key { PV_BY_RETAINED, PV_BY_BYTES, PV_BY_ADDRESS, PV_BY_CLASS_NAME, PV_BY_TEXT };
struct pv_choice {
	enum pv_choice_key key;
	bool descending;
	const char *filter; /* of class names, beginnings of strings, figures; or an address
			       0x..., a size =24; NULL all */
	enum pv_filter_way way;
	const struct pv_name_places *places; /* of classes; NULL: not known */
	uint64_t klass;                      /* row id; 0 all */
	const uint32_t *of;                  /* only these of_n objects; NULL: all */
	size_t of_n, limit;                  /* limit 0: none */
};
/* False when out of memory; pv_chosen_finish() frees the result. */
bool pv_choose_objects(const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret);
void pv_chosen_finish(struct pv_chosen *c);

#endif
