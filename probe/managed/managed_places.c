/* SPDX-License-Identifier: MIT */
/* Remembers which places of managed code stand on stacks of events, and whose code each is. */
#include "probe/managed/managed_places.h"

#include <pthread.h>
#include <stdatomic.h>

#include "common/base/map.h"

enum {
	PLACES = 1 << 16, /* at most */
	KNOWN = 1 << 12,  /* places that take no lock */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pv_map places;          /* address -> method; keys of methods are small numbers */
static _Atomic uint64_t known[KNOWN]; /* hashes of address and method */

uint64_t pvp_managed_place(
	uint64_t address, uint64_t method, bool (*note)(uint64_t address, uint64_t method))
{
	const uint64_t mark = pv_hash(address ^ pv_hash(method));
	_Atomic uint64_t *at = &known[mark % KNOWN];
	if (method > UINT32_MAX - 1 || address == 0)
		return method;
	if (atomic_load_explicit(at, memory_order_relaxed) == mark)
		return address;
	pthread_mutex_lock(&lock);
	uint32_t of = pv_map_get(&places, address);
	pthread_mutex_unlock(&lock);
	if (of == PV_MAP_NONE && note && !note(address, method))
		return method;
	pthread_mutex_lock(&lock);
	of = pv_map_get(&places, address); /* another thread may have come first */
	if (of == PV_MAP_NONE && places.n < PLACES &&
		pv_map_set(&places, address, (uint32_t)method))
		of = (uint32_t)method;
	pthread_mutex_unlock(&lock);
	if (of != method)
		return method;
	atomic_store_explicit(at, mark, memory_order_relaxed);
	return address;
}

uint64_t pvp_managed_place_method(uint64_t key)
{
	pthread_mutex_lock(&lock);
	uint32_t of = pv_map_get(&places, key);
	pthread_mutex_unlock(&lock);
	return of == PV_MAP_NONE ? 0 : of;
}

void pvp_managed_places_forget(void)
{
	pthread_mutex_lock(&lock);
	pv_map_finish(&places);
	for (unsigned i = 0; i < KNOWN; i++)
		atomic_store_explicit(&known[i], 0, memory_order_relaxed);
	pthread_mutex_unlock(&lock);
}

void pvp_managed_places_hold(void)
{
	pthread_mutex_lock(&lock);
}

void pvp_managed_places_release(void)
{
	pthread_mutex_unlock(&lock);
}
