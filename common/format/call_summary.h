/*
 * The calls of a buffer summed up where they are decoded: a segment of enter and leave events is
 * what the calls of each path did. It goes on in the next buffer of its thread where several are
 * decoded together, a run: what they say holds only if all of them are applied.
 *
 * Paths are those of a stream: of one thread, for as long as whoever decodes knows what it has open
 * or at least what was opened above a place that stays, the stream's base. A path is named once, in
 * the batch in which it is met first, and has a number from then on. Segments of a stream follow
 * each other; the batches between may be applied event by event, but then none that goes on can be.
 *
 * What stands between segments (a leave without its enter, everything that is no call) stays an
 * event, in order, so whoever applies the batch knows the open calls before each segment and ends
 * up with the same figures as event by event.
 *
 * All sums wrap: times are what the log says.
 */
#ifndef PV_FORMAT_CALL_SUMMARY_H
#define PV_FORMAT_CALL_SUMMARY_H

#include "common/base/mem.h"

/* In place of a kind: pv_batch.key is an index into summary.segment. */
enum { PV_BATCH_SEGMENT = 0xff };

/* In place of segment_ns: nobody asks where they end. */
#define PV_SEGMENT_ANY (INT64_C(1) << 61)

enum {
	PV_MAX_STREAMS = 64,                      /* as many are gone on with */
	PV_STREAM_SINGLE_BUFFER = PV_MAX_STREAMS, /* stands for a batch alone */
	PV_PATH_BASE = 1,  /* number of the path that is whatever was open before */
	PV_PATH_FIRST = 2, /* of a stream's first path */
};

struct pv_summary_path {
	uint64_t key; /* method */
	uint32_t parent;
};

/* What the calls of one path did that ended in a segment. */
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
	uint32_t kept;        /* calls of the stream that were open before and stay so; above ... */
	uint32_t open, opens; /* ... them, calls that had not ended, outermost first */
	uint32_t deepest;     /* no more calls of the stream were open at once */
	uint32_t number;      /* in its stream */
	bool goes_on;         /* from the segment before; else what is open now is the base */
};

struct pv_call_summary {
	/* What the reader asks for, before decoding; reset with the batch. */
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

void pv_call_summary_reset(struct pv_call_summary *d);
void pv_call_summary_finish(struct pv_call_summary *d);
size_t pv_call_summary_bytes(const struct pv_call_summary *d); /* memory it occupies */

#endif
