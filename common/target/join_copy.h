/* The probe's library where a process can load it whose files are not ours. */
#ifndef PV_TARGET_JOIN_COPY_H
#define PV_TARGET_JOIN_COPY_H

#include "common/target/dotnet_ipc.h"
#include "common/target/program.h"

/*
 * Copies the library into the process's folder for temporary files; `to` gets its path there. It
 * stays, under a name that says which build it is, so that it is loaded once however often the
 * process is joined. False: PV_EIO.
 */
bool pv_join_copy(const struct pv_dotnet *d, const char *library, char to[PV_PROGRAM_PATH],
	struct pv_error *reterr);

#endif
