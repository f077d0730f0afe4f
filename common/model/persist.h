/*
 * A whole model to bytes and back, for the index of a log. What is left out is the rolling
 * window (it starts empty) and the look-up caches; everything else goes on exactly where it was,
 * so that more of the same log can be applied.
 *
 * The bytes are those of this build: pv_model_layout() changes whenever a store's layout does, and
 * bytes with another layout must not be loaded.
 */
#ifndef PV_MODEL_PERSIST_H
#define PV_MODEL_PERSIST_H

#include "common/base/archive.h"
#include "common/model/model.h"

/* A number for how this build lays out a model. */
uint64_t pv_model_layout(void);

/* The owner's thread (or nobody applies meanwhile); no lock needed: nothing is changed. */
bool pv_model_save(const struct pv_model *m, pv_archive_write_fn write, void *ctx);

/*
 * From `n` bytes into a freshly created model without a restriction. They must be what was saved:
 * little more than their number is doubted. False when they do not suffice or memory is short:
 * then the model can only be destroyed.
 */
bool pv_model_load(struct pv_model *m, pv_archive_read_fn read, void *ctx, uint64_t n);

/*
 * Names and threads alone, into a freshly created model: for a second reading of a log whose
 * beginning is not kept. With the lock of `from`. False when out of memory.
 */
bool pv_model_copy_names(const struct pv_model *from, struct pv_model *to);

#endif
