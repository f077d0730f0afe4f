/* SPDX-License-Identifier: MIT */
/*
 * Calls of one thread, summed up while its buffers are decoded. In place of the enter and leave
 * events a batch has, for each call path, calls, total and longest time, and the calls still open.
 *
 * Terms. A *stream* is the calls of one thread as one decoder follows them; its *base* is the calls
 * open at the beginning. A *path* is a chain of methods above the base: described once, in the
 * first batch with the path, and numbered in the stream from then on. A *segment* is the sums of
 * consecutive call events. A *run* is some buffers that are decoded together; they are applied all
 * and in order, or event by event.
 *
 *     begin --> open --(limit in time, another event, end of the buffer)--> closed
 *                        the stream's next one may start from there: continues_previous
 *
 * Example, two runs of a buffer each: [enter A, enter B, leave B] gives the paths 2 = A and 3 =
 * A/B, a sum of path 3 (1 call), and A open. [leave A] gives no path, a sum of path 2 (1 call, from
 * A's enter in the buffer before), nothing still_open, and continues_previous.
 *
 * An event that is no call, or a leave without its enter, closes the segment and stays an event in
 * its place. So the model, which applies segments and events in order, knows the open calls before
 * each segment and ends up with the same figures as from single events.
 *
 * Times are ns on the log's clock; sums wrap, as the log's times are not checked. A summary is part
 * of its batch: the same thread uses both, and pv_batch_reset(), _finish() include the summary.
 */
#ifndef PV_FORMAT_CALL_SUMMARY_H
#define PV_FORMAT_CALL_SUMMARY_H

#include "common/base/mem.h"

/* In place of a kind: pv_batch.key is an index into summary.segment. */
enum { PV_BATCH_SEGMENT = 0xff };

/* A value of segment_ns: segments may end anywhere. */
#define PV_SEGMENT_ANY (INT64_C(1) << 61)

enum {
	PV_MAX_STREAMS = 64,                      /* kept from one run to the next */
	PV_STREAM_SINGLE_BUFFER = PV_MAX_STREAMS, /* of a batch summed up separately */
	PV_PATH_BASE = 1,                         /* number of the path that stands for the base */
	PV_PATH_FIRST = 2,                        /* of a stream's first path */
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
	int64_t from_ns, to_ns; /* first and last call event; time does not step back */
	uint32_t sum, sums;
	uint32_t exc, excs; /* paths, one for each call ended by an exception */
	uint32_t count, counts;
	uint32_t still_open;   /* calls of the stream, open before and still open */
	uint32_t open, opened; /* calls above these, not ended yet, outermost first */
	uint32_t max_depth;    /* greatest number of calls of the stream open at once */
	uint32_t number;       /* in its stream */
	/* goes on where the previous segment ended; false: the base is whatever is open now */
	bool continues_previous;
};

struct pv_call_summary {
	/* Set by the reader before decoding; reset with the batch. */
	bool wanted;
	int64_t cell_origin_ns, cell_ns; /* of the timeline */
	int64_t segment_ns;              /* segments end at multiples of this on the log's clock */

	uint32_t stream;     /* up to PV_STREAM_SINGLE_BUFFER */
	uint32_t tree;       /* paths are numbered anew after a change */
	uint32_t first_path; /* number of path.v[0] */
	/* streams whose earlier paths are not used any more: a bit each */
	uint64_t dropped;
	PV_ARRAY(struct pv_summary_path) path; /* new paths */
	PV_ARRAY(struct pv_summary_sum) sum;   /* of all segments, as this and the next three */
	PV_ARRAY(uint32_t) exc;
	PV_ARRAY(struct pv_summary_count) count;
	PV_ARRAY(struct pv_summary_open) open;
	PV_ARRAY(struct pv_segment) segment;
	/* By index into batch.allocs: the allocation's path; 0: the thread's open calls. */
	PV_ARRAY(uint32_t) alloc_path;
	/* By index into the batch, up to the last segment: events of the log before. */
	PV_ARRAY(uint32_t) number;
	uint64_t events;     /* of the batch, in segments */
	uint32_t run, run_n; /* number of the run, and batches in the run; 0: no run */
	bool resting; /* wanted, but nearly every call was a new path: nothing is summed up */

	/* Private to the decoder: the state at the beginning, to decode the batch again. */
	uint64_t base[4];
	uint8_t format[4];
	bool partial;
};

/* None of these allocates. reset() empties the summary and keeps the memory, finish() frees it. */
void pv_call_summary_reset(struct pv_call_summary *d);
void pv_call_summary_finish(struct pv_call_summary *d);
size_t pv_call_summary_bytes(const struct pv_call_summary *d); /* memory occupied */

#endif
