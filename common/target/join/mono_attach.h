/* SPDX-License-Identifier: MIT */
/*
 * Loads the probe into a running Mono by the runtime's dormant attach agent: a file with the
 * process's number, SIGQUIT, then a line over the socket that the runtime opens. The line loads a
 * small managed program (probe/mono/attach_agent.cs), and the program loads our module. Two dangers
 * inside: the agent's thread keeps collections waiting until detached, so our program detaches
 * first; runtimes before 6 crash on a line in the later form, so only 6 is accepted. Mono starts
 * its agent once in a process's life. Any thread.
 */
#ifndef PV_TARGET_MONO_ATTACH_H
#define PV_TARGET_MONO_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/status.h"

/*
 * Checks everything that can be known before the process is touched, with a trial of the runtime's
 * program in a process of ours. False: PV_EUSAGE, why not.
 */
bool pv_mono_attach_check(pid_t pid, struct pv_error *reterr);

/* Attaches; true once the probe, with these options, answers. PV_EUSAGE, PV_EIO. */
bool pv_mono_attach(pid_t pid, const char *options, struct pv_error *reterr);

#endif
