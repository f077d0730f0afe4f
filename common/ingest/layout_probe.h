/* SPDX-License-Identifier: MIT */
/*
 * Further attempts at a buffer that did not decode: its layout may be another one, or its header
 * may claim too many bytes, so that other buffers begin in its tail. Ingest thread.
 */
#ifndef PV_INGEST_LAYOUT_PROBE_H
#define PV_INGEST_LAYOUT_PROBE_H

#include "common/format/mlpd/framer.h"
#include "common/ingest/decode_pool.h"

/*
 * Decodes the task again in the other layouts possible for the log's header; if a layout takes the
 * whole payload, *format becomes this layout. False: out of memory.
 */
bool pv_layout_probe_layout(struct pv_decode_task *t, uint8_t says, struct mlpd_format *format);

/* Receives the buffers of the tail; batch() returns false to stop. */
struct pv_layout_probe_sink {
	void *ctx;
	bool (*batch)(void *ctx, const struct pv_batch *b);
	void (*damage)(void *ctx, const struct mlpd_damage *d);
};

/*
 * The undecoded tail of a damaged batch as a stream of its own. pv_layout_probe_inside() is true if
 * the tail contains buffers: then the batch's damage ends at the first of them, and
 * pv_layout_probe_give(), called after the batch itself was used, gives them out (false: stopped by
 * the sink, or out of memory). pv_layout_probe_finish() in any case.
 */
struct pv_layout_probe {
	struct mlpd_framer framer;
	struct mlpd_format format;
	enum mlpd_piece piece;
};

/*
 * Ends the batch's damage after `bytes`, where another buffer begins. `header`: offset of the
 * batch's own.
 */
void pv_layout_probe_shorten(struct pv_batch *b, uint64_t header, uint64_t bytes);

/* See struct pv_layout_probe for true and false. */
bool pv_layout_probe_inside(struct pv_layout_probe *t, struct pv_batch *b,
	const struct mlpd_header *h, const struct mlpd_format *format);
bool pv_layout_probe_give(struct pv_layout_probe *t, const struct pv_layout_probe_sink *to);
void pv_layout_probe_finish(struct pv_layout_probe *t);

#endif
