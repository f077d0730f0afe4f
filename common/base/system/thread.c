/* SPDX-License-Identifier: MIT */
/* Threads with a stated stack, and their priority. */
#include "common/base/system/thread.h"

#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GIVE_WAY = 5, SLICE_NS = 100000, RESET_ON_FORK = 1, STACK = 8 << 20, ENOUGH = 1 << 20 };

/* The kernel's structure, missing in some C libraries. */
struct sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* Signals are for the screen's thread: no other thread may take them. */
bool pv_thread_start(pthread_t *ret, void *(*run)(void *), void *arg)
{
	pthread_attr_t how;
	sigset_t all, before;
	if (pthread_attr_init(&how) != 0)
		return false;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	bool ok = pthread_attr_setstacksize(&how, STACK) == 0 &&
		  pthread_create(ret, &how, run, arg) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&how);
	return ok;
}

struct start {
	int (*run)(int argc, char *argv[]);
	int argc, code;
	char **argv;
	sigset_t signals;
};

static void *run_start(void *ctx)
{
	struct start *s = ctx;
	pthread_sigmask(SIG_SETMASK, &s->signals, NULL);
	s->code = s->run(s->argc, s->argv);
	return NULL;
}

int pv_thread_main(int (*run)(int argc, char *argv[]), int argc, char *argv[])
{
	struct start s = { run, argc, 0, argv, { { 0 } } };
	struct rlimit stack;
	pthread_t thread;
	sigset_t all;
	pthread_sigmask(SIG_SETMASK, NULL, &s.signals);
	if (getrlimit(RLIMIT_STACK, &stack) || stack.rlim_cur >= ENOUGH ||
		!pv_thread_start(&thread, run_start, &s))
		return run(argc, argv);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_join(thread, NULL);
	return s.code;
}

/* On Linux a process of number 0 is the calling thread. */
void pv_thread_give_way(void)
{
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + GIVE_WAY);
}

void pv_thread_answer_soon(void)
{
	struct sched_attributes a = { .size = sizeof a,
		.flags = RESET_ON_FORK,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = SLICE_NS };
	syscall(SYS_sched_setattr, 0, &a, 0);
}
