/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: groups of methods with the same full name, and of classes with the
 * same image and full name. A group is a row. Taken under the model's lock; then one thread uses
 * the groups without the lock.
 */
#ifndef PV_QUERY_GROUPS_H
#define PV_QUERY_GROUPS_H

#include "common/query/groups/build.h"

struct pv_group_row {
	uint64_t id;       /* the row's id */
	uint64_t key;      /* wire key, shown when there is no name */
	const char *name;  /* lives as long as the model or `shared`; NULL: never arrived */
	const char *image; /* classes: NULL when unknown */
};

struct pv_groups_shared;

struct pv_groups {
	uint32_t *of; /* by method id, or class use id: index into row */
	size_t of_n;
	PV_ARRAY(struct pv_group_row) row; /* [0] stands for id 0 */
	struct pv_groups_shared *shared;   /* of all parts */
};

/*
 * Groups or splits as the query says, by image, namespace and so on; everything the query leaves
 * out is in a row of id PV_ROW_OUTSIDE. False when out of memory; finish is fine then too. The
 * names of rows live as long as the table.
 */
bool pv_groups_methods(struct pv_model *m, struct pv_build *b, struct pv_groups *ret);
bool pv_groups_classes(struct pv_model *m, struct pv_build *b, struct pv_groups *ret);
/* Only by name, whatever the query says. False likewise. */
bool pv_groups_methods_by_name(struct pv_model *m, const struct pv_build *b, struct pv_groups *ret);
bool pv_groups_classes_by_name(struct pv_model *m, const struct pv_build *b, struct pv_groups *ret);
void pv_groups_finish(struct pv_groups *g);

/* The group of an id; 0 for ids never given out. */
static inline uint32_t pv_group_of(const struct pv_groups *g, uint32_t id)
{
	return id < g->of_n ? g->of[id] : 0;
}

/* The group whose row has this id, UINT32_MAX when there is none. */
uint32_t pv_groups_find(const struct pv_groups *g, uint64_t row_id);

/* A group's name, or key as hex, owned by the table; never NULL. */
const char *pv_group_name(struct pv_build *b, const struct pv_groups *g, uint32_t group);

#endif
