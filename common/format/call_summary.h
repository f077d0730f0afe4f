/*
 * Calls of one thread, summed up while its buffers are decoded. In place of the enter and leave
 * events a batch has, for each call path, calls, total and longest time, and what is still open.
 *
 * Terms. A *stream* is the calls of one thread as one decoder follows them; its *base* is whatever
 * was open where that began. A *path* is a chain of methods above the base. It is described once,
 * in the batch that meets it first, and from then on has a number in its stream. A *segment* is the
 * sums of call events in a row. A *run* is some buffers that are decoded together; they are applied
 * all and in order, or event by event.
 *
 *     begin --> open --(limit in time, another event, end of the buffer)--> closed
 *                        the next one of the stream may start from it: continues_previous
 *
 * Example, two runs of a buffer each: [enter A, enter B, leave B] gives the paths 2 = A and 3 =
 * A/B, a sum of path 3 (1 call), and A open. [leave A] gives no path, a sum of path 2 (1 call, from
 * A's enter in the buffer before), nothing still_open, and continues_previous.
 *
 * An event that is no call, or a leave without its enter, closes the segment and stays an event in
 * its place. So the model, which applies segments and events in order, knows the open calls before
 * each segment and has the same figures in the end as from single events.
 *
 * Times are ns on the log's clock; sums wrap, as times are what the log says. A summary is part of
 * its batch: the same thread uses both, and pv_batch_reset(), _finish() include it.
 */
#ifndef PV_FORMAT_CALL_SUMMARY_H
#define PV_FORMAT_CALL_SUMMARY_H

#include "common/base/mem.h"

/* In place of a kind: pv_batch.key is an index into summary.segment. */
enum { PV_BATCH_SEGMENT = 0xff };

/* As segment_ns: segments may end anywhere. */
#define PV_SEGMENT_ANY (INT64_C(1) << 61)

enum {
	PV_MAX_STREAMS = 64,                      /* kept from one run to the next */
	PV_STREAM_SINGLE_BUFFER = PV_MAX_STREAMS, /* of a batch that is summed up by itself */
	PV_PATH_BASE = 1,  /* number of the path that is whatever was open before */
	PV_PATH_FIRST = 2, /* of a stream's first path */
};

struct pv_summary_path {
	uint64_t key; /* method */
	uint32_t parent;
};

/* Calls of one path that ended within a segment. */
struct pv_summary_sum {
	uint64_t total_ns;
	int64_t max_ns;
	uint32_t path, calls;
};

/* Events between two edges of the timeline's cells. */
struct pv_summary_count {
	int64_t time_ns; /* of the first */
	uint32_t enters, leaves, exc_leaves;
};

struct pv_summary_open {
	uint32_t path;
	int64_t enter_ns;
};

struct pv_segment {
	int64_t from_ns, to_ns; /* of its first and last call event; time does not step back */
	uint32_t sum, sums;
	uint32_t exc, excs; /* paths, one for each call that an exception ended */
	uint32_t count, counts;
	uint32_t still_open;     /* calls of the stream that were open before and still are */
	uint32_t open, opened;   /* calls above these that had not ended, outermost first */
	uint32_t max_depth;      /* greatest number of calls of the stream open at once */
	uint32_t number;         /* in its stream */
	bool continues_previous; /* from the segment before; else the base is what is open now */
};

struct pv_call_summary {
	/* Set by the reader before decoding; reset with the batch. */
	bool wanted;
	int64_t cell_origin_ns, cell_ns; /* of the timeline */
	int64_t segment_ns;              /* segments end at multiples of it on the log's clock */

	uint32_t stream;     /* up to PV_STREAM_SINGLE_BUFFER */
	uint32_t tree;       /* its paths are numbered anew where this changes */
	uint32_t first_path; /* number of path.v[0] */
	uint64_t dropped;    /* streams whose paths before this are of no more use: a bit each */
	PV_ARRAY(struct pv_summary_path) path; /* those met first */
	PV_ARRAY(struct pv_summary_sum) sum;   /* of all segments, as this and the next three */
	PV_ARRAY(uint32_t) exc;
	PV_ARRAY(struct pv_summary_count) count;
	PV_ARRAY(struct pv_summary_open) open;
	PV_ARRAY(struct pv_segment) segment;
	/* By index into batch.allocs: path that it was made in; 0: what the thread has open. */
	PV_ARRAY(uint32_t) alloc_path;
	PV_ARRAY(uint32_t)
	number;              /* by index into the batch, up to the last segment: events before */
	uint64_t events;     /* of the batch that stand in segments */
	uint32_t run, run_n; /* number of the run, and batches in it; 0: it stands for itself */
	bool resting; /* wanted, but nearly every call was a new path: nothing is summed up */

	/* Private to the decoder: what it began with, to do it again. */
	uint64_t base[4];
	uint8_t format[4];
	bool partial;
};

/* None of these allocates. `reset` empties it and keeps the memory, `finish` frees it. */
void pv_call_summary_reset(struct pv_call_summary *d);
void pv_call_summary_finish(struct pv_call_summary *d);
size_t pv_call_summary_bytes(const struct pv_call_summary *d); /* memory it occupies */

#endif
