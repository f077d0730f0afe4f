/* SPDX-License-Identifier: MIT */
/*
 * Heap shots, summarised per class while they are read. Part of the model: written by the ingest
 * thread, read under the lock.
 */
#ifndef PV_MODEL_SHOTS_H
#define PV_MODEL_SHOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"

enum { PV_SHOTS_ROWS = 2000000, PV_SHOTS_LIST = 65536 }; /* class rows of all shots together */

struct pv_shot_class {
	uint32_t class_use; /* id in names */
	uint64_t objects, bytes;
	union {
		uint64_t dead_objects;  /* met dead or unreachable: only in logs of 2007 */
		uint64_t young_objects; /* of generation 0: newer logs, from data version 16 on */
	};
	union {
		uint64_t dead_bytes;
		uint64_t young_bytes;
	};
};

struct pv_shot {
	uint32_t index;           /* number in the log, from 0, shots outside a range included */
	int64_t start_ns, end_ns; /* log clock; end PV_NEVER while open */
	uint64_t objects;         /* of size > 0: size 0 continues an object */
	uint64_t bytes;
	uint64_t references; /* continuations included */
	uint64_t roots;
	uint64_t dead_objects, dead_bytes;
	uint64_t collection; /* number of the collection in a log of 2007, else 0 */
	uint64_t unsized; /* of the objects: size and class were not recorded (stage A of 2007) */
	PV_ARRAY(struct pv_shot_class) classes; /* sorted by class_use once ended */
	uint64_t at;         /* offset of the buffer with its start; UINT64_MAX: not known */
	uint32_t skip;       /* shots that begin earlier in that buffer */
	bool summary;        /* of a log of 2007, by class: no objects or references were listed */
	bool open;           /* being read now: figures so far */
	bool summarised;     /* private: figures are from the summary */
	bool torn;           /* the end is missing */
	bool generations;    /* known: an object was of a generation above 0 */
	bool classes_folded; /* the class rows were dropped to stay within PV_SHOTS_ROWS */
};

struct pv_heap_shots {
	/* In file order; every second shot goes when there are too many. */
	PV_ARRAY(struct pv_shot) shot;
	uint64_t stray_objects; /* heap objects outside any shot */
	uint64_t discarded;     /* the probe's counter "discarded heap shots" */
	uint64_t folded;        /* shots dropped, or whose class rows were dropped */

	/* private */
	uint32_t next_index;
	size_t list_cap;           /* PV_SHOTS_LIST, less in tests */
	uint64_t rows, cap;        /* class rows of ended shots; PV_SHOTS_ROWS, less in tests */
	uint64_t batch_at;         /* buffer in which a shot began last, and */
	uint32_t in_batch;         /* number of shots that began there */
	bool skipping;             /* inside a shot that the restriction leaves out */
	size_t open;               /* index + 1 of the open shot; 0 = none */
	PV_ARRAY(uint32_t) row_of; /* class_use -> row + 1 in the open shot */
};

/* The newest ended shot, owned by the model; NULL: none. */
const struct pv_shot *pv_shots_newest(const struct pv_heap_shots *s);

/*
 * Contents of shots, by the options in the log's header: only live objects, since the profiler made
 * the runtime collect before each; or also unreachable objects. Most logs state neither.
 */
enum pv_shots_content { PV_SHOTS_UNSAID, PV_SHOTS_LIVE, PV_SHOTS_GARBAGE };
struct pv_model;
enum pv_shots_content pv_shots_content(const struct pv_model *m);
/* True if the roots in shots are only static fields, by the same options. */
bool pv_roots_are_statics(const struct pv_model *m);

#endif
