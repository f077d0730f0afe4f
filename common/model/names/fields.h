/* SPDX-License-Identifier: MIT */
/*
 * Names of classes' fields, the parents of classes and the places of arrays' elements, as far as a
 * probe has written them (extension family 3). Part of the model: written by the ingest thread,
 * read under the lock.
 */
#ifndef PV_MODEL_FIELDS_H
#define PV_MODEL_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_FIELDS_CAP = 1 << 20 };

struct pv_field {
	uint64_t owner;  /* key of the class */
	int64_t time_ns; /* of the description, log clock */
	uint32_t name;   /* interned in names.text */
	uint32_t offset; /* bytes from the start of the object, or of the statics */
	uint32_t before; /* of the same owner, index + 1; 0 ends */
	bool is_static;
};

struct pv_parent {
	uint64_t owner, parent; /* keys of classes */
	int64_t time_ns;
	uint32_t before; /* as above */
};

struct pv_elements {
	uint64_t owner; /* key of the arrays' class */
	int64_t time_ns;
	uint32_t first, size; /* bytes: the first element's place, each element's size */
	uint32_t before;      /* as above */
};

struct pv_fields {
	PV_ARRAY(struct pv_field) field;
	PV_ARRAY(struct pv_parent) parent;
	PV_ARRAY(struct pv_elements) elements;
	struct pv_map field_of, parent_of, elements_of; /* owner -> index + 1 of the newest */
	struct pv_map known; /* private: hash of a field (differs by process) -> index + 1 */
	uint64_t dropped;    /* beyond PV_FIELDS_CAP */
};

struct pv_context;
struct pv_event;

/* Private to the model: ingest thread, with the lock. False when out of memory. */
bool pv_fields_apply(struct pv_context *x, const struct pv_event *e);
/* After loading: makes `known` anew. False when out of memory. */
bool pv_fields_link(struct pv_fields *f);
void pv_fields_finish(struct pv_fields *f);

#endif
