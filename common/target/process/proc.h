/* SPDX-License-Identifier: MIT */
/* Facts of a process from /proc, which may be gone at any moment. Any thread. */
#ifndef PV_TARGET_PROC_H
#define PV_TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/system/proc_file.h"

/* The command line of a process, words separated by blanks; "" when not readable. */
void pv_process_command(pid_t pid, char *to, size_t room);

/* Whether the program has the name of Mono's. */
bool pv_process_is_mono(pid_t pid);

/* Whether the process was started less than `ms` ago; false also when gone. */
bool pv_process_is_younger(pid_t pid, int ms);

#endif
