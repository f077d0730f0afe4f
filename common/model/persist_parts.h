/* SPDX-License-Identifier: MIT */
/*
 * Private to the files that write a model to an index. Each describes some stores by shapes
 * (shape.h), from which persist.c builds the model's, and checks after loading the invariants that
 * shapes cannot express. On one thread, as in persist.h; failures are in the archive.
 */
#ifndef PV_MODEL_PERSIST_PARTS_H
#define PV_MODEL_PERSIST_PARTS_H

#include "common/base/archive/archive.h"
#include "common/model/time/buckets_parts.h"
#include "common/model/objects/gc_parts.h"
#include "common/model/time/window_parts.h"

/* The lists that ids refer to. */
enum pv_store {
	PV_NO_STORE,
	PV_TEXTS,
	PV_ENTITIES, /* a store for each kind */
	PV_VTABLES = PV_ENTITIES + PV_ENTITY_VTABLE,
	PV_IMAGES = PV_ENTITIES + PV_ENTITY_IMAGE,
	PV_METHODS = PV_ENTITIES + PV_ENTITY_KINDS,
	PV_CLASS_USES,
	PV_STACKS,
	PV_NODES, /* of the call tree */
	PV_THREADS,
	PV_ALLOC_SITES,
	PV_THROW_SITES,
	PV_LOCK_SITES,
	PV_BY_LOCK,
	PV_LOCKS,
	PV_UNRESOLVED_EXCEPTIONS,
	PV_UNRESOLVED_HANDLES,
	PV_CLAUSES_BY_METHOD,
	PV_MESSAGES,
	PV_CATCHES,
	PV_HANDLES,
	PV_HANDLE_SITES,
	PV_ROOT_AREAS,
	PV_LINE_TABLES,
	PV_IL_MAPS,
	PV_PLACES,
	PV_PLACE_NODES,
	PV_PLACE_SUMS,
	PV_FIELDS,
	PV_PARENTS,
	PV_ARRAYS_ELEMENTS,
	PV_COVERED_METHODS,
	PV_NAMED_HELPERS,
	PV_COMPILES,
	PV_TRANSITIONS,
	PV_COUNTERS,
	PV_HELD_STACKS,
	PV_PIECES,
	PV_STORES
};
_Static_assert((int)PV_STORES <= (int)PV_ARCHIVE_STORES, "too many stores");

PV_SHAPE_IS(names, struct pv_names)
PV_SHAPE_IS(lines, struct pv_lines)
PV_SHAPE_IS(places, struct pv_places)
PV_SHAPE_IS(fields, struct pv_fields)
PV_SHAPE_IS(helpers, struct pv_helpers)
PV_SHAPE_IS(loads, struct pv_loads)
PV_SHAPE_IS(notes, struct pv_notes)
PV_SHAPE_IS(runtime, struct pv_runtime)
PV_SHAPE_IS(stacks, struct pv_stacks)
PV_SHAPE_IS(calls, struct pv_calls)
PV_SHAPE_IS(tree_sums, struct pv_tree_sums)
PV_SHAPE_IS(threads, struct pv_threads)
PV_SHAPE_IS(allocs, struct pv_allocs)
PV_SHAPE_IS(throws, struct pv_exceptions)
PV_SHAPE_IS(locks, struct pv_locks)
PV_SHAPE_IS(handles, struct pv_handles)
PV_SHAPE_IS(finalizers, struct pv_finalizers)
PV_SHAPE_IS(held, struct pv_held)
PV_SHAPE_IS(roots, struct pv_roots)
PV_SHAPE_IS(gc, struct pv_gc)
PV_SHAPE_IS(shots, struct pv_heap_shots)
PV_SHAPE_IS(counters, struct pv_counters)
PV_SHAPE_IS(timeline, struct pv_timeline)
PV_SHAPE_IS(lanes, struct pv_lanes)

/* Before counting: sorts the lists that are sorted only on demand. */
void pv_gc_prepare(struct pv_archive *a, struct pv_model *m);

/* Archives the part of the names that their shape leaves out, and checks the names. */
void pv_names_archive(struct pv_archive *a, struct pv_names *n);

/* Archive the parts of these stores that their shapes leave out. */
void pv_threads_archive(struct pv_archive *a, struct pv_threads *t);
void pv_gc_archive(struct pv_archive *a, struct pv_model *m);
void pv_timeline_archive(struct pv_archive *a, struct pv_timeline *t);
void pv_lanes_archive(struct pv_archive *a, struct pv_lanes *l);
void pv_addresses_archive(struct pv_archive *a, struct pv_addresses *t);
void pv_buckets_archive(struct pv_archive *a, struct pv_model *m);

/* After loading: the archive fails where parts of the model do not agree. */
void pv_calls_check(struct pv_archive *a, const struct pv_model *m);
void pv_sites_check(struct pv_archive *a, const struct pv_model *m);
void pv_gc_check(struct pv_archive *a, struct pv_model *m);
void pv_rest_check(struct pv_archive *a, struct pv_model *m);

#endif
