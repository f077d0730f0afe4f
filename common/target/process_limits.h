/*
 * Limits of another process: how much it may still take, by its cgroups (v1 and v2, with those above
 * them) and its rlimits; and whether it runs at all. A limit that cannot be seen, as where no cgroup
 * file system is mounted, is none. Any thread.
 */
#ifndef PV_TARGET_PROCESS_LIMITS_H
#define PV_TARGET_PROCESS_LIMITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { PV_LIMIT_FEW_THREADS = 32 }; /* of a viewer, a runtime and its probe, amply */

/* The limit that leaves the least. */
struct pv_limit {
	int64_t left; /* INT64_MAX: there is no limit that can be seen */
	int64_t most;
	char name[40]; /* "pids.max of its cgroup" */
};

/* Of threads that it may still make. */
void pv_limit_threads(pid_t pid, struct pv_limit *ret);
void pv_limit_memory(pid_t pid, struct pv_limit *ret); /* bytes; the page cache counts as free */

/* False: it has not so many threads, or bytes, left: PV_EUSAGE, with the figures. */
bool pv_limits_leave_threads(pid_t pid, int wanted, struct pv_error *reterr);
bool pv_limits_leave_memory(pid_t pid, int64_t wanted, struct pv_error *reterr);

/* Waits a little where it is stopped or frozen. False: PV_EUSAGE, it is still. */
bool pv_limits_awake(pid_t pid, struct pv_error *reterr);

/*
 * In what the calling process, and so what it starts, has little left: "RLIMIT_NOFILE is 12; pids.max of its cgroup
 * is 8". False: in nothing that can be seen; then the text is "".
 */
bool pv_limits_tight(char *to, size_t room);

#endif
