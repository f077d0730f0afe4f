/* SPDX-License-Identifier: MIT */
/* The host of profview-outside: the program is another process, watched by watch.h. One thread. */
#ifndef PV_PROBE_OUTSIDE_HOST_OUTSIDE_H
#define PV_PROBE_OUTSIDE_HOST_OUTSIDE_H

#include <stdbool.h>
#include <sys/types.h>

#include "probe/ground/host.h"

/*
 * The host for process `pid` at `hz` samples a second; `waits`: waiting threads are sampled, too,
 * `pages`: page faults.
 * Called once. Static, never NULL.
 */
const struct pvp_host *pvo_host(pid_t pid, unsigned hz, bool waits, bool pages);

#endif
