/* SPDX-License-Identifier: MIT */
/* Words for the sources of GC roots. Any thread. */
#ifndef PV_QUERY_ROOT_TEXT_H
#define PV_QUERY_ROOT_TEXT_H

#include "common/model/objects/roots.h"

/* "static field", "thread static", ...: a literal, never NULL. */
const char *pv_root_source_text(enum pv_root_source source);

#endif
