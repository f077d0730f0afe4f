/* SPDX-License-Identifier: MIT */
/* Private to the files of identity_read.h. Functions that return bool set `error` when false. */
#ifndef PV_INGEST_IDENTITY_READ_PARTS_H
#define PV_INGEST_IDENTITY_READ_PARTS_H

#include "common/ingest/ingest_parts.h"
#include "common/ingest/again/identity_read.h"
#include "common/ingest/again/reread.h"
#include "common/model/identity/identity_use.h"

/* A buffer with relevant events. */
struct pv_identity_buffer {
	uint64_t offset, bytes; /* of the inflated stream, header included */
	int64_t from_ns;        /* due at: log clock */
	uint32_t shots;         /* shots beginning earlier in the file */
	uint32_t path;          /* stack of its thread's open calls */
};

/* A shot in the log. */
struct pv_identity_listed {
	int64_t time_ns;
	uint64_t objects, collection;
	bool whole, summary;
};

struct pv_identity_thread {
	uint64_t id;
	int64_t last_ns; /* latest of the relevant events */
};

struct pv_identity_read {
	struct pv_ingest *in; /* borrowed */
	struct pv_identity_read_options options;
	struct pv_background job;

	/* only for the job's thread */
	struct pv_target_info target;
	struct pv_model *model;
	struct pv_model *seed; /* NULL, or with all names: the beginning is not kept */
	struct pv_identity identity;
	struct pv_error error;

	/* the plan: results of the first reading */
	PV_ARRAY(struct pv_identity_buffer) buffer; /* by offset, later by from_ns */
	PV_ARRAY(struct pv_identity_listed) shot;
	PV_ARRAY(struct pv_identity_thread) writer;
	struct pv_map writer_of;        /* native id -> index */
	struct pv_identity_buffer head; /* of the current buffer */
	struct mlpd_format format;
	uint32_t recording_pid;
	uint64_t recording_ms;
	bool begun, other_family, damaged;
	uint64_t allocs, moves, collections, reached, reported;
	bool listing;     /* the current buffer holds only a heap shot */
	bool calls, bare; /* calls are traced; there are allocations without a stack of their own */
};

/* Sets the error to PV_ENOMEM; returns false. */
bool pv_identity_nomem(struct pv_identity_read *r);
/* Sets the progress; signals now and then. */
void pv_identity_report(
	struct pv_identity_read *r, const char *phase, uint64_t step, uint64_t steps);

/* identity_plan.c: the first reading, of the whole input. */
bool pv_identity_plan(struct pv_identity_read *r);
/* Whether the kind is relevant here. */
bool pv_identity_matters(unsigned kind);

/* identity_merge.c: the second reading. */
bool pv_identity_merge(struct pv_identity_read *r);

/* Facts about an event from its surroundings. */
struct pv_identity_where {
	uint32_t shot; /* number of a shot that begins here */
	uint32_t path; /* stack of an allocation without one of its own */
};

/* identity_events.c: applies one event of a batch. */
bool pv_identity_event(struct pv_identity_read *r, const struct pv_batch *b, size_t i,
	struct pv_identity_where where);

#endif
