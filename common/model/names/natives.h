/*
 * Replaces what the log says of native code by what files say (symbols.h): names of functions,
 * source lines. Private to the model: ingest thread, with its lock. False when out of memory.
 */
#ifndef PV_MODEL_NATIVES_H
#define PV_MODEL_NATIVES_H

#include "common/model/model.h"

enum { PV_NATIVE_NAME = 8192 };

/* Whether a symbol is a build id (base/build_id.h) and no name. */
bool pv_natives_is_build_id(const struct pv_text *symbol);
/* A symbol whose name is a path: a file that was loaded there; or its build id. */
bool pv_natives_apply(struct pv_model *m, const struct pv_event *e);
/* After pv_model_load(): applies those of the notes again. */
bool pv_natives_again(struct pv_model *m);

/*
 * A better name for a function that the log calls "file+0x12": in `room`, 0 when there is none.
 * Else the length.
 */
size_t pv_natives_name(struct pv_model *m, const struct pv_event *jit, char room[PV_NATIVE_NAME]);

/*
 * An address outside methods was met, which is this native method: the function there becomes
 * known, or that none is.
 */
bool pv_natives_met(struct pv_model *m, uint32_t method);

/*
 * Searches for the lines of a function that was sampled and has none yet; remembers also that it
 * has none.
 */
bool pv_natives_lines(struct pv_model *m, uint32_t method);

#endif
