/*
 * The calls of a buffer summed up where they are decoded: a stretch of enter and leave events is a
 * small call tree below whatever was open when it began. It goes on in the next buffer of its thread
 * where several are decoded together, a run: what they say holds only if all of them are applied.
 * What stands between stretches (a leave without its enter, everything that is no call) stays an
 * event, in order, so whoever applies the batch knows the open calls before each stretch and ends
 * up with the same figures as event by event, whoever decoded it.
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

/* What one path of calls did in a stretch: calls that ended in it, and those open at its end. */
struct pv_digest_node {
	uint64_t key;      /* method; of a stretch's first node: none */
	uint64_t total_ns; /* of calls that ended */
	uint64_t self_ns;  /* within the stretch, open calls included */
	int64_t max_ns;
	uint32_t calls, exc_leaves;
	uint32_t parent; /* smaller than the node's own index; the first's: itself */
};

/* Events between two edges of the timeline's cells. */
struct pv_digest_count {
	int64_t time_ns; /* of the first */
	uint32_t enters, leaves, exc_leaves;
};

struct pv_digest_open {
	uint32_t node;
	int64_t enter_ns;
};

struct pv_stretch {
	int64_t from_ns, to_ns; /* of its first and last call event; time does not step back */
	uint32_t node, nodes;   /* the first stands for what was open when it began */
	uint32_t count, counts;
	uint32_t open, opens; /* calls that had not ended, outermost first */
};

struct pv_digest {
	/* What the reader asks for, before decoding; reset with the batch. */
	bool wanted;
	int64_t cell_origin_ns, cell_ns; /* of the timeline */
	int64_t stretch_ns;              /* stretches end at multiples of it on the log's clock */

	PV_ARRAY(struct pv_digest_node) node; /* of all stretches; [0] unused */
	PV_ARRAY(struct pv_digest_count) count;
	PV_ARRAY(struct pv_digest_open) open;
	PV_ARRAY(struct pv_stretch) stretch;
	/* By index into batch.allocs: node of the stretch before it; 0: what the thread has open. */
	PV_ARRAY(uint32_t) alloc_node;
	PV_ARRAY(uint32_t)
	number;          /* by index into the batch, up to the last stretch: events before */
	uint64_t events; /* of the batch that stand in stretches */
	size_t depth;    /* the stretches' depths together */
	uint32_t run, run_n; /* number of the run, and batches in it; 0: it stands for itself */

	/* Private to the decoder: what it began with, to do it again. */
	uint64_t base[4];
	uint8_t format[4];
	bool partial;
};

void pv_digest_reset(struct pv_digest *d);
void pv_digest_finish(struct pv_digest *d);
size_t pv_digest_bytes(const struct pv_digest *d); /* memory it occupies */

#endif
