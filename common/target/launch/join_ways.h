/* SPDX-License-Identifier: MIT */
/*
 * Ways into a running process, and why each is refused. Reads /proc and the program's file; opens
 * nothing of the process. Any thread.
 */
#ifndef PV_TARGET_JOIN_WAYS_H
#define PV_TARGET_JOIN_WAYS_H

#include "common/target/dotnet/dotnet_ipc.h"

enum pv_join_way { PV_WAY_PROBE, PV_WAY_EVENTS, PV_WAY_INJECT, PV_WAY_OUTSIDE, PV_JOIN_WAYS };

/* The way's word, and a line on its figures: constants, never NULL. */
const char *pv_join_way_name(enum pv_join_way way);
/* Likewise. */
const char *pv_join_way_gives(enum pv_join_way way);

/*
 * Whether the program was compiled ahead of time: no runtime is loaded, managed code is in the
 * program's file.
 */
bool pv_dotnet_is_aot(pid_t pid);

/* Whether the process cannot reach our probe's library, so that a copy is made. */
bool pv_join_copies(const struct pv_dotnet *d);

/*
 * Whether .NET in the process can load our probe. False: PV_EUSAGE with the reason. With
 * `left_to_us` also where another profiler was asked for; else the runtime refuses and says so.
 */
bool pv_join_probe_may(const struct pv_dotnet *d, bool left_to_us, struct pv_error *reterr);

#endif
