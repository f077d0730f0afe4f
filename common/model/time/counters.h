/* SPDX-License-Identifier: MIT */
/*
 * Counters and their samples over time. Values are absolute here, also where the log has
 * differences. Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_COUNTERS_H
#define PV_MODEL_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

#define PV_ROUTES_METER "http.server.request.duration" /* of ASP.NET, by OpenTelemetry's names */

enum { PV_COUNTER_LIST = 65536, PV_COUNTER_SAMPLES = 2000000, PV_COUNTERS_CAP = 65536 };

struct pv_counter_sample {
	int64_t time_ns; /* log clock */
	union {
		int64_t i;     /* INT (sign-extended), WORD, LONG, TIME_INTERVAL */
		uint64_t u;    /* UINT, ULONG */
		double d;      /* DOUBLE */
		uint64_t text; /* STRING: interned in names.text */
	};
};

/* Statements of our probes about themselves, in counters of section PV_SECTION_PROFILER. */
enum pv_counter_role {
	PV_COUNTER_PLAIN,
	PV_COUNTER_LOST,
	PV_COUNTER_PAUSED,
	PV_COUNTER_DISCARDED,
	PV_COUNTER_FORCED,
	PV_COUNTER_FULL,
	PV_COUNTER_ENDED
};

struct pv_counter {
	uint64_t index;                         /* the log's number of the counter */
	uint64_t section, type, unit, variance; /* as on the wire; type is enum pv_counter_type */
	uint32_t name, section_name;            /* interned in names.text */
	uint32_t unit_name;                     /* likewise; 0: see `unit` */
	enum pv_counter_role role;
	bool described; /* false: sampled before any description came */
	/* in file order, losses and pauses by time; within the restriction */
	PV_ARRAY(struct pv_counter_sample) samples;
	uint64_t seen; /* samples met; more than samples.n when the list has been halved */
	uint64_t raw;  /* private: the running value */
	uint64_t base; /* private: the value before the first sample */
};

struct pv_counters {
	PV_ARRAY(struct pv_counter) counter; /* by order of first appearance; [0] unused */
	struct pv_map of;                    /* log index -> newest */
	bool routes;      /* requests of a web server are there, PV_ROUTES_METER */
	uint64_t folded;  /* samples merged away, or of counters beyond the cap */
	size_t cap;       /* PV_COUNTERS_CAP, less in tests */
	size_t total;     /* samples kept, of all counters */
	uint64_t strings; /* private */
};

#endif
