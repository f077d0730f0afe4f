/* SPDX-License-Identifier: MIT */
/*
 * Durations and failures of loading, unloading and compiling. Logs of 2007 have the time of each
 * beginning; others the ns of compiling where a probe wrote them, and failed loads. Part of the
 * model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_LOADS_H
#define PV_MODEL_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_LOADS_LIST = 65536 };

struct pv_load {
	int64_t end_ns;  /* log clock */
	int64_t took_ns; /* PV_NEVER: the begin was not recorded */
	uint64_t key;    /* of the thing in the log */
	uint32_t name;   /* interned in names.text, 0 = none given */
	uint8_t what;    /* enum pv_entity_kind: domain, assembly, image or class */
	bool unload, failed;
};

/* The compiler's work on one method, including work on other methods in between. */
struct pv_compile {
	uint32_t method; /* id in names */
	uint32_t times;  /* compilations with a recorded begin */
	uint32_t failed; /* of these compilations */
	int64_t total_ns, max_ns;
};

struct pv_loads {
	PV_ARRAY(struct pv_load) load; /* first PV_LOADS_LIST */
	uint64_t loads, failed;        /* all loads */
	PV_ARRAY(struct pv_compile) compile;
	struct pv_map compile_of;           /* method id -> index */
	uint64_t compiles, compiles_failed; /* all that ended; failures among them */
	int64_t compile_ns, compile_max_ns;
};

struct pv_context;
struct pv_event;

/* Private to the model. False when out of memory. */
bool pv_loads_apply(struct pv_context *x, const struct pv_event *e);
/* The same from extension events. False likewise. */
bool pv_loads_apply_extension(struct pv_context *x, const struct pv_event *e);
void pv_loads_finish(struct pv_loads *s);

#endif
