/* SPDX-License-Identifier: MIT */
/*
 * The process that takes the logs of several running programs into one folder: reads their pipes,
 * follows their files, keeps the folder's index.json, and ends with this process: whatever happens
 * to a viewer, no program waits. One thread makes all calls.
 */
#ifndef PV_TARGET_GATHER_H
#define PV_TARGET_GATHER_H

#include <sys/types.h>

#include "common/base/status.h"

enum { PV_GATHER_MOST = 64, PV_GATHER_WHY = 240 };

/* A program whose log is taken. Texts are borrowed while the process starts. */
struct pv_gather_input {
	pid_t pid;
	const char *path;        /* of a pipe or a file; NULL: not joined, */
	int fd;                  /* the folder that `path` starts at, as in pv_join_place; or -1 */
	char why[PV_GATHER_WHY]; /* for this reason */
	bool stream;             /* of .NET's events */
	bool trails; /* the log's end may come after the program's, when its writers have closed it */
};

struct pv_gather {
	int fd; /* -1: none was started; readable when all of the programs have ended */
	pid_t pid;
	int cut; /* after the end: errno of the first log that could not be written; 0: none */
};

/*
 * Forks, so no thread may run yet. On success the pipes have a reader, and the index lists all. A
 * `temporary` folder is removed with its contents when this process has ended or calls
 * pv_gather_leave(), and its logs have at most 1 GiB each. An input that cannot be opened gets its
 * `why`. False: PV_EIO.
 */
bool pv_gather_start(struct pv_gather *ret, const char *folder, bool temporary,
	struct pv_gather_input *input, size_t n, struct pv_error *reterr);

/* The input `at` was not joined after all. */
void pv_gather_refuse(struct pv_gather *g, size_t at, const char *why);

/* Until all of the programs have ended, or a signal handler has set *stop: then false. */
bool pv_gather_wait(struct pv_gather *g, const volatile int *stop);

/*
 * Takes the rest of the streams, some seconds at most, and ends. A temporary folder stays until
 * pv_gather_leave(), also callable without this.
 */
void pv_gather_finish(struct pv_gather *g);
void pv_gather_leave(struct pv_gather *g);

#endif
