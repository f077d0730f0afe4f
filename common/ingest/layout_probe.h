/*
 * Further tries at a buffer that did not decode: it may be written in another layout, or its header
 * may claim too many bytes, so that other buffers begin in its tail. Ingest thread.
 */
#ifndef PV_INGEST_LAYOUT_PROBE_H
#define PV_INGEST_LAYOUT_PROBE_H

#include "common/format/mlpd/framer.h"
#include "common/ingest/decode_pool.h"

/*
 * Decodes the task again as the other layouts that the log's header may stand for; when one takes
 * all of it, *format becomes that one. False: out of memory.
 */
bool pv_layout_probe_layout(struct pv_decode_task *t, uint8_t says, struct mlpd_format *format);

/* Receives what is in the tail; batch returns false to stop. */
struct pv_layout_probe_sink {
	void *ctx;
	bool (*batch)(void *ctx, const struct pv_batch *b);
	void (*damage)(void *ctx, const struct mlpd_damage *d);
};

/*
 * The undecoded tail of a damaged batch as a stream of its own. pv_layout_probe_inside() is true
 * when buffers are in it: then the batch's damage ends where the first begins, and
 * pv_layout_probe_give(), called once the batch itself was used, gives them out (false: the sink
 * stopped it, or out of memory). pv_layout_probe_finish() in any case.
 */
struct pv_layout_probe {
	struct mlpd_framer framer;
	struct mlpd_format format;
	enum mlpd_piece piece;
};

/* The batch's damage ends after `bytes`: another buffer begins. `header`: offset of its own. */
void pv_layout_probe_shorten(struct pv_batch *b, uint64_t header, uint64_t bytes);

/* True, and false, as said above struct pv_layout_probe. */
bool pv_layout_probe_inside(struct pv_layout_probe *t, struct pv_batch *b,
	const struct mlpd_header *h, const struct mlpd_format *format);
bool pv_layout_probe_give(struct pv_layout_probe *t, const struct pv_layout_probe_sink *to);
void pv_layout_probe_finish(struct pv_layout_probe *t);

#endif
