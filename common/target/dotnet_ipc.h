/*
 * The diagnostics socket that a .NET process (3.1 and later) keeps open unless told not to: whom
 * it belongs to, and asking it to load our profiler. One command a connection; each has a
 * deadline. The facts are those of the published protocol ("DOTNET_IPC_V1").
 */
#ifndef PV_TARGET_DOTNET_IPC_H
#define PV_TARGET_DOTNET_IPC_H

#include <stdbool.h>
#include <sys/types.h>

#include "common/base/status.h"

struct pv_dotnet {
	pid_t pid;
	char socket[108]; /* seen from here, also into another file system: /proc/PID/root/... */
	char version[48]; /* "10.0.1"; these "" until pv_dotnet_ask() */
	char arch[16];    /* "x64" */
	char entry[128];  /* the assembly that was started */
};

/* Finds the socket of the process. False: PV_EUSAGE, with what may be the reason. */
bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr);

/* Fills in what the runtime says of itself. PV_EIO. */
bool pv_dotnet_ask(struct pv_dotnet *d, struct pv_error *reterr);

/*
 * Loads the profiler in the running process: `library` is an absolute path there, `options` the
 * probe's. PV_EUSAGE when the runtime refuses, with what to do; PV_EIO.
 */
bool pv_dotnet_attach(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

/*
 * A process that was started with DOTNET_DefaultDiagnosticPortSuspend=1 and waits: the profiler
 * from the very start, and on it goes.
 */
bool pv_dotnet_start(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

#endif
