/* SPDX-License-Identifier: MIT */
/*
 * Private to the files of the names: ingest thread, with the model's lock. Functions that return
 * bool are false when out of memory. Times are ns on the log's clock.
 */
#ifndef PV_MODEL_NAMES_PARTS_H
#define PV_MODEL_NAMES_PARTS_H

#include "common/model/names/names.h"

/* --- names_method.c */

/* METHOD_JIT, a name only, METHOD_FREE. */
bool pv_names_describe(struct pv_names *n, const struct pv_event *e);
bool pv_names_place(struct pv_names *n, const struct pv_event *e);
bool pv_names_name_method(
	struct pv_names *n, uint64_t key, const struct pv_text *name, int64_t time);
void pv_names_free_method(struct pv_names *n, const struct pv_event *e);

/* Interns a name from the log; C++ symbols in their source form. */
bool pv_names_intern(struct pv_names *n, const struct pv_text *text, uint32_t *ret_id);

/* A class of this name was loaded. */
bool pv_names_class_loaded(struct pv_names *n, uint32_t name);
/* A class was unloaded: with the last class of the name its methods end too. */
bool pv_names_class_unloaded(struct pv_names *n, uint32_t name, int64_t time);

/* As pv_names_link() and pv_names_relist(), for methods. */
bool pv_names_link_methods(struct pv_names *n);
bool pv_names_relist_methods(struct pv_names *n);

/* --- names_find.c */

/* The newest id of a key; 0: none. */
uint32_t pv_names_newest(const struct pv_names *n, enum pv_entity_kind kind, uint64_t key);
/* True if allocations name classes by keys of this kind. */
static inline bool pv_names_are_classes(const struct pv_names *n, enum pv_entity_kind kind)
{
	return kind == (n->classes_by_vtable ? PV_ENTITY_VTABLE : PV_ENTITY_CLASS);
}

/*
 * Update the class uses bound to an epoch that has just ended, or begun as the second of its key.
 */
void pv_names_uses_ended(struct pv_names *n, uint64_t key, uint32_t entity, int64_t time);
bool pv_names_uses_defined(struct pv_names *n, uint64_t key, uint32_t entity);

#endif
