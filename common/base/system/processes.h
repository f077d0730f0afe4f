/* SPDX-License-Identifier: MIT */
/*
 * The processes of one recording as rows: which process started which, how much each used, where
 * its log is. One thread fills a list; after pv_processes_link() the list is only read, by any
 * thread. Texts came from other programs: common/base/text/showable.h before a person sees them. Times
 * are ns of one clock, of which only differences have a meaning; sizes are bytes.
 */
#ifndef PV_BASE_PROCESSES_H
#define PV_BASE_PROCESSES_H

#include "common/base/mem.h"

enum pv_process_host {
	PV_PROCESS_UNKNOWN,
	PV_PROCESS_NATIVE,
	PV_PROCESS_MONO,
	PV_PROCESS_CORECLR,
	PV_PROCESS_NONE, /* no probe could enter */
};

/* A program in a process: exec makes another row of the same pid. */
struct pv_process {
	uint64_t id; /* never 0; the same in every reading of a recording */
	uint32_t pid, ppid, image;
	size_t parent;      /* index in the list; PV_PROCESS_ROOT: no parent there */
	const char *exe;    /* path, "" not known */
	const char *args;   /* argv joined by blanks, cut; "" not known */
	const char *log;    /* name of a file in the folder; NULL: there is none */
	const char *reason; /* NULL, or why no log was recorded */
	enum pv_process_host host;
	uint64_t cpu_ns, log_bytes;
	uint64_t tree_cpu_ns;                /* of the whole subtree; pv_processes_link() */
	uint64_t events, lost, memory_bytes; /* see `knows_...` */
	int64_t start_ns, end_ns;
	int exit_code, signal;
	bool knows_cpu, knows_start, knows_events, knows_lost, knows_memory;
	bool ended, exited, killed; /* end_ns, exit_code, signal are meant */
	bool replaced;              /* by exec, by a later row of the list */
};

#define PV_PROCESS_ROOT SIZE_MAX

/* In place of a row's id: all recorded processes, grouped by program; each process for itself. */
#define PV_PROCESSES_TOGETHER (UINT64_MAX - 2)
#define PV_PROCESSES_EACH     (UINT64_MAX - 1)

struct pv_processes {
	PV_ARRAY(struct pv_process) row;
	char *command;   /* recorded command, joined by blanks; "": not known; in the arena */
	size_t left_out; /* rows without sense, or beyond the limit */
	int64_t zero_ns; /* earliest start */
	bool indexed;    /* all facts come from an index; else only the logs are known */
	struct pv_arena arena;
};

/* Finds parents, ids and what was replaced; takes time n log n. False: out of memory. */
bool pv_processes_link(struct pv_processes *list);

void pv_processes_destroy(struct pv_processes *list); /* NULL is fine */

/* The program's name without folders, never NULL; borrowed from the list, "?" where not known. */
const char *pv_process_name(const struct pv_process *p);

/*
 * The recorded row with the most CPU time or, if unknown, the largest log; NULL: none was recorded.
 * Borrowed, like the results below.
 */
const struct pv_process *pv_processes_heaviest(const struct pv_processes *list);
const struct pv_process *pv_processes_by_id(const struct pv_processes *list, uint64_t id);

/*
 * The row named by `text`, borrowed from the list: a pid, a program's name, or a part of the
 * command line; of several the recorded row that used most. NULL: none.
 */
const struct pv_process *pv_processes_find(const struct pv_processes *list, const char *text);

size_t pv_processes_recorded(const struct pv_processes *list); /* rows with a log */

#endif
