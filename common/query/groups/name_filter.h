/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the terms of a filter (base/filter.h) that hold for one name, of a
 * method, a class or anything else. Names match in the log's words and as people read them.
 */
#ifndef PV_QUERY_NAME_FILTER_H
#define PV_QUERY_NAME_FILTER_H

#include "common/base/filter/filter.h"
#include "common/base/map.h"
#include "common/query/membership.h"
#include "common/query/table.h"

struct pv_name_place {
	struct pv_slice assembly, image; /* the model's */
};

/* Assemblies and images (native code: files) of names. Valid when zeroed: then for no name. */
struct pv_name_places {
	struct pv_map at; /* hash of a name -> index in `of` */
	PV_ARRAY(struct pv_name_place) of;
};

/* Whether a term asks for assemblies or images. */
bool pv_name_places_wanted(const struct pv_filter *f);
/* Under the model's lock. False when out of memory; finish is due then too. */
bool pv_name_places_make(struct pv_name_places *p, const struct pv_model *m);
void pv_name_places_finish(struct pv_name_places *p);

/*
 * Whether a term holds for a name in such a column; PV_FILTER_THREAD, _KIND and comparisons never
 * do, _STACK and _SITE do where the name has the text. `places` may be NULL. Any thread.
 */
bool pv_name_holds(const struct pv_filter_leaf *leaf, const struct pv_column *column,
	const char *name, const struct pv_name_places *places);

/* Bit i: term i holds for the name; `kind`: of the method's code, or NULL. Any thread. */
uint64_t pv_name_bits(const struct pv_filter *f, const struct pv_column *column, const char *name,
	const char *kind, const struct pv_name_places *places);

/* Bits of the terms about a field. Pure. */
uint64_t pv_filter_bits_of(const struct pv_filter *f, enum pv_filter_field field);

#endif
