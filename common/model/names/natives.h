/* SPDX-License-Identifier: MIT */
/*
 * Replaces the log's names of native code by names from files (symbols.h), with source lines.
 * Private to the model: ingest thread, with its lock. False when out of memory.
 */
#ifndef PV_MODEL_NATIVES_H
#define PV_MODEL_NATIVES_H

#include "common/model/model.h"

enum { PV_NATIVE_NAME = 8192 };

/* True if a symbol is a build id (base/build_id.h) and no name. */
bool pv_natives_is_build_id(const struct pv_text *symbol);
/* Applies a symbol whose name is the path of a loaded file; or its build id. */
bool pv_natives_apply(struct pv_model *m, const struct pv_event *e);
/* After pv_model_load(): applies the notes' symbols again. */
bool pv_natives_again(struct pv_model *m);

/*
 * A better name for a function that the log calls "file+0x12", written to `room`. Returns the
 * length, 0: none.
 */
size_t pv_natives_name(struct pv_model *m, const struct pv_event *jit, char room[PV_NATIVE_NAME]);

/*
 * A native method (an address outside methods) was met: finds the function there, or notes that
 * none is known.
 */
bool pv_natives_met(struct pv_model *m, uint32_t method);

#endif
