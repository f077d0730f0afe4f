/* SPDX-License-Identifier: MIT */
/* Commands of profview that run as children, and their end. */
#include "common/remote/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ERRORS = 2, END_MS = 3000, STEP_MS = 20, CANNOT = 127 };

static struct pv_job *free_job(struct pv_jobs *j)
{
	for (int i = 0; i < PV_JOBS; i++)
		if (!j->job[i].used)
			return &j->job[i];
	return NULL;
}

/* False: none, too many, or the last does not end. */
static bool job_words(const uint8_t *words, size_t n, char *record, char *to[PV_JOB_WORDS + 4])
{
	static char program[] = "profview", option[] = "--record";
	size_t k = 0;
	to[k++] = program;
	if (n == 0 || words[n - 1])
		return false;
	for (size_t at = 0; at < n; at += strlen((const char *)words + at) + 1) {
		if (k > PV_JOB_WORDS)
			return false;
		to[k++] = (char *)(uintptr_t)words + at;
		if (k == 2 && record) {
			to[k++] = option;
			to[k++] = record;
		}
	}
	to[k] = NULL;
	return true;
}

/* Never returns. */
static void become(char *const words[], int out, int err, pid_t parent)
{
	if (out < 0)
		setpgid(0, 0);
	int in = open("/dev/null", O_RDWR);
	dup2(in, STDIN_FILENO);
	dup2(out < 0 ? in : out, STDOUT_FILENO);
	dup2(err, ERRORS);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGINT);
	if (getppid() == parent)
		execv("/proc/self/exe", words);
	_exit(CANNOT);
}

static void close_pipe(const int ends[2])
{
	for (int i = 0; i < 2; i++)
		if (ends[i] >= 0)
			close(ends[i]);
}

struct pv_job *pv_jobs_start(struct pv_jobs *j, uint64_t id, const uint8_t *words, size_t n,
	char *record, char *why, size_t room)
{
	char *list[PV_JOB_WORDS + 4];
	int out[2] = { -1, -1 }, err[2] = { -1, -1 };
	struct pv_job *job = free_job(j);
	const char *failed = !job                                 ? "too much is running"
			     : !job_words(words, n, record, list) ? "no command"
			     : pipe2(err, O_CLOEXEC) != 0         ? "out of descriptors"
			     : !record && pipe2(out, O_CLOEXEC)   ? "out of descriptors"
								  : NULL;
	pid_t parent = getpid(), pid = failed ? -1 : fork();
	if (pid == 0)
		become(list, out[1], err[1], parent);
	if (!failed && pid < 0)
		failed = "out of processes";
	if (failed) {
		close_pipe(out), close_pipe(err);
		snprintf(why, room, "%s", failed);
		return NULL;
	}
	close_pipe((int[2]){ out[1], err[1] });
	if (record)
		setpgid(pid, pid);
	*job = (struct pv_job){
		.used = true, .leads = record, .id = id, .pid = pid, .from = { out[0], err[0] }
	};
	return job;
}

bool pv_job_is_gone(struct pv_job *job)
{
	siginfo_t end = { 0 };
	int how = WEXITED | WNOHANG | (job->leads ? WNOWAIT : 0);
	if (!job->gone && waitid(P_PID, (id_t)job->pid, &end, how) == 0 && end.si_pid) {
		job->gone = true;
		job->code = end.si_status + (end.si_code == CLD_EXITED ? 0 : 128);
	}
	return job->gone;
}

void pv_job_deafen(struct pv_job *job)
{
	close_pipe(job->from);
	job->from[0] = job->from[1] = -1;
}

static void wait_a_step(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = STEP_MS * 1000000 }, NULL);
}

void pv_jobs_end_group(pid_t group)
{
	int signal = SIGINT;
	for (int ms = 0; ms < END_MS && kill(-group, signal) == 0; ms += STEP_MS) {
		signal = 0;
		wait_a_step();
	}
	if (kill(-group, 0) == 0)
		kill(-group, SIGKILL);
}

static bool still_runs(struct pv_jobs *j)
{
	bool left = false;
	for (int i = 0; i < PV_JOBS; i++)
		left |= j->job[i].used && !pv_job_is_gone(&j->job[i]);
	return left;
}

void pv_jobs_end(struct pv_jobs *j, bool all)
{
	for (int i = 0; i < PV_JOBS; i++) {
		struct pv_job *job = &j->job[i];
		if (job->used && !pv_job_is_gone(job))
			kill(job->pid, SIGINT);
		if (job->used && job->leads && all)
			kill(-job->pid, SIGINT);
	}
	for (int ms = 0; still_runs(j) && ms < END_MS; ms += STEP_MS)
		wait_a_step();
	for (int i = 0; i < PV_JOBS; i++) {
		struct pv_job *job = &j->job[i];
		if (job->used && !pv_job_is_gone(job))
			kill(job->pid, SIGKILL);
		if (job->used && job->leads)
			waitpid(job->pid, NULL, 0);
		if (job->used && job->leads && all)
			pv_jobs_end_group(job->pid);
	}
}
