/* SPDX-License-Identifier: MIT */
/*
 * Limits of another process: how much more it may take, by its cgroups (v1 and v2, with all
 * parents) and its rlimits; and whether it runs at all. A limit that is not visible, as where no
 * cgroup file system is mounted, counts as none. Any thread.
 */
#ifndef PV_TARGET_PROCESS_LIMITS_H
#define PV_TARGET_PROCESS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { PV_LIMIT_FEW_THREADS = 32 }; /* enough for a viewer, a runtime and its probe */

/* The limit with the least left. */
struct pv_limit {
	int64_t left; /* INT64_MAX: no visible limit */
	int64_t most;
	char name[40]; /* "pids.max of its cgroup" */
};

/* Threads that the process may still make. */
void pv_limit_threads(pid_t pid, struct pv_limit *ret);
void pv_limit_memory(pid_t pid, struct pv_limit *ret); /* bytes; the page cache counts as free */

/* False: fewer threads, or bytes, are left: PV_EUSAGE, with the figures. */
bool pv_limits_leave_threads(pid_t pid, int wanted, struct pv_error *reterr);
bool pv_limits_leave_memory(pid_t pid, int64_t wanted, struct pv_error *reterr);

/* Waits a little while the process is stopped or frozen. False: PV_EUSAGE, still not running. */
bool pv_limits_awake(pid_t pid, struct pv_error *reterr);

/*
 * Limits that leave the calling process (and its children) little: "RLIMIT_NOFILE is 12; pids.max
 * of its cgroup is 8". False, with "": none visible.
 */
bool pv_limits_tight(char *to, size_t room);

#endif
