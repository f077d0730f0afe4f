#include "probe/core/worker.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "probe/core/thread_buf.h"

enum { LONGEST_START_MS = 50, MS = 1000000, SECOND_MS = 1000 };

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void *begin(void *arg)
{
	struct pvp_worker *w = arg;
	sem_post(&w->runs);
	return w->run(w->arg);
}

/* `at`: of the stack, NULL: anywhere. */
static int create(struct pvp_worker *w, void *at, size_t stack)
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
	error = pthread_create(&w->thread, &attr, begin, w);
	pthread_attr_destroy(&attr);
	return error == EINVAL && !at ? pthread_create(&w->thread, NULL, begin, w) : error;
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

static int start(struct pvp_worker *w, void *at, size_t stack)
{
	sigset_t all, before;
	sem_init(&w->runs, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&starting);
	bool was = pvp_tls.muted;
	pvp_tls.muted = true; /* this thread is none of the program's */
	int error = create(w, at, stack);
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
	return start(w, NULL, stack);
}

int pvp_worker_start_at(
	struct pvp_worker *w, void *stack, size_t bytes, void *(*run)(void *), void *arg)
{
	w->run = run;
	w->arg = arg;
	return start(w, stack, bytes);
}

void pvp_workers_hold(void)
{
	pthread_mutex_lock(&starting);
}

void pvp_workers_release(void)
{
	pthread_mutex_unlock(&starting);
}
