/* SPDX-License-Identifier: MIT */
/* A call with a limit of processor time, by a timer's signal to the calling thread. */
#include "common/base/system/cpu_limit.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id /* glibc has another name only */
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { SECOND = 1000000000, SIGNAL_OFFSET = 9 };

static _Thread_local sigjmp_buf *volatile way_out; /* NULL: nothing is to be left */

static void leave_call(int sig)
{
	sigjmp_buf *to = way_out;
	(void)sig;
	way_out = NULL;
	if (to)
		siglongjmp(*to, 1);
}

static int signal_used(void)
{
	return SIGRTMIN + SIGNAL_OFFSET;
}

static void take_signal(void)
{
	struct sigaction a = { .sa_handler = leave_call, .sa_flags = SA_RESTART };
	sigemptyset(&a.sa_mask);
	sigaction(signal_used(), &a, NULL);
}

/* An expiry left from the last call comes before `way_out` is set, and does nothing. */
static bool call(timer_t timer, int64_t ns, void (*work)(void *ctx), void *ctx)
{
	sigjmp_buf back;
	struct itimerspec limit = { .it_value = { (time_t)(ns / SECOND), (long)(ns % SECOND) } };
	if (sigsetjmp(back, 0))
		return false;
	way_out = &back;
	timer_settime(timer, 0, &limit, NULL);
	work(ctx);
	way_out = NULL;
	return true;
}

bool pv_cpu_limit(int64_t ns, void (*work)(void *ctx), void *ctx, int64_t *ret_ns)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct sigevent e = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = signal_used() };
	struct itimerspec left = { 0 };
	sigset_t mine, before;
	timer_t timer;
	*ret_ns = 0;
	pthread_once(&once, take_signal);
	e.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &e, &timer) != 0)
		return false;
	sigemptyset(&mine);
	sigaddset(&mine, signal_used());
	pthread_sigmask(SIG_UNBLOCK, &mine, &before);
	bool done = call(timer, ns, work, ctx);
	timer_gettime(timer, &left);
	timer_delete(timer);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	*ret_ns = ns - left.it_value.tv_sec * (int64_t)SECOND - left.it_value.tv_nsec;
	return done;
}
