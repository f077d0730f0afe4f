/* SPDX-License-Identifier: MIT */
/* Starts and joins the probe's own threads, and ends them after the program's last thread. */
#include "probe/core/worker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probe/core/thread_buf.h"

enum { LONGEST_START_MS = 50, MS = 1000000, SECOND_MS = 1000 };

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void *begin_worker(void *arg)
{
	struct pvp_worker *w = arg;
	atomic_store(&w->tid, (pid_t)syscall(SYS_gettid));
	sem_post(&w->runs);
	return w->run(w->arg);
}

/* `at`: of the stack, NULL: anywhere. */
static int create_thread(struct pvp_worker *w, void *at, size_t stack)
{
	pthread_attr_t attr;
	int error = pthread_attr_init(&attr);
	if (error)
		return error;
	if (at)
		pthread_attr_setstack(&attr, at, stack);
	else if (stack)
		pthread_attr_setstacksize(&attr, stack);
	if (at)
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	error = pthread_create(&w->thread, &attr, begin_worker, w);
	pthread_attr_destroy(&attr);
	return error == EINVAL && !at ? pthread_create(&w->thread, NULL, begin_worker, w) : error;
}

static void wait_until_it_runs(struct pvp_worker *w)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t); /* sem_clockwait() is no function of older systems */
	t.tv_nsec += LONGEST_START_MS * MS;
	if (t.tv_nsec >= SECOND_MS * MS) {
		t.tv_sec++;
		t.tv_nsec -= SECOND_MS * MS;
	}
	while (sem_timedwait(&w->runs, &t) != 0 && errno == EINTR)
		;
}

static int start_muted(struct pvp_worker *w, void *at, size_t stack)
{
	sigset_t all, before;
	sem_init(&w->runs, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&starting);
	bool was = pvp_tls.muted;
	pvp_tls.muted = true; /* this thread is none of the program's */
	int error = create_thread(w, at, stack);
	pvp_tls.muted = was;
	if (!error)
		wait_until_it_runs(w);
	pthread_mutex_unlock(&starting);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

int pvp_worker_start(struct pvp_worker *w, size_t stack, void *(*run)(void *), void *arg)
{
	w->run = run;
	w->arg = arg;
	return start_muted(w, NULL, stack);
}

int pvp_worker_start_at(
	struct pvp_worker *w, void *stack, size_t bytes, void *(*run)(void *), void *arg)
{
	w->run = run;
	w->arg = arg;
	return start_muted(w, stack, bytes);
}

void pvp_worker_gone(struct pvp_worker *w)
{
	enum { TRIES = 1000 };
	const struct timespec moment = { 0, MS / 10 };
	pid_t tid = atomic_load(&w->tid);
	for (int i = 0; i < TRIES && syscall(SYS_tgkill, getpid(), tid, 0) == 0; i++)
		nanosleep(&moment, NULL);
}

void pvp_worker_join(struct pvp_worker *w)
{
	pthread_join(w->thread, NULL);
	pvp_worker_gone(w);
}

/* ---- the program's threads */

static void read_of(long tid, const char *what, char *to, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/task/%ld/%s", tid, what);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, to, room - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
}

/* The process's first thread stays, as a zombie, until the others have ended. */
static bool first_has_ended(int *ret_code)
{
	enum { FIELDS = 49 }; /* from the state to exit_code: proc_pid_stat(5) */
	char stat[1024];
	read_of((long)getpid(), "stat", stat, sizeof stat);
	const char *at = strrchr(stat, ')');
	if (!at || at[1] != ' ' || (at[2] != 'Z' && at[2] != 'X'))
		return false;
	at++;
	for (int i = 0; at && i < FIELDS; i++)
		at = strchr(at + 1, ' ');
	*ret_code = at ? atoi(at) >> 8 : 0;
	return true;
}

/* The workers name themselves so. */
static bool is_worker(long tid)
{
	static const char name[] = "profview";
	char comm[32];
	read_of(tid, "comm", comm, sizeof comm);
	return strncmp(comm, name, sizeof name - 1) == 0;
}

/* Exit code of the first thread, if its bare exit(2) was the last of the program's threads. */
static _Atomic int last_code;

bool pvp_workers_only(void)
{
	static _Atomic bool outlived;
	int code;
	if (!first_has_ended(&code))
		return false;
	DIR *d = opendir("/proc/self/task");
	bool only = d;
	for (struct dirent *e; only && (e = readdir(d));) {
		long tid = *e->d_name == '.' ? 0 : strtol(e->d_name, NULL, 10);
		only = !tid || tid == (long)getpid() || is_worker(tid);
	}
	if (d)
		closedir(d);
	atomic_store(&last_code, only && !atomic_load(&outlived) ? code : 0);
	atomic_store(&outlived, !only);
	return only;
}

void (*pvp_workers_end)(void);

void pvp_worker_is_last(void)
{
	if (pvp_workers_end)
		pvp_workers_end();
	const struct timespec now = { 0, 0 };
	sigset_t none, of_writing;
	sigemptyset(&of_writing);
	sigaddset(&of_writing, SIGPIPE);
	sigaddset(&of_writing, SIGXFSZ);
	while (sigtimedwait(&of_writing, NULL, &now) > 0) /* this thread's, from writing */
		;
	sigemptyset(&none);
	pthread_sigmask(SIG_SETMASK, &none, NULL);
	if (atomic_load(&last_code)) /* with such a code the C library runs no exit handlers */
		syscall(SYS_exit, atomic_load(&last_code));
}

/* ---- fork */

void pvp_workers_hold(void)
{
	pthread_mutex_lock(&starting);
}

void pvp_workers_release(void)
{
	pthread_mutex_unlock(&starting);
}

void pvp_workers_forget(void)
{
	pthread_mutex_init(&starting, NULL);
}
