/* SPDX-License-Identifier: MIT */
/*
 * A thread of the module that may ask the runtime questions forbidden to the writer: takes heap
 * shots, names classes and finds the method of an address. Holds none of our locks during a
 * question, and the program never waits for this thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "probe/clr/clr_heap.h"
#include "probe/clr/clr_runtime.h"
#include "probe/clr/host_clr.h"
#include "probe/core/worker.h"

enum { END_WAIT_S = 5, ADJUST_WAIT_S = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER, done = PTHREAD_COND_INITIALIZER;
static bool running, stopping;
static bool unresolved, unnamed, sleepy, wakeful, leaving, misfit;
static unsigned wanted;
static bool joining;                /* loads of a joined program are being reported: shots wait */
static uint64_t adjusted, resolved; /* counts */

/* Under the lock. */
static bool may_shoot(void)
{
	return wanted && (!joining || stopping);
}

static void *agent_work(void *ctx)
{
	struct pvp_clr_info *info = pvp_clr.info;
	(void)ctx;
	pvp_tls.muted = true;
	info->is->initialize_thread(info);
	pthread_mutex_lock(&lock);
	while (!leaving && (!stopping || wanted)) { /* a shot would have no reader when leaving */
		bool shoot = may_shoot();
		if (!shoot && !unresolved && !unnamed && !sleepy && !wakeful && !misfit) {
			pthread_cond_wait(&wake, &lock);
			continue;
		}
		bool resolve = unresolved, turn = sleepy || wakeful, on = sleepy;
		bool adjust = misfit, name = unnamed;
		wanted -= shoot;
		unresolved = unnamed = sleepy = wakeful = misfit = false;
		pthread_mutex_unlock(&lock);
		if (resolve)
			pvp_clr_samples_resolve();
		if (name)
			pvp_clr_classes_name();
		if (shoot)
			pvp_clr_heap_take();
		if (adjust)
			pvp_clr_adjust();
		if (turn)
			pvp_clr_sleep(on);
		pthread_mutex_lock(&lock);
		adjusted += adjust;
		resolved += resolve;
		if (adjust || resolve)
			pthread_cond_broadcast(&done);
	}
	if (leaving) {
		pthread_mutex_unlock(&lock);
		pvp_clr_leave();
		pthread_mutex_lock(&lock);
	}
	running = leaving = false;
	pthread_cond_broadcast(&done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static struct timespec in_ms(unsigned ms)
{
	enum { MS = 1000000, SECOND = 1000000000 };
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += (long)(ms % 1000) * MS;
	t.tv_sec += (time_t)(ms / 1000) + t.tv_nsec / SECOND;
	t.tv_nsec %= SECOND;
	return t;
}

/* Under the lock. */
static bool begin_agent(void)
{
	static struct pvp_worker worker;
	if (running)
		return !stopping;
	wanted = 0; /* requests left open by the last session */
	unresolved = unnamed = sleepy = wakeful = leaving = misfit = false;
	running = pvp_worker_start(&worker, 0, agent_work, NULL) == 0;
	if (running)
		pthread_detach(worker.thread);
	return running;
}

bool pvp_clr_agent_shoot(void)
{
	pthread_mutex_lock(&lock);
	bool ok = begin_agent();
	if (ok && wanted < 2) /* more shots would show the same */
		wanted++;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	return ok;
}

void pvp_clr_agent_joining(bool on)
{
	pthread_mutex_lock(&lock);
	joining = on;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

void pvp_clr_agent_resolve(unsigned most_ms)
{
	struct timespec until = in_ms(most_ms);
	pthread_mutex_lock(&lock);
	if (begin_agent()) {
		uint64_t before = resolved;
		unresolved = true;
		pthread_cond_signal(&wake);
		while (most_ms && running && resolved == before &&
			pthread_cond_timedwait(&done, &lock, &until) == 0)
			;
	}
	pthread_mutex_unlock(&lock);
}

void pvp_clr_agent_name(void)
{
	pthread_mutex_lock(&lock);
	if (begin_agent())
		unnamed = true;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/* The client is answered when the command has taken effect, but waits a bounded time. */
void pvp_clr_agent_adjust(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += ADJUST_WAIT_S;
	pthread_mutex_lock(&lock);
	if (begin_agent()) {
		uint64_t before = adjusted;
		misfit = true;
		pthread_cond_signal(&wake);
		while (running && adjusted == before &&
			pthread_cond_timedwait(&done, &lock, &until) == 0)
			;
	}
	pthread_mutex_unlock(&lock);
}

void pvp_clr_agent_sleep(bool on)
{
	pthread_mutex_lock(&lock);
	if (begin_agent()) {
		sleepy = on;
		wakeful = !on;
	}
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

void pvp_clr_agent_leave(void)
{
	pthread_mutex_lock(&lock);
	leaving = begin_agent();
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
}

/* Waits until what was asked for is done, though not for ever. */
void pvp_clr_agent_end(void)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += END_WAIT_S;
	pthread_mutex_lock(&lock);
	stopping = true;
	pthread_cond_broadcast(&wake);
	while (running && pthread_cond_timedwait(&done, &lock, &until) == 0)
		;
	stopping = running;
	pthread_mutex_unlock(&lock);
}
