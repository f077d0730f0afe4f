/* SPDX-License-Identifier: MIT */
/*
 * Private to the files that build a graph, by one thread. Functions that return bool are false when
 * out of memory.
 */
#ifndef PV_HEAP_GRAPH_PARTS_H
#define PV_HEAP_GRAPH_PARTS_H

#include "common/base/map.h"
#include "common/heap/graph_build.h"

/* An object as the log lists it. */
struct pv_raw_object {
	uint64_t address, size; /* size 0: continues another object, unless `unsized` */
	uint32_t type;          /* index in type */
	uint32_t first;         /* of its references; they end where the next object's begin */
	bool unsized;
};

struct pv_raw_type {
	uint64_t key;    /* class or vtable */
	int64_t time_ns; /* of its first object in the shot */
};

struct pv_raw_root {
	uint64_t object, slot;
	uint8_t source, flags;
	bool in_area; /* the kind is the area's */
};

/* A weak GC handle and its target. */
struct pv_raw_handle {
	uint64_t name;   /* type << 32 | number */
	uint32_t target; /* index in target */
	bool alive;
};

/*
 * Present address of handles' targets: a move changes the target once, not each handle. A target
 * moved to the address of another target becomes the same target.
 */
struct pv_weak_target {
	uint64_t object;
	uint32_t same_as; /* index + 1; 0: itself */
};

struct pv_weak_handles {
	PV_ARRAY(struct pv_raw_handle) handle;
	PV_ARRAY(struct pv_weak_target) target;
	struct pv_map by_name;   /* index in handle */
	struct pv_map by_object; /* index + 1 in target; 0: none any more */
};

struct pv_raw {
	PV_ARRAY(struct pv_raw_object) object;
	PV_ARRAY(uint64_t) target;
	PV_ARRAY(uint32_t) offset;
	PV_ARRAY(struct pv_raw_type) type;
	struct pv_map type_of; /* key -> index in type */
	PV_ARRAY(struct pv_raw_root) root;
	PV_ARRAY(struct pv_graph_string) string; /* in the log's order */
	struct pv_arena text;
	uint64_t strings_left;
	int64_t time_ns;
};

/* Follows handles, and moves of their targets. */
bool pv_weak_handles_apply(
	struct pv_weak_handles *w, const struct pv_batch *b, const struct pv_event *e);
void pv_weak_handles_finish(struct pv_weak_handles *w);
/* Present address of a handle's target; 0: the handle was freed. */
uint64_t pv_weak_handle_object(struct pv_weak_handles *w, size_t handle);

/* graph_strings.c: adds a string; false when out of memory. At the end all go to the graph. */
bool pv_raw_string_add(struct pv_raw *r, const struct pv_event *e);
void pv_raw_strings_give(struct pv_raw *r, struct pv_graph *g);

/*
 * graph_link.c: nodes, edges; class_of are still raw types. Objects and references move from `r`.
 * False: PV_ENOMEM, PV_ECANCELLED or PV_EUSAGE.
 */
bool pv_graph_link(struct pv_raw *r, const struct pv_progress *progress, struct pv_graph *g,
	struct pv_error *reterr);

/* Roots by node, then slot. */
void pv_graph_sort_roots(struct pv_graph *g);

/*
 * graph_roots.c, once roots have their areas: makes static fields of the elements that are fields,
 * and infers the roots missing in the log. live: nothing in the shot is garbage. False when out of
 * memory.
 */
bool pv_graph_infer_roots(struct pv_graph *g, bool live);

/* graph_names.c: classes, roots and their areas; `m` (may be NULL) is locked. */
bool pv_graph_name(struct pv_raw *r, struct pv_model *m, struct pv_graph *g);

/* graph_fields.c: fields of classes and areas; `m` is locked. False when out of memory. */
bool pv_graph_name_fields(const struct pv_model *m, struct pv_graph *g);

#endif
