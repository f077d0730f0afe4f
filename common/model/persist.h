/* SPDX-License-Identifier: MIT */
/*
 * A whole model to bytes and back, for the index of a log. Left out are the rolling window (it
 * starts empty) and the look-up caches; everything else goes on exactly as before, so that more of
 * the same log can be applied.
 *
 * The bytes are written field by field (shape.h). pv_model_layout() changes whenever a field does,
 * and bytes with another layout must not be loaded.
 */
#ifndef PV_MODEL_PERSIST_H
#define PV_MODEL_PERSIST_H

#include "common/base/archive/archive.h"
#include "common/model/model.h"

/* A number for the fields of a model that this build saves. */
uint64_t pv_model_layout(void);

/*
 * On the ingest thread, or while nothing is applied; with the model's lock where others may read:
 * lists are sorted and packed first, but no fact changes. False: `write` has failed, or out of
 * memory.
 */
bool pv_model_save(const struct pv_model *m, pv_archive_write_fn write, void *ctx);

/*
 * Loads `n` bytes into a freshly created model without a restriction. Every id, count and order in
 * the bytes is checked, so that the model is safe to use, whatever the bytes are; its figures are
 * as saved. False when the bytes cannot be valid or memory is short: then the model can only be
 * destroyed.
 */
bool pv_model_load(struct pv_model *m, pv_archive_read_fn read, void *ctx, uint64_t n);

/*
 * Copies only names and threads, to a freshly created model: for a second reading of a log whose
 * beginning is not kept. With the lock of `from`. False when out of memory.
 */
bool pv_model_copy_names(const struct pv_model *from, struct pv_model *to);

#endif
