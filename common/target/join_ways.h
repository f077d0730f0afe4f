/*
 * The ways into a running process, and why one of them is refused. Reads /proc and the program's
 * file; opens nothing of the process. Any thread.
 */
#ifndef PV_TARGET_JOIN_WAYS_H
#define PV_TARGET_JOIN_WAYS_H

#include "common/target/dotnet_ipc.h"

enum pv_join_way { PV_WAY_PROBE, PV_WAY_EVENTS, PV_WAY_INJECT, PV_JOIN_WAYS };

/* Its word, and a line on what it gives: constants, never NULL. */
const char *pv_join_way_name(enum pv_join_way way);
/* Likewise. */
const char *pv_join_way_gives(enum pv_join_way way);

/* Whether it was compiled ahead of time: no runtime is loaded, and its managed code is in its file. */
bool pv_dotnet_is_aot(pid_t pid);

/* Whether our probe's library is copied to where it can load it, since it cannot reach ours. */
bool pv_join_copies(const struct pv_dotnet *d);

/*
 * Whether .NET there can load our probe. False: PV_EUSAGE, the reason. With `left_to_us` also where
 * another profiler was asked for; else the runtime itself says so when it refuses.
 */
bool pv_join_probe_may(const struct pv_dotnet *d, bool left_to_us, struct pv_error *reterr);

#endif
