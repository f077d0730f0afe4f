/* SPDX-License-Identifier: MIT */
/*
 * Whether the writer must end: for a call that wants a single thread, or with the program's
 * threads.
 */
#include "probe/core/writer_park.h"

#include <pthread.h>

enum { LOOK_NS = 80000000 };

static bool parking, parked; /* under the core's lock */

bool pvp_writer_outlived(struct pvp_writer *w)
{
	static bool only;
	static uint64_t looked_ns;
	uint64_t now = pvp_monotonic();
	if (only || now - looked_ns < LOOK_NS)
		return only;
	looked_ns = now;
	only = pvp_workers_only();
	if (!only)
		return false;
	pthread_mutex_lock(&pvp_core.lock);
	w->stop_since = w->stopping ? w->stop_since : now;
	w->stopping = true;
	pthread_mutex_unlock(&pvp_core.lock);
	return true;
}

bool pvp_writer_parking(void)
{
	return parking;
}

bool pvp_writer_parks(struct pvp_writer *w)
{
	pthread_mutex_lock(&pvp_core.lock);
	bool now = parking;
	pthread_mutex_unlock(&pvp_core.lock);
	if (!now)
		return false;
	if (w->host->park)
		w->host->park();
	pthread_mutex_lock(&pvp_core.lock);
	now = parked = parking;
	pthread_mutex_unlock(&pvp_core.lock);
	return now;
}

bool pvp_writer_wish_park(bool wanted)
{
	bool promised = parked;
	parking = wanted;
	parked = parked && !wanted;
	return promised;
}
