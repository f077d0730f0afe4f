/* SPDX-License-Identifier: MIT */
/*
 * Compiled methods, runtime helpers, and the code coverage of data versions 10 to 15. Part of the
 * model: written by the ingest thread, read under the lock. Sizes are bytes.
 */
#ifndef PV_MODEL_JIT_H
#define PV_MODEL_JIT_H

#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_HELPER_TYPES = 12, PV_COVERAGE_LIST = 1000000, PV_HELPER_NAMES = 4096 };

/* By the meaning of numbers from data version 14 on; older logs are translated. */
enum pv_helper_type {
	PV_HELPER_METHOD,
	PV_HELPER_TRAMPOLINE,
	PV_HELPER_UNBOX,
	PV_HELPER_IMT,
	PV_HELPER_GENERICS,
	PV_HELPER_SPECIFIC,
	PV_HELPER_HELPER,
	PV_HELPER_MONITOR,
	PV_HELPER_DELEGATE,
	PV_HELPER_EXCEPTION,
	PV_HELPER_UNKNOWN,
	PV_HELPER_OTHER
};

struct pv_helper_sum {
	uint64_t count, bytes;
};

/* Names are interned in names.text. */
struct pv_covered_assembly {
	uint32_t name, guid, file;
	uint64_t methods, full, partial;
};
struct pv_covered_class {
	uint32_t assembly, name;
	uint64_t methods, full, partial;
};
struct pv_covered_method {
	uint32_t assembly, class_name, name, signature, file;
	uint64_t token, id, statements;
	uint64_t covered; /* statements met with hits > 0 */
	uint64_t seen;    /* statements met */
	uint64_t il;      /* private: offset of the last statement */
};
struct pv_covered_statement {
	uint32_t method; /* index */
	uint64_t il, hits, line, column;
};

/*
 * Helpers with a name: specific trampolines. The other helpers of a type are the rest of its sum.
 */
struct pv_named_helper {
	uint32_t name;
	uint8_t type;
	struct pv_helper_sum sum;
};

struct pv_helpers {
	struct pv_helper_sum helper[PV_HELPER_TYPES];
	PV_ARRAY(struct pv_named_helper) named; /* first PV_HELPER_NAMES */
	uint64_t count, bytes;                  /* of helpers */
	uint64_t jitted;                        /* METHOD_JIT events */
	uint64_t code_bytes;                    /* without impossible sizes */
	uint64_t bad_sizes;                     /* number of sizes left out */
	PV_ARRAY(struct pv_covered_assembly) assemblies;
	PV_ARRAY(struct pv_covered_class) classes;
	PV_ARRAY(struct pv_covered_method) methods;
	PV_ARRAY(struct pv_covered_statement) statements; /* first PV_COVERAGE_LIST */
	uint64_t statements_dropped;
	uint64_t stray_statements; /* of a method that was not described */
	struct pv_map method_of;   /* private: the log's method id -> index */
	struct pv_map named_of;    /* private: type << 32 | name -> index */

	/* By pv_covered_link(): lists of the statements of each method, by index + 1, 0 ends. */
	struct pv_map newest_of;   /* method's index -> its newest statement */
	PV_ARRAY(uint32_t) linked; /* by statement: the statement before of the method */
};

/* Private to the model: ingest thread, with the lock; false when out of memory. */
struct pv_context;
struct pv_event;
bool pv_helpers_apply(struct pv_context *x, const struct pv_event *e);
void pv_helpers_finish(struct pv_helpers *h);

/*
 * With the lock: puts statements that came since the last call in lists. False when out of memory.
 */
bool pv_covered_link(struct pv_helpers *h);

#endif
