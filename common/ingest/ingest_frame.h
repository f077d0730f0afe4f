/* SPDX-License-Identifier: MIT */
/*
 * From the framer's pieces to the model, on the ingest thread. Private to common/ingest. False, as
 * in ingest_parts.h: reading cannot go on.
 */
#ifndef PV_INGEST_INGEST_FRAME_H
#define PV_INGEST_INGEST_FRAME_H

#include "common/ingest/ingest_parts.h"

/* Takes everything that the framer can give now. False on failure. */
bool pv_ingest_frame(struct pv_ingest *in);

/* Applies all decoded buffers, but for those kept back by the reorder window. False on failure. */
bool pv_ingest_apply_all(struct pv_ingest *in);

/* The same, including the kept ones. False on failure. */
bool pv_ingest_drain(struct pv_ingest *in);

/* A fresh model replaces the one being filled. False on failure. */
bool pv_ingest_renew_model(struct pv_ingest *in);

#endif
