/*
 * A copy of the probe's library for a process that does not see our files, as in a container. Any
 * thread.
 */
#ifndef PV_TARGET_JOIN_COPY_H
#define PV_TARGET_JOIN_COPY_H

#include "common/target/dotnet_ipc.h"
#include "common/target/program.h"

/*
 * Copies the library into the process's folder for temporary files; `to` gets its path there. It is
 * not removed, and named after its build, so that it is loaded once however often the process is
 * joined. False: PV_EIO.
 */
bool pv_join_copy(const struct pv_dotnet *d, const char *library, char to[PV_PROGRAM_PATH],
	struct pv_error *reterr);

#endif
