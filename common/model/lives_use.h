/* What a birth is, in the words of a model: ids for the keys of an allocation event. */
#ifndef PV_MODEL_LIVES_USE_H
#define PV_MODEL_LIVES_USE_H

#include "common/model/model.h"

/*
 * The stack of an allocation at `time_ns` (log clock), outermost method first; PV_MAP_NONE when out
 * of memory. `m` is nobody else's.
 */
uint32_t pv_lives_stack(struct pv_model *m, int64_t time_ns, const uint64_t *keys, size_t n);

#endif
