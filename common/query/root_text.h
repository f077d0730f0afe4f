/* Words for what stands in heap shots. */
#ifndef PV_QUERY_ROOT_TEXT_H
#define PV_QUERY_ROOT_TEXT_H

#include "common/model/objects/roots.h"

/* "static field", "thread static", ...: a constant. */
const char *pv_root_source_text(enum pv_root_source source);

#endif
