/*
 * Segments of calls that came summed up (call_summary.h): questions before a run is applied, and,
 * private to the model, how segments become nodes of the call tree. All run on the ingest thread,
 * the only one to change what they read; those that change figures need the model's lock. Functions
 * that return bool are false when out of memory, unless they are questions.
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
 * Whether calls of the next batch can come summed up. If so, fills the fields of *ret that the
 * decoder asks for. No lock is needed, for the next two neither.
 */
bool pv_model_summarises(const struct pv_model *m, struct pv_call_summary *ret);
/*
 * Registers the paths that a run's batches (at most PV_MAX_STREAMS) describe. Call once for each run,
 * in the log's order, before it is applied, whether or not its calls will be applied summed up. Until
 * then the batches stay where they are; all are applied, in order, and nothing else is between.
 */
bool pv_paths_register(struct pv_model *m, struct pv_batch *const *b, size_t n);
/*
 * Whether the run's calls have to be applied event by event, since their order counts: near the
 * limit of a table (what folds then depends on it), and where a later buffer has said that within
 * the run a thread ends or a key means something else.
 */
bool pv_calls_need_order(struct pv_model *m, struct pv_batch *const *b, size_t n);
/*
 * Call before a run is decoded event by event for that: later runs go on from what it leaves open.
 */
bool pv_calls_skip_summary(struct pv_model *m, struct pv_batch *const *b, size_t n);

/* --- private */

struct pv_stream_node {
	uint32_t node, turn; /* holds where the turn is the stream's present one */
};

/* A base that a stream had before, and the turn that paths above it were given then. */
struct pv_stream_base {
	uint32_t node, turn; /* 0: none */
};

/* Of a stream: what its segments, applied up to now, have left. */
struct pv_call_stream {
	uint32_t tree;  /* as summaries name it */
	uint32_t turn;  /* of the base, and another when nodes get other numbers or meanings */
	uint32_t turns; /* up to now */
	struct pv_stream_base had[PV_STREAM_BASES]; /* by number, where `changes` is as it was */
	uint64_t changes;                           /* in such, when the turn began */
	bool resumes;      /* the run before was applied event by event: `open` is right, ... */
			   /* ... the path above it is to be found out */
	bool shared;       /* a path goes over a method whose key has several meanings */
	uint32_t base;     /* node */
	size_t base_depth; /* of the thread's stack */
	uint32_t number;   /* of the segment applied last */
	const struct pv_thread *thread;        /* that it was applied for ... */
	size_t depth;                          /* ... with so many calls open after it ... */
	struct pv_frame top;                   /* ... this one innermost */
	PV_ARRAY(struct pv_summary_path) path; /* by number, the first PV_PATH_FIRST unused */
	PV_ARRAY(struct pv_stream_node) node;  /* likewise */
	PV_ARRAY(uint32_t) open;               /* paths of the calls open above the base */

	/* while a run is checked */
	uint64_t look, moves; /* the latter: it comes to another base in that one */
	size_t look_depth, look_max_depth;
};

/* Ingest thread only. */
struct pv_segments {
	struct pv_call_stream stream[PV_STREAM_SINGLE_BUFFER + 1];
	uint64_t changes, checks;
	uint64_t broken;            /* segments that did not go on from their stream: never any */
	PV_ARRAY(uint32_t) climbed; /* scratch */
	const struct pv_batch *due[PV_MAX_STREAMS]; /* the run registered last, to be applied ... */
	size_t due_n, due_at;                       /* ... all and in order: from `due_at` on */
	uint64_t shared_key[PV_SHARED_BITS / 64];   /* a bit for each key of a shared method */
	bool shared_known, shared_any;              /* those bits are up to date; one is set */
};

void pv_segments_finish(struct pv_segments *s); /* frees it */
/* Whether each key means one method in all of the run, as far as is known. */
bool pv_summaries_unambiguous(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* A method's key has come to have several meanings. */
void pv_summaries_note_shared(struct pv_model *m, uint64_t key);
/* Whether the run may add nodes or methods where there is no room. It counts as a look at a run. */
bool pv_summaries_near_cap(struct pv_model *m, struct pv_batch *const *b, size_t n);
/* A batch is applied: asserts that it is the next of its run. */
void pv_segments_next_batch(struct pv_segments *s, const struct pv_batch *b);
/* Whether the run registered last has been applied. */
static inline bool pv_segments_between_runs(const struct pv_segments *s)
{
	return s->due_at == s->due_n;
}
/*
 * The epoch of a batch's thread that its calls count for, owned by the model; NULL when it is new.
 */
const struct pv_thread *pv_summary_thread(const struct pv_model *m, const struct pv_batch *b);

/*
 * A segment is begun, then applied; false when out of memory. What takes long is to make nodes of
 * paths that were not there before: where there are many this is done at the beginning, with
 * pauses, when nothing is added to any figure yet.
 */
bool pv_segment_begin(struct pv_context *x, const struct pv_segment *s);
bool pv_segment_apply(struct pv_context *x, const struct pv_segment *s);
/* pv_segment_node() where it is not known yet; PV_MAP_NONE: out of memory. */
uint32_t pv_segment_find(struct pv_model *m, struct pv_call_stream *s, uint32_t path);

/* The tree's node for a path of the stream, as of the segment applied last. */
static inline uint32_t pv_segment_node(struct pv_model *m, struct pv_call_stream *s, uint32_t path)
{
	const struct pv_stream_node *n = &s->node.v[path];
	return n->turn == s->turn ? n->node : pv_segment_find(m, s, path);
}

#endif
