/* SPDX-License-Identifier: MIT */
/*
 * Segments of calls that came summed up (call_summary.h): questions before a run is applied, and,
 * private to the model, how segments become nodes of the call tree. All run on the ingest thread,
 * the only thread that changes the data read here; functions that change figures need the model's
 * lock. Functions that return bool are false when out of memory, unless they are questions.
 */
#ifndef PV_MODEL_SEGMENT_H
#define PV_MODEL_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/format/call_summary.h"
#include "common/model/calls/calls.h"

enum { PV_SHARED_BITS = 8192, PV_STREAM_BASES = 128 };

struct pv_batch;
struct pv_context;
struct pv_model;
struct pv_thread;

/*
 * True if calls of the next batch can come summed up. If so, fills the fields of *ret that the
 * decoder asks for. No lock is needed, for the next two neither.
 */
bool pv_model_summarises(const struct pv_model *m, struct pv_call_summary *ret);
/*
 * Registers the paths that a run's batches (at most PV_MAX_STREAMS) describe. Call once for each
 * run, in the log's order, before the run is applied, whether or not its calls will be applied
 * summed up. Until then the batches stay in place; all are applied, in order, with nothing else
 * between.
 */
bool pv_paths_register(struct pv_model *m, struct pv_batch *const *b, size_t n);
/*
 * True if the run's calls have to be applied event by event, since their order counts: near the
 * limit of a table (the order decides what folds), and where a later buffer has said that within
 * the run a thread ends or a key means something else.
 */
bool pv_calls_need_order(struct pv_model *m, struct pv_batch *const *b, size_t n);
/*
 * Call before a run is decoded event by event for that reason: later runs go on from the calls it
 * leaves open.
 */
bool pv_calls_skip_summary(struct pv_model *m, struct pv_batch *const *b, size_t n);

/* --- private */

struct pv_stream_node {
	uint32_t node, turn; /* valid while `turn` is the stream's present turn */
};

/* An earlier base of a stream, and the turn of the paths above the base. */
struct pv_stream_base {
	uint32_t node, turn; /* 0: none */
};

/* State of a stream after the segments applied so far. */
struct pv_call_stream {
	uint32_t tree;  /* as summaries name the tree */
	uint32_t turn;  /* of the base; another when nodes get other numbers or meanings */
	uint32_t turns; /* up to now */
	struct pv_stream_base had[PV_STREAM_BASES]; /* by number, while `changes` is as it was */
	uint64_t changes;                           /* pv_segments.changes at the turn's begin */
	bool resumes;      /* the run before was applied event by event: `open` is right, but ... */
			   /* ... the path above the base has to be found */
	bool shared;       /* a path has a method whose key has several meanings */
	uint32_t base;     /* node */
	size_t base_depth; /* of the thread's stack */
	uint32_t number;   /* of the segment applied last */
	const struct pv_thread *thread;        /* of the last segment ... */
	size_t depth;                          /* ... and number of calls open after it ... */
	struct pv_frame top;                   /* ... the innermost of them */
	PV_ARRAY(struct pv_summary_path) path; /* by number, the first PV_PATH_FIRST unused */
	PV_ARRAY(struct pv_stream_node) node;  /* likewise */
	PV_ARRAY(uint32_t) open;               /* paths of the calls open above the base */

	/* while a run is checked */
	uint64_t look, moves; /* moves: another base begins in this check */
	size_t look_depth, look_max_depth;
};

/* Ingest thread only. */
struct pv_segments {
	struct pv_call_stream stream[PV_STREAM_SINGLE_BUFFER + 1];
	uint64_t changes, checks;
	uint64_t broken;            /* segments that did not go on from their stream: never any */
	PV_ARRAY(uint32_t) climbed; /* scratch */
	const struct pv_batch *due[PV_MAX_STREAMS]; /* the last registered run, to be applied ... */
	size_t due_n, due_at;                       /* ... all and in order: from `due_at` on */
	uint64_t shared_key[PV_SHARED_BITS / 64];   /* a bit for each key of a shared method */
	bool shared_known, shared_any;              /* the bits are up to date; a bit is set */
};

void pv_segments_finish(struct pv_segments *s); /* frees the lists */
/* True if each key means a single method in all of the run, as far as is known. */
bool pv_summaries_unambiguous(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* A method's key has come to have several meanings. */
void pv_summaries_note_shared(struct pv_model *m, uint64_t key);
/* True if the run may add nodes or methods where there is no room. Counts as a check of the run. */
bool pv_summaries_near_cap(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* A batch is applied: asserts that the batch is the next of its run. */
void pv_segments_next_batch(struct pv_segments *s, const struct pv_batch *b);
/* True if the run registered last has been applied. */
static inline bool pv_segments_between_runs(const struct pv_segments *s)
{
	return s->due_at == s->due_n;
}
/*
 * The epoch of a batch's thread that its calls count for, owned by the model; NULL: a new thread.
 */
const struct pv_thread *pv_summary_thread(const struct pv_model *m, const struct pv_batch *b);

/*
 * A segment is begun, then applied; false when out of memory. Making nodes of new paths takes long:
 * where there are many this is done at the beginning, with pauses, before anything is added to any
 * figure.
 */
bool pv_segment_begin(struct pv_context *x, const struct pv_segment *s);
bool pv_segment_apply(struct pv_context *x, const struct pv_segment *s);
/* pv_segment_node() for a path not found yet; PV_MAP_NONE: out of memory. */
uint32_t pv_segment_find(struct pv_model *m, struct pv_call_stream *s, uint32_t path);

/* The tree's node for a path of the stream, as of the segment applied last. */
static inline uint32_t pv_segment_node(struct pv_model *m, struct pv_call_stream *s, uint32_t path)
{
	const struct pv_stream_node *n = &s->node.v[path];
	return n->turn == s->turn ? n->node : pv_segment_find(m, s, path);
}

#endif
