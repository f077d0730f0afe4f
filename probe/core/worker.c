#include "probe/core/worker.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum { LONGEST_START_MS = 50, MS = 1000000, SECOND_MS = 1000 };

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void *begin(void *arg)
{
	struct pvp_worker *w = arg;
	sem_post(&w->runs);
	return w->run(w->arg);
}

static int create(struct pvp_worker *w, size_t stack)
{
	pthread_attr_t attr;
	int error = pthread_attr_init(&attr);
	if (error)
		return error;
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	error = pthread_create(&w->thread, &attr, begin, w);
	pthread_attr_destroy(&attr);
	return error == EINVAL ? pthread_create(&w->thread, NULL, begin, w) : error;
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

int pvp_worker_start(struct pvp_worker *w, size_t stack, void *(*run)(void *), void *arg)
{
	sigset_t all, before;
	w->run = run;
	w->arg = arg;
	sem_init(&w->runs, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&starting);
	int error = create(w, stack);
	if (!error)
		wait_until_it_runs(w);
	pthread_mutex_unlock(&starting);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error;
}

void pvp_workers_hold(void)
{
	pthread_mutex_lock(&starting);
}

void pvp_workers_release(void)
{
	pthread_mutex_unlock(&starting);
}
