/* SPDX-License-Identifier: MIT */
/* Ends the writer's thread for a moment, and starts a new thread afterwards. */
#include "probe/core/writer_rest.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "probe/core/backpressure.h"
#include "probe/core/emit.h"
#include "probe/core/writer_park.h"

enum { PARK_S = 1 /* s: a writer at the sink for longer goes on */ };

/* Asks the writer to go on. False: the end was promised already. */
static bool give_up_parking(void)
{
	pthread_mutex_lock(&pvp_core.lock);
	bool ends = pvp_writer_wish_park(false);
	pthread_mutex_unlock(&pvp_core.lock);
	return !ends;
}

bool pvp_writer_park(void)
{
	struct timespec until;
	if (!pvp_lock())
		return false;
	struct pvp_writer *w = pvp_writer_now();
	pvp_writer_wish_park(w);
	pthread_cond_signal(&pvp_core.wake);
	pvp_unlock();
	if (!w)
		return false;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PARK_S;
	if (pthread_timedjoin_np(w->worker.thread, NULL, &until) != 0) {
		if (give_up_parking())
			return false;
		pthread_join(w->worker.thread, NULL);
	}
	pvp_worker_gone(&w->worker);
	give_up_parking();
	return true;
}

const struct pvp_host *pvp_writer_unpark(char control[108])
{
	enum { STACK = 256 << 10 };
	struct pvp_writer *w = pvp_writer_now();
	const struct pvp_host *host = w->host;
	memcpy(control, w->config.control, sizeof w->config.control);
	if (pvp_worker_start(&w->worker, STACK, pvp_writer_run, w) == 0)
		return host;
	bool guarded = pvp_guard_on();
	w->stopping = true;
	w->stop_since = pvp_monotonic();
	pvp_writer_work(w);
	if (guarded)
		pvp_guard_off();
	pvp_writer_end(w);
	return NULL;
}

pid_t pvp_writer_thread(void)
{
	return (pid_t)atomic_load_explicit(&pvp_backpressure.writer, memory_order_relaxed);
}
