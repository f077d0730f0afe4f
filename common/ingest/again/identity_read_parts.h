/* Private to the files of identity_read.h. Functions that return bool set `error` when false. */
#ifndef PV_INGEST_IDENTITY_READ_PARTS_H
#define PV_INGEST_IDENTITY_READ_PARTS_H

#include "common/ingest/ingest_parts.h"
#include "common/ingest/again/identity_read.h"
#include "common/ingest/again/reread.h"
#include "common/model/objects/identity_use.h"

/* A buffer that holds something of the lives of objects. */
struct pv_identity_buffer {
	uint64_t offset, bytes; /* of the inflated stream, header included */
	int64_t from_ns;        /* it is due: log clock */
	uint32_t shots;         /* shots that begin before it in the file */
	uint32_t path;          /* stack of what its thread had open */
};

/* A shot as the log lists it. */
struct pv_identity_listed {
	int64_t time_ns;
	uint64_t objects, collection;
	bool whole, summary;
};

struct pv_identity_thread {
	uint64_t id;
	int64_t last_ns; /* latest of its events that matter */
};

struct pv_identity_read {
	struct pv_ingest *in; /* borrowed */
	struct pv_identity_read_options options;
	struct pv_background job;

	/* only for the thread that reads */
	struct pv_target_info target;
	struct pv_model *model;
	struct pv_model *seed; /* NULL, or one that knows all names: the beginning is not kept */
	struct pv_identity identity;
	struct pv_error error;

	/* the plan: what the first reading finds */
	PV_ARRAY(struct pv_identity_buffer) buffer; /* by offset, later by from_ns */
	PV_ARRAY(struct pv_identity_listed) shot;
	PV_ARRAY(struct pv_identity_thread) writer;
	struct pv_map writer_of;        /* native id -> index */
	struct pv_identity_buffer head; /* the one being read */
	struct mlpd_format format;
	uint32_t recording_pid;
	uint64_t recording_ms;
	bool begun, logging2007, damaged;
	uint64_t allocs, moves, collections, reached, reported;
	bool listing;     /* the buffer being read holds nothing but a heap shot */
	bool calls, bare; /* traced; there are allocations without a stack of their own */
};

/* Sets the error to PV_ENOMEM, and is false. */
bool pv_identity_nomem(struct pv_identity_read *r);
/* Sets the progress; signals now and then. */
void pv_identity_report(
	struct pv_identity_read *r, const char *phase, uint64_t step, uint64_t steps);

/* identity_plan.c: the first reading, of the whole input. */
bool pv_identity_plan(struct pv_identity_read *r);
/* Whether the kind matters here. */
bool pv_identity_matters(unsigned kind);

/* identity_merge.c: the second one. */
bool pv_identity_merge(struct pv_identity_read *r);

/* Context of an event that its bytes do not have. */
struct pv_identity_where {
	uint32_t shot; /* number that a shot has which begins here */
	uint32_t path; /* stack of an allocation without one of its own */
};

/* identity_events.c: one event of a batch to the lives, now. */
bool pv_identity_event(struct pv_identity_read *r, const struct pv_batch *b, size_t i,
	struct pv_identity_where where);

#endif
