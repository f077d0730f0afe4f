/*
 * From the framer's pieces to the model, on the ingest thread. Private to common/ingest. False, as
 * in ingest_parts.h: reading cannot go on.
 */
#ifndef PV_INGEST_INGEST_FRAME_H
#define PV_INGEST_INGEST_FRAME_H

#include "common/ingest/ingest_parts.h"

/* Everything that the framer can give now. False on failure. */
bool pv_ingest_frame(struct pv_ingest *in);

/* Applies all that was decoded, but for what the reorder window keeps back. False on failure. */
bool pv_ingest_apply_all(struct pv_ingest *in);

/* The same, and what is kept back. False on failure. */
bool pv_ingest_drain(struct pv_ingest *in);

/* A fresh model takes the place of the one being filled. False on failure. */
bool pv_ingest_renew_model(struct pv_ingest *in);

#endif
