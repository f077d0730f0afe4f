/* SPDX-License-Identifier: MIT */
/*
 * The diagnostics socket of a .NET process (3.1 and later), open unless settings forbid: how to
 * find the socket, ask the runtime, and load our profiler. One command a connection, each with a
 * deadline; by the published protocol ("DOTNET_IPC_V1"). Any thread; each argument is used by one
 * thread.
 */
#ifndef PV_TARGET_DOTNET_IPC_H
#define PV_TARGET_DOTNET_IPC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/target/foreign/foreign.h"
#include "common/target/control/local_socket.h"

struct pv_dotnet {
	pid_t pid;
	char socket[108];     /* as the process sees it */
	char version[48];     /* "10.0.1"; these "" until pv_dotnet_ask() */
	char arch[16];        /* "x64" */
	char entry[128];      /* the entry assembly */
	uint8_t cookie[16];   /* the runtime's, from its first answer on; zeros: not known */
	struct pv_foreign of; /* the process, whose path these are */
	char temporary[160];  /* the process's folder for temporary files */
};

/*
 * Finds the socket of the process, made by the process's user. False: PV_EUSAGE, with the reason
 * and what to do.
 */
bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr);

/*
 * Finds sockets of many processes in turn: a folder shared by several is read once, as far as
 * possible until `end_ms` (of pv_patience_now_ms()). *folder is valid when zeroed; free with
 * pv_dotnet_folder_finish(). False: none is found.
 */
struct pv_dotnet_folder {
	char name[192];                        /* "PID:PATH"; PID 0: a path of ours */
	int fd;                                /* the open folder, or -1 */
	bool was_read;                         /* into the list */
	PV_ARRAY(struct pv_dotnet_entry) list; /* sockets of all processes, as readdir() has them */
};
bool pv_dotnet_find_in(
	struct pv_dotnet *ret, pid_t pid, struct pv_dotnet_folder *folder, int64_t end_ms);
void pv_dotnet_folder_finish(struct pv_dotnet_folder *folder);

/*
 * Fills in the runtime's description of itself, waiting at most `ms`. PV_EIO; PV_EUSAGE where an
 * earlier answer in *d came from another process.
 */
bool pv_dotnet_ask(struct pv_dotnet *d, int ms, struct pv_error *reterr);

/*
 * Whether the process at the socket still has the cookie of pv_dotnet_ask()'s answer; asked before
 * each command that changes anything. True where no cookie is known. Errors as of pv_dotnet_ask().
 */
bool pv_dotnet_is_same(const struct pv_dotnet *d, int ms, struct pv_error *reterr);

/*
 * pv_dotnet_ask() in two parts, for pv_ask(): the first allocates its state, the second frees it.
 * NULL when out of memory. *d must not move meanwhile.
 */
struct pv_dotnet_asked *pv_dotnet_question(const struct pv_dotnet *d, struct pv_question *ret);
bool pv_dotnet_answered(
	struct pv_dotnet *d, const struct pv_question *q, struct pv_dotnet_asked *asked);

/*
 * Loads the profiler in the running process: `library` is an absolute path there, `options` the
 * probe's. A suspended program is started with the profiler, as by pv_dotnet_start(). PV_EUSAGE
 * when the runtime refuses, with what to do; PV_EIO.
 */
bool pv_dotnet_attach(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

/* Whether the process was started suspended: then its probe stays. */
bool pv_dotnet_waits_to_begin(pid_t pid);

/*
 * Whether the process's filter of system calls (seccomp) lets the runtime write events. The probe
 * is loaded to ask, and not kept. True, unasked, where the probe cannot be loaded. False:
 * PV_EUSAGE.
 */
bool pv_dotnet_may_stream(const struct pv_dotnet *d, const char *library, struct pv_error *reterr);

/*
 * pv_dotnet_attach() for a process started suspended (DOTNET_DefaultDiagnosticPortSuspend=1): loads
 * the profiler before the first managed code, and resumes the program. PV_EUSAGE, PV_EIO.
 */
bool pv_dotnet_start(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

/* --- parts of these, for others */

/* Whether a path has the name of such a socket. */
bool pv_dotnet_is_socket(const char *path);

/* Whether the process runs .NET, by its mapped files and its program. */
bool pv_dotnet_is(pid_t pid);

/*
 * Whether the process runs .NET and may still open a socket: no variable at its start forbids
 * diagnostics.
 */
bool pv_dotnet_may_listen(pid_t pid);

/*
 * Whether an environment variable (variable() gives the values) switches off the part, "IPC" or
 * "Profiler"; ret_name: the variable's name.
 */
bool pv_dotnet_switched_off(const char *part, const char *(*variable)(const char *name, void *ctx),
	void *ctx, char ret_name[48]);

/* The library of another profiler in the process's variables; false: none. */
bool pv_dotnet_other_profiler(pid_t pid, char *ret_path, size_t room);

/*
 * False, with the reason: the probe's answer `why` is PV_CORECLR_FILTERED of a system call needed
 * by `whose` ("the probe").
 */
bool pv_dotnet_filtered(pid_t pid, uint32_t why, const char *whose, struct pv_error *reterr);

/* False, with the reason why *d has no socket. */
bool pv_dotnet_why_not(const struct pv_dotnet *d, struct pv_error *reterr);

/* A variable the process was started with, else ""; false: its variables cannot be read. */
bool pv_proc_variable(pid_t pid, const char *name, char *to, size_t room);

/* Whether the part stands in the list of what the process has mapped. */
bool pv_proc_maps(pid_t pid, const char *part);

#endif
