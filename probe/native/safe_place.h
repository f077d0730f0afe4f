/* SPDX-License-Identifier: MIT */
/* Whether a signal came where a thread may be made: inside no allocator, loader or C library. */
#ifndef PV_PROBE_SAFE_PLACE_H
#define PV_PROBE_SAFE_PLACE_H

#include <stdbool.h>

/* Whether a safe place can be recognized: only if our functions are in front of the allocator. */
bool pvp_safe_known(void);

/* `context` is the handler's, on whose thread this is called: a single thread at a time. */
bool pvp_safe_place(const void *context);

#endif
