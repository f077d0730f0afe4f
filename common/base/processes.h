/*
 * The processes of one recording as rows: which started which, how much each used, where its log
 * is. A list is filled by one thread and only read after pv_processes_link(): any thread. Texts
 * came from other programs: common/base/showable.h before a person sees them. Times are ns by one
 * clock, which only their differences are of; sizes are bytes.
 */
#ifndef PV_BASE_PROCESSES_H
#define PV_BASE_PROCESSES_H

#include "common/base/mem.h"

enum pv_process_host {
	PV_PROCESS_UNKNOWN,
	PV_PROCESS_NATIVE,
	PV_PROCESS_MONO,
	PV_PROCESS_CORECLR,
	PV_PROCESS_NONE, /* no probe could go into it */
};

/* A program in a process: exec makes another row of the same pid. */
struct pv_process {
	uint64_t id; /* never 0; the same in every reading of one recording */
	uint32_t pid, ppid, image;
	size_t parent;      /* place in the list, PV_PROCESS_ROOT: it has none there */
	const char *exe;    /* path, "" not known */
	const char *args;   /* argv joined by blanks, cut; "" not known */
	const char *log;    /* name of a file in the folder; NULL: there is none */
	const char *reason; /* NULL, or why it was not recorded */
	enum pv_process_host host;
	uint64_t cpu_ns, log_bytes;
	uint64_t tree_cpu_ns;                /* of it and of all below it; pv_processes_link() */
	uint64_t events, lost, memory_bytes; /* see `knows_...` */
	int64_t start_ns, end_ns;
	int exit_code, signal;
	bool knows_cpu, knows_start, knows_events, knows_lost, knows_memory;
	bool ended, exited, killed; /* end_ns, exit_code, signal are meant */
	bool replaced;              /* by exec, by a later row of the list */
};

#define PV_PROCESS_ROOT SIZE_MAX

/* In place of a row's id: all recorded processes, those of one program as one; each of them by itself. */
#define PV_PROCESSES_TOGETHER (UINT64_MAX - 2)
#define PV_PROCESSES_EACH     (UINT64_MAX - 1)

struct pv_processes {
	PV_ARRAY(struct pv_process) row;
	char *command;   /* the recorded one joined by blanks, "" not known; in the arena */
	size_t left_out; /* rows that made no sense, or were beyond the limit */
	int64_t zero_ns; /* earliest start */
	bool indexed;    /* an index says all this; else only which logs there are */
	struct pv_arena arena;
};

/* Finds parents, ids and what was replaced; takes time n log n. False: out of memory. */
bool pv_processes_link(struct pv_processes *list);

void pv_processes_destroy(struct pv_processes *list); /* NULL is fine */

/* The program's name without folders, never NULL; borrowed from the list, "?" where not known. */
const char *pv_process_name(const struct pv_process *p);

/*
 * The recorded row that used most CPU time, where that is not known the one with the largest log;
 * NULL: none was recorded. Borrowed, as are the next two.
 */
const struct pv_process *pv_processes_heaviest(const struct pv_processes *list);
const struct pv_process *pv_processes_by_id(const struct pv_processes *list, uint64_t id);

/*
 * The row that `text` names, borrowed from the list: a pid, a program's name, or a part of its
 * command line; of several the recorded one that used most. NULL: there is none.
 */
const struct pv_process *pv_processes_find(const struct pv_processes *list, const char *text);

size_t pv_processes_recorded(const struct pv_processes *list); /* rows with a log */

#endif
