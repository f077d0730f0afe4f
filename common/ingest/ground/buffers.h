/* SPDX-License-Identifier: MIT */
/*
 * The table of a log's buffers: place, times and threads of each, and the calls left open. With the
 * table a range is read again only from the buffers that overlap the range.
 *
 * Plain arrays of plain structures, so that a file can hold the table. The ingest thread fills the
 * table under the model's lock, right after a batch was applied. 64 MiB together: when full,
 * neighbouring buffers share a row.
 */
#ifndef PV_INGEST_BUFFERS_H
#define PV_INGEST_BUFFERS_H

#include "common/format/batch.h"
#include "common/format/mlpd/mlpd.h"
#include "common/model/model.h"
#include "common/model/objects/address_log.h"

enum {
	PV_BUFFERS_BYTES = 64 << 20,
	PV_BUFFERS_WHOLE = 1024, /* buffers of a thread between changes with its whole stack */
};

enum pv_buffer_flags {
	PV_BUFFER_STATE = 1,  /* has events that matter beyond their own time: always read */
	PV_BUFFER_ALL = 2,    /* has events about other threads' stacks */
	PV_BUFFER_DAMAGE = 4, /* lost bytes instead of a buffer: `change` is an index in damage[] */
};

/* Adjacent buffers; one, or a run decoded together, until rows are shared. */
struct pv_buffer_row {
	uint64_t offset; /* of the first buffer's header, in the inflated stream */
	uint64_t bytes;  /* to the end of the last buffer */
	uint32_t flags;
	uint32_t change; /* index of its first change; the last one precedes the next row's */
};

/* Effect of a row on one thread. */
struct pv_buffer_change {
	uint64_t thread; /* native id */
	int64_t min_ns,
		max_ns;    /* least and greatest time of its events, log clock; min > max: none */
	int64_t last_ns;   /* self time is counted up to here: the last call event */
	uint64_t too_deep; /* calls open beyond PV_STACK_DEPTH at the end */
	uint32_t keep;     /* lowest stack depth: so many outermost frames are unchanged */
	uint32_t frames;   /* open above these at the end */
	uint64_t frame;    /* index of the first, outermost, in frame[] */
};

struct pv_buffer_damage {
	uint64_t offset, bytes;
	char reason[80];
};

struct pv_buffers {
	PV_ARRAY(struct pv_buffer_row) row; /* by offset */
	PV_ARRAY(struct pv_buffer_change) change;
	PV_ARRAY(uint32_t) frame; /* method ids of the model */
	PV_ARRAY(struct pv_buffer_damage) damage;
	uint64_t end;              /* of the last row: the table holds up to here */
	uint32_t per_row;          /* buffers per row, a power of 2 */
	uint32_t in_row;           /* in the last row */
	char unusable[64];         /* empty, or why ranges must be read from the whole log */
	struct mlpd_format format; /* of the buffers */
	struct pv_address_log address_log;
	size_t limit; /* bytes; PV_BUFFERS_BYTES, less in tests */

	/* private: not kept in a file, found anew when a table is loaded */
	PV_ARRAY(struct pv_buffer_thread) thread;
	struct pv_map thread_at; /* native id > index in thread */
	uint64_t epochs;         /* of the model's threads, after the last batch */
	uint64_t folds;          /* of its call tree, likewise */
	size_t logged;           /* entries of the address log, likewise */
	uint32_t run;            /* of the last batch (call_summary.h), 0 = none */
};

/* A thread's stack after the last change. */
struct pv_buffer_thread {
	PV_ARRAY(uint32_t) node; /* of the call tree */
	uint32_t since_whole;
};

/* NULL when out of memory. pv_buffers_destroy() frees it. */
struct pv_buffers *pv_buffers_create(void);
void pv_buffers_destroy(struct pv_buffers *b);

/* `m` has applied the whole batch. Out of memory makes the table unusable, nothing else. */
void pv_buffers_note(struct pv_buffers *b, const struct mlpd_format *format,
	const struct pv_model *m, const struct pv_batch *batch);
/* The model has noted bytes between buffers as damage. */
void pv_buffers_damage(struct pv_buffers *b, uint64_t offset, uint64_t bytes, const char *reason);
/* Makes the table unusable; of the reasons the first is kept, as a copy. */
void pv_buffers_invalidate(struct pv_buffers *b, const char *why);

/* Copies all but the address log and the private part; false when out of memory. */
bool pv_buffers_copy(const struct pv_buffers *b, struct pv_buffers *ret);
void pv_buffers_finish(struct pv_buffers *b); /* of a copy */

#endif
