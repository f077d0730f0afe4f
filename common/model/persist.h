/*
 * A whole model to bytes and back, for the index of a log. What is left out is the rolling
 * window (it starts empty) and the look-up caches; everything else goes on exactly where it was,
 * so that more of the same log can be applied.
 *
 * What is written are fields (shape.h). pv_model_layout() changes whenever one does, and
 * bytes with another layout must not be loaded.
 */
#ifndef PV_MODEL_PERSIST_H
#define PV_MODEL_PERSIST_H

#include "common/base/archive.h"
#include "common/model/model.h"

/* A number for the fields that this build keeps of a model. */
uint64_t pv_model_layout(void);

/*
 * On the ingest thread, or while nothing is applied; no lock is needed, as nothing is changed.
 * False: `write` has failed, or out of memory.
 */
bool pv_model_save(const struct pv_model *m, pv_archive_write_fn write, void *ctx);

/*
 * From `n` bytes into a freshly created model without a restriction. Every id, count and order in
 * them is checked, so that the model can be used like any other, whatever they are; its figures are
 * what they say. False when they cannot be true or memory is short: then the model can only be
 * destroyed.
 */
bool pv_model_load(struct pv_model *m, pv_archive_read_fn read, void *ctx, uint64_t n);

/*
 * Only names and threads, into a freshly created model: for a second reading of a log whose
 * beginning is not kept. With the lock of `from`. False when out of memory.
 */
bool pv_model_copy_names(const struct pv_model *from, struct pv_model *to);

#endif
