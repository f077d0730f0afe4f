/*
 * The calls of a buffer summed up where they are decoded: a stretch of enter and leave events is
 * what the calls of each path did. It goes on in the next buffer of its thread where several are
 * decoded together, a run: what they say holds only if all of them are applied.
 *
 * Paths are those of a strand: of one thread, for as long as whoever decodes knows what it has open
 * or at least what was opened above a place that stays, the strand's base. A path is named once, in
 * the batch in which it is met first, and has a number from then on. Stretches of a strand follow
 * each other; the batches between may be applied event by event, but then none that goes on can be.
 *
 * What stands between stretches (a leave without its enter, everything that is no call) stays an
 * event, in order, so whoever applies the batch knows the open calls before each stretch and ends
 * up with the same figures as event by event.
 *
 * All sums wrap: times are what the log says.
 */
#ifndef PV_FORMAT_DIGEST_H
#define PV_FORMAT_DIGEST_H

#include "common/base/mem.h"

/* In place of a kind: pv_batch.key is an index into digest.stretch. */
enum { PV_BATCH_STRETCH = 0xff };

/* In place of stretch_ns: nobody asks where they end. */
#define PV_STRETCH_ANY (INT64_C(1) << 61)

enum {
	PV_STRANDS = 64,              /* as many are gone on with */
	PV_STRAND_ALONE = PV_STRANDS, /* stands for a batch alone */
	PV_STRAND_BASE = 1,           /* number of the path that is whatever was open before */
	PV_STRAND_FIRST = 2,          /* of a strand's first path */
};

struct pv_digest_path {
	uint64_t key; /* method */
	uint32_t parent;
};

/* What the calls of one path did that ended in a stretch. */
struct pv_digest_sum {
	uint64_t total_ns;
	int64_t max_ns;
	uint32_t path, calls;
};

/* Events between two edges of the timeline's cells. */
struct pv_digest_count {
	int64_t time_ns; /* of the first */
	uint32_t enters, leaves, exc_leaves;
};

struct pv_digest_open {
	uint32_t path;
	int64_t enter_ns;
};

struct pv_stretch {
	int64_t from_ns, to_ns; /* of its first and last call event; time does not step back */
	uint32_t sum, sums;
	uint32_t exc, excs; /* paths, one for each call that an exception ended */
	uint32_t count, counts;
	uint32_t kept;        /* calls of the strand that were open before and stay so; above ... */
	uint32_t open, opens; /* ... them, calls that had not ended, outermost first */
	uint32_t deepest;     /* no more calls of the strand were open at once */
	uint32_t number;      /* in its strand */
	bool goes_on;         /* from the stretch before; else what is open now is the base */
};

struct pv_digest {
	/* What the reader asks for, before decoding; reset with the batch. */
	bool wanted;
	int64_t cell_origin_ns, cell_ns; /* of the timeline */
	int64_t stretch_ns;              /* stretches end at multiples of it on the log's clock */

	uint32_t strand;     /* up to PV_STRAND_ALONE */
	uint32_t tree;       /* its paths are numbered anew where this changes */
	uint32_t first_path; /* number of path.v[0] */
	uint64_t dropped;    /* strands whose paths before this are of no more use: a bit each */
	PV_ARRAY(struct pv_digest_path) path; /* those met first */
	PV_ARRAY(struct pv_digest_sum) sum;   /* of all stretches, as this and the next three */
	PV_ARRAY(uint32_t) exc;
	PV_ARRAY(struct pv_digest_count) count;
	PV_ARRAY(struct pv_digest_open) open;
	PV_ARRAY(struct pv_stretch) stretch;
	/* By index into batch.allocs: path that it was made in; 0: what the thread has open. */
	PV_ARRAY(uint32_t) alloc_path;
	PV_ARRAY(uint32_t)
	number;              /* by index into the batch, up to the last stretch: events before */
	uint64_t events;     /* of the batch that stand in stretches */
	uint32_t run, run_n; /* number of the run, and batches in it; 0: it stands for itself */
	bool resting; /* wanted, but nearly every call was a new path: nothing is summed up */

	/* Private to the decoder: what it began with, to do it again. */
	uint64_t base[4];
	uint8_t format[4];
	bool partial;
};

void pv_digest_reset(struct pv_digest *d);
void pv_digest_finish(struct pv_digest *d);
size_t pv_digest_bytes(const struct pv_digest *d); /* memory it occupies */

#endif
