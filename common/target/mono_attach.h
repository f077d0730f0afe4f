/*
 * A probe for a Mono that runs already, by its dormant attach agent: a file with the process's
 * number, SIGQUIT, and a line over the socket that it opens then, on which it loads a small managed
 * program (probe/mono/attach_agent.cs) and that our module. Two things can go wrong inside: the
 * agent's thread keeps a collection waiting until it is detached, which our program does first; and
 * runtimes before 6 end at a line in the later form, so others than 6 are refused. Mono starts its
 * agent once in a process's life. Any thread.
 */
#ifndef PV_TARGET_MONO_ATTACH_H
#define PV_TARGET_MONO_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/status.h"

/*
 * All that can be known before anything is done to the process, the runtime's own program tried in
 * a process of ours included. False: PV_EUSAGE, why it is not done.
 */
bool pv_mono_attach_check(pid_t pid, struct pv_error *reterr);

/* Does it; true once the probe, with these options, can be spoken to. PV_EUSAGE, PV_EIO. */
bool pv_mono_attach(pid_t pid, const char *options, struct pv_error *reterr);

#endif
