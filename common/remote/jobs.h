/* SPDX-License-Identifier: MIT */
/*
 * Commands of this profview run by the relay or a recording's keeper: children whose output is
 * taken, with SIGINT when their parent ends, even by SIGKILL. One thread.
 */
#ifndef PV_REMOTE_JOBS_H
#define PV_REMOTE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { PV_JOBS = 8, PV_JOB_WORDS = 256 };

struct pv_job {
	bool used, gone;
	bool leads; /* a recording, and its process group: reaped at the end, so that the id stays */
	uint64_t id;
	pid_t pid;
	int code,
		from[2]; /* exit code as a shell gives it; standard output and error, -1: closed */
};

struct pv_jobs {
	struct pv_job job[PV_JOBS];
};

/*
 * Runs profview with these words, each ending with a NUL. With a `record` the command gets --record
 * and this path after the first word, and standard output goes nowhere. The job is valid as long as `j`
 * and until `used` is false. NULL: a sentence in `why`.
 */
struct pv_job *pv_jobs_start(struct pv_jobs *j, uint64_t id, const uint8_t *words, size_t n,
	char *record, char *why, size_t room);

/* Whether the command itself has ended; children of the command may live on. */
bool pv_job_is_gone(struct pv_job *job);

/* Output of the command is not taken any more. */
void pv_job_deafen(struct pv_job *job);

/*
 * Signals the group of a recording until no process is left, three seconds at most, then kills it.
 * For a process that is not the recording's parent.
 */
void pv_jobs_end_group(pid_t group);

/* Ends what runs, three seconds at most; `all`: with all processes of a recording's group. */
void pv_jobs_end(struct pv_jobs *j, bool all);

#endif
