/* SPDX-License-Identifier: MIT */
/*
 * The processes under one command, as the launcher knows them: a row for each image (a program run
 * by a process, by exec), whether the probe asked for a place to record to or never did. Filled by
 * launch_serve.c and launch_scan.c, written by launch_index.c. One thread: the launcher's.
 */
#ifndef PV_TARGET_LAUNCH_TREE_H
#define PV_TARGET_LAUNCH_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/base/launch_wire.h"
#include "common/base/map.h"
#include "common/base/mem.h"

enum {
	PV_TREE_ROWS = 16384, /* beyond, ended rows without a log are only counted */
	PV_TREE_WORTH_NS = 20000000,
	PV_TREE_LOG = 40,
	PV_TREE_LOG_MIB = 1024, /* a log has at most, where there is a bound on all */
	PV_TREE_ROOM_MIB = 16 * PV_TREE_LOG_MIB,
	PV_TREE_NONE = UINT32_MAX,
};

#define PV_TREE_SPARE ".index.json.new" /* in the folder, while recording */

struct pv_tree_row {
	pid_t pid, ppid;
	uint32_t image;
	int host;           /* enum pv_ask_host, -1: no probe spoke */
	bool forked;        /* a copy of its parent so far */
	bool ended, waited; /* `waited`: `status` is wait(2)'s */
	int status;
	const char *reason;    /* why there is no log; NULL: not known */
	char log[PV_TREE_LOG]; /* name in the folder; "" */
	int cut;               /* errno: why parts of the log are missing; 0: none is known to be */
	char *exe, *args;      /* owned; args with a 0 after each; may be NULL */
	size_t args_len;
	uint64_t from_ns;          /* processor time of the process when the image began */
	uint64_t cpu_ns;           /* of the image */
	uint64_t from_bytes;       /* memory at most, as known when the image began */
	uint64_t memory_bytes;     /* of the image, at most; 0: not known */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
};

/* A living process, or an ended one whose exit status is still to come. */
struct pv_tree_process {
	pid_t pid;    /* 0: the slot is free */
	int pidfd;    /* -1 */
	uint32_t row; /* of the newest image */
	bool ended;
	bool silent;  /* found by looking: no probe has spoken */
	bool hung_up; /* the connection has ended but the process lives: by exec, mostly */
	unsigned seen;
};

/* A connection. */
struct pv_tree_line {
	int fd; /* -1: the slot is free */
	pid_t pid;
	uint32_t process; /* PV_TREE_NONE: not introduced yet */
	uint8_t host;
	bool ready; /* waits to be recorded */
};

struct pv_tree {
	char folder[1024]; /* of the logs and index.json */
	char socket[160];
	char **command; /* borrowed */
	int epoll, listener;
	pid_t program; /* as typed; 0 until it runs */
	uid_t uid;
	PV_ARRAY(struct pv_tree_row) rows;
	PV_ARRAY(struct pv_tree_process) processes;
	PV_ARRAY(struct pv_tree_line) lines;
	struct pv_map living;                     /* pid -> process */
	uint64_t left_out;                        /* dropped rows */
	uint64_t room;                            /* bytes of all logs; 0: no bound */
	uint64_t kept_bytes;                      /* of the logs of ended images */
	uint32_t recording;                       /* number of logs that may still grow */
	int cut;                                  /* errno of the first log that was cut short */
	uint64_t used_ns;                         /* at the last look at clocks, of all */
	uint64_t clocks_due, scan_due, index_due; /* CLOCK_MONOTONIC, ns */
	uint64_t clocks_each;
	uint64_t owed_ns, owed_at; /* work not yet earned, at that time */
	bool changed;              /* since the index was written */
	bool no_sdk;               /* leave out .NET's SDK and its helpers */
	uint32_t waiting;          /* number of ready lines */
};

/* CLOCK_MONOTONIC, ns. */
uint64_t pv_tree_now(void);
/* Processor time of the calling thread, ns. */
uint64_t pv_tree_worked(void);

/* The living process with this number, or NULL. Moves when rows are added. */
struct pv_tree_process *pv_tree_find(struct pv_tree *t, pid_t pid);
struct pv_tree_row *pv_tree_row_of(struct pv_tree *t, const struct pv_tree_process *p);

/* Subjects of epoll events. */
enum { PV_TREE_LISTENER, PV_TREE_LINE, PV_TREE_PROCESS };
#define PV_TREE_TOKEN(what, at) ((uint64_t)(what) << 32 | (uint32_t)(at))

/* False: epoll refuses the descriptor, with errno. */
bool pv_tree_watch(struct pv_tree *t, int fd, uint64_t token);

/*
 * Adds a process with its first row; owned by the tree. NULL: out of memory. `pidfd` is taken over
 * and watched for the end of the process; -1: none.
 */
struct pv_tree_process *pv_tree_add(struct pv_tree *t, pid_t pid, pid_t ppid, int pidfd);

/* The process runs another program now: the new row, owned by the tree. NULL: out of memory. */
struct pv_tree_row *pv_tree_exec(struct pv_tree *t, struct pv_tree_process *p, uint64_t cpu_ns);

/* Texts are copied. */
void pv_tree_name(
	struct pv_tree_row *r, const char *exe, size_t exe_len, const char *args, size_t args_len);

/* Reads the processor time of the process, as far as possible now. */
void pv_tree_clock(struct pv_tree *t, struct pv_tree_process *p);
void pv_tree_used(struct pv_tree *t, struct pv_tree_process *p, uint64_t cpu_ns);

/* Peak memory in bytes: of the whole process, or (`image`) since its image began. */
void pv_tree_held(struct pv_tree *t, struct pv_tree_process *p, uint64_t bytes, bool image);

/*
 * The row's log could not be written: keeps `why` (errno), in the tree only the first. 0 is fine.
 */
void pv_tree_cut(struct pv_tree *t, struct pv_tree_row *r, int why);
/* ENOSPC while the disk of the folder is full, else 0. */
int pv_tree_disk(const struct pv_tree *t);
/* Why a process may write no more into its log now: `disk`, or EFBIG at its limit of file sizes. */
int pv_tree_refused(const struct pv_tree *t, const struct pv_tree_row *r, int disk);

/* The process has ended; the exit status may come later. */
void pv_tree_ended(struct pv_tree *t, struct pv_tree_process *p);
void pv_tree_status(struct pv_tree *t, struct pv_tree_process *p, int status);
void pv_tree_drop(struct pv_tree *t, struct pv_tree_process *p);

/* Closes and frees everything. */
void pv_tree_finish(struct pv_tree *t);

#endif
