/*
 * Puts facts of files about native code (symbols.h), names of functions and source lines, in the
 * place of the log's own. Private to the model; false when out of memory.
 */
#ifndef PV_MODEL_NATIVES_H
#define PV_MODEL_NATIVES_H

#include "common/model/model.h"

enum { PV_NATIVE_NAME = 8192 };

/* A symbol whose name is a path is a file that was loaded there; base/build_id.h: which one. */
bool pv_natives_is_build_id(const struct pv_text *symbol);
bool pv_natives_told(struct pv_model *m, const struct pv_event *e);
/* After pv_model_load(): those that were told before. */
bool pv_natives_again(struct pv_model *m);

/*
 * A better name for a function that the log calls "file+0x12": in `room`, 0 when there is none.
 * Else the length.
 */
size_t pv_natives_name(struct pv_model *m, const struct pv_event *jit, char room[PV_NATIVE_NAME]);

/* An address outside methods was met: the function there becomes known. */
bool pv_natives_met(struct pv_model *m, uint64_t address);

/* A function was sampled that no lines are known of: they become known, or are known to be none. */
bool pv_natives_lines(struct pv_model *m, uint32_t method);

#endif
