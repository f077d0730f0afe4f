/*
 * The diagnostics socket that a .NET process (3.1 and later) keeps open unless its settings forbid
 * it: finding it, and asking it to load our profiler. One command a connection; each has a
 * deadline. As of the published protocol ("DOTNET_IPC_V1"). Any thread; what is passed in is one
 * thread's.
 */
#ifndef PV_TARGET_DOTNET_IPC_H
#define PV_TARGET_DOTNET_IPC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/mem.h"
#include "common/base/status.h"
#include "common/target/foreign/foreign.h"
#include "common/target/local_socket.h"

struct pv_dotnet {
	pid_t pid;
	char socket[108];     /* as the process sees it */
	char version[48];     /* "10.0.1"; these "" until pv_dotnet_ask() */
	char arch[16];        /* "x64" */
	char entry[128];      /* the assembly that was started */
	struct pv_foreign of; /* the process, whose path these are */
	char temporary[160];  /* its folder for temporary files */
};

/*
 * Finds the socket of the process, made by its own user. False: PV_EUSAGE, with the reason
 * and what to do.
 */
bool pv_dotnet_find(struct pv_dotnet *ret, pid_t pid, struct pv_error *reterr);

/*
 * The same for many processes in turn: a folder that several have in common is read once, as far as
 * it can be until `end_ms` (of pv_patience_now_ms()). *folder is valid when zeroed; free it with
 * pv_dotnet_folder_finish().
 */
struct pv_dotnet_folder {
	char name[192];                        /* "PID:PATH"; PID 0: it is a path of ours */
	int fd;                                /* of it, if there is a name; or -1 */
	bool was_read;                         /* into the list */
	PV_ARRAY(struct pv_dotnet_entry) list; /* sockets of all processes, as readdir() has them */
};
bool pv_dotnet_find_in(
	struct pv_dotnet *ret, pid_t pid, struct pv_dotnet_folder *folder, int64_t end_ms);
void pv_dotnet_folder_finish(struct pv_dotnet_folder *folder);

/* Fills in what the runtime says of itself, waiting at most `ms` for it. PV_EIO. */
bool pv_dotnet_ask(struct pv_dotnet *d, int ms, struct pv_error *reterr);

/*
 * The same in two parts, for pv_ask(): what is needed for it is kept until the second, which frees
 * it. NULL when out of memory. *d stays where it is meanwhile.
 */
struct pv_dotnet_asked *pv_dotnet_question(const struct pv_dotnet *d, struct pv_question *ret);
bool pv_dotnet_answered(
	struct pv_dotnet *d, const struct pv_question *q, struct pv_dotnet_asked *asked);

/*
 * Loads the profiler in the running process: `library` is an absolute path there, `options` the
 * probe's. One that waits to begin begins with it, as by start(). PV_EUSAGE when the runtime
 * refuses, with what to do; PV_EIO.
 */
bool pv_dotnet_attach(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

/* Whether it was started suspended: then the probe that it began with stays. */
bool pv_dotnet_waits_to_begin(pid_t pid);

/*
 * Whether its filter of system calls (seccomp) lets the runtime write events: the probe, which is not
 * kept there, asks. Where it cannot be loaded nothing is known, and true. False: PV_EUSAGE.
 */
bool pv_dotnet_may_stream(const struct pv_dotnet *d, const char *library, struct pv_error *reterr);

/*
 * pv_dotnet_attach() for a process that was started with DOTNET_DefaultDiagnosticPortSuspend=1 and waits:
 * loads the profiler before its first code, and resumes it. PV_EUSAGE, PV_EIO.
 */
bool pv_dotnet_start(const struct pv_dotnet *d, const char *library, const char *options,
	struct pv_error *reterr);

/* --- parts of these, which others use */

/* Whether a path has the name of such a socket. */
bool pv_dotnet_is_socket(const char *path);

/* Whether the process runs .NET, by what it has in its memory and by its program. */
bool pv_dotnet_is(pid_t pid);

/* The same, and it may still open a socket: nothing it was started with forbids that. */
bool pv_dotnet_may_listen(pid_t pid);

/*
 * Whether an environment variable (variable() gives their values) switches off the part of that
 * name, "IPC" or "Profiler"; ret_name: which one.
 */
bool pv_dotnet_switched_off(const char *part, const char *(*variable)(const char *name, void *ctx),
	void *ctx, char ret_name[48]);

/* The library of another profiler that the process was started with; false: it was not. */
bool pv_dotnet_other_profiler(pid_t pid, char *ret_path, size_t room);

/*
 * False, with the reason: the probe's answer `why` is PV_CORECLR_FILTERED of some system call, which
 * `whose` ("the probe") needs.
 */
bool pv_dotnet_filtered(pid_t pid, uint32_t why, const char *whose, struct pv_error *reterr);

/* False, with the reason why *d has no socket. */
bool pv_dotnet_why_not(const struct pv_dotnet *d, struct pv_error *reterr);

/* A variable the process was started with, else ""; false: its variables cannot be read. */
bool pv_proc_variable(pid_t pid, const char *name, char *to, size_t room);

/* Whether the part stands in the list of what the process has mapped. */
bool pv_proc_maps(pid_t pid, const char *part);

#endif
