/* A child of fork that may record into a sink of its own begins with its first event. */
#ifndef PV_PROBE_REBORN_H
#define PV_PROBE_REBORN_H

#include <stdatomic.h>

/* What then begins the recording; NULL: nothing does. Taken out by who calls it, outside the guard. */
extern void (*_Atomic pvp_reborn)(void);

#endif
