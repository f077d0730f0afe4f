/*
 * The process that takes the logs of several running programs into one folder: it reads their pipes,
 * follows their files, and keeps the folder's index.json. It ends when this process does, so
 * whatever happens to a viewer, no program waits for it. One thread makes all calls.
 */
#ifndef PV_TARGET_GATHER_H
#define PV_TARGET_GATHER_H

#include <sys/types.h>

#include "common/base/status.h"

enum { PV_GATHER_MOST = 64, PV_GATHER_WHY = 240 };

/* A program to take the log of. Texts are borrowed while it starts. */
struct pv_gather_input {
	pid_t pid;
	const char *path;        /* of a pipe or a file; NULL: it could not be joined, */
	int fd;                  /* that the path is of, as of pv_join_place; or -1 */
	char why[PV_GATHER_WHY]; /* for this reason */
	bool stream;             /* of .NET's events: its end comes when that was asked for */
};

struct pv_gather {
	int fd; /* -1: none was started; readable when all of the programs have ended */
	pid_t pid;
	int cut; /* once it has finished: errno of the first log that could not be written; 0: none */
};

/*
 * Forks, so no thread may run yet. Once it is true the pipes have a reader, and the index lists all. A
 * `temporary` folder is removed with what is in it when this process has ended or calls
 * pv_gather_leave(), and a log in it has at most 1 GiB. What cannot be opened gets its `why`. False: PV_EIO.
 */
bool pv_gather_start(struct pv_gather *ret, const char *folder, bool temporary,
	struct pv_gather_input *input, size_t n, struct pv_error *reterr);

/* The input at that place was not joined after all. */
void pv_gather_refuse(struct pv_gather *g, size_t at, const char *why);

/* Until all of the programs have ended, or a signal handler has set *stop: then false. */
bool pv_gather_wait(struct pv_gather *g, const volatile int *stop);

/*
 * Takes what still comes of streams, some seconds at most, and ends. A temporary folder stays until
 * pv_gather_leave(), which may come without this.
 */
void pv_gather_finish(struct pv_gather *g);
void pv_gather_leave(struct pv_gather *g);

#endif
