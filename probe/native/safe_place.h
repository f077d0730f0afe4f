/* Whether a signal came where a thread may be made: inside no allocator, loader or C library. */
#ifndef PV_PROBE_SAFE_PLACE_H
#define PV_PROBE_SAFE_PLACE_H

#include <stdbool.h>

/* Whether that can be seen at all: the program's allocator must be one that we stand in front of. */
bool pvp_safe_known(void);

/* `context` is that of the handler, on which this is called: one thread at a time. */
bool pvp_safe_place(const void *context);

#endif
