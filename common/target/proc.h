/* Facts of a process as /proc has them. It may be gone at any moment. Any thread. */
#ifndef PV_TARGET_PROC_H
#define PV_TARGET_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "common/base/proc_file.h"

/* The command line of a process, its words with blanks between; "" when it cannot be read. */
void pv_process_command(pid_t pid, char *to, size_t room);

/* Whether its program's name is Mono's. */
bool pv_process_is_mono(pid_t pid);

/* Whether it was started less than so long ago; false also when it is gone. */
bool pv_process_is_younger(pid_t pid, int ms);

#endif
