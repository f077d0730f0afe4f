/* SPDX-License-Identifier: MIT */
/* A mutex around the probe's walks of the loader's list. */
#include "probe/ground/loader_lock.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void pvp_loader_hold(void)
{
	pthread_mutex_lock(&lock);
}

void pvp_loader_release(void)
{
	pthread_mutex_unlock(&lock);
}

void pvp_loader_forget(void)
{
	static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
	lock = fresh;
}
