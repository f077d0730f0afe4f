/* SPDX-License-Identifier: MIT */
/* Tables of the program's regions, classes and counters, under a lock. */
#include "probe/core/registry.h"

#include <pthread.h>
#include <string.h>

#include "common/base/intern.h"
#include "probe/core/thread_buf.h"

enum { NAME_BYTES = 4095 };

static struct {
	pthread_mutex_t lock;
	struct pv_intern regions, classes, names;
	struct pv_arena arena;
	struct profview_counter *first, *last;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool lock(void)
{
	if (!pvp_guard_on())
		return false;
	pthread_mutex_lock(&registry.lock);
	return true;
}

static void unlock(void)
{
	pthread_mutex_unlock(&registry.lock);
	pvp_guard_off();
}

static uint32_t ids(const struct pv_intern *in)
{
	return in->text.n ? (uint32_t)in->text.n - 1 : 0;
}

/* The id of a name, made while there are fewer than `max`; else 0. */
static uint32_t interned_id(struct pv_intern *in, const char *name, uint32_t max)
{
	uint32_t id;
	size_t len = strnlen(name, NAME_BYTES);
	if (ids(in) < max)
		return pv_intern_add(in, name, len, &id) ? id : 0;
	for (id = max; id > 0; id--) {
		const char *known = pv_intern_text(in, id);
		if (strncmp(known, name, len) == 0 && !known[len])
			break;
	}
	return id;
}

static uint32_t find_or_make(struct pv_intern *in, const char *name, uint32_t max)
{
	if (!name || !*name || !lock())
		return 0;
	uint32_t id = interned_id(in, name, max);
	unlock();
	return id;
}

uint32_t pvp_region(const char *name)
{
	return find_or_make(&registry.regions, name, PVP_MAX_REGIONS);
}

uint32_t pvp_region_of_writer(const char *name)
{
	pthread_mutex_lock(&registry.lock);
	uint32_t id = interned_id(&registry.regions, name, PVP_MAX_REGIONS);
	pthread_mutex_unlock(&registry.lock);
	return id;
}

uint32_t pvp_class(const char *name)
{
	return find_or_make(&registry.classes, name, PVP_MAX_CLASSES);
}

static struct profview_counter *counter_of(const char *name, uint64_t unit)
{
	uint32_t id = interned_id(&registry.names, name, PVP_MAX_COUNTERS);
	struct profview_counter *c = registry.first;
	while (c && c->index != PVP_FIRST_COUNTER + id)
		c = c->next;
	if (c || !id)
		return c;
	c = pv_arena_alloc(&registry.arena, sizeof *c);
	if (!c)
		return NULL;
	c->name = pv_intern_text(&registry.names, id);
	c->unit = unit;
	c->index = PVP_FIRST_COUNTER + id;
	if (registry.last)
		registry.last->next = c;
	else
		registry.first = c;
	registry.last = c;
	return c;
}

struct profview_counter *pvp_counter(const char *name, uint64_t unit)
{
	if (!name || !*name || !lock())
		return NULL;
	struct profview_counter *c = counter_of(name, unit);
	unlock();
	return c;
}

struct profview_counter *pvp_counter_of_writer(const char *name, uint64_t unit)
{
	pthread_mutex_lock(&registry.lock);
	struct profview_counter *c = counter_of(name, unit);
	pthread_mutex_unlock(&registry.lock);
	return c;
}

/* For the writer, which holds its guard forever: these take only the lock. */
static const char *interned_text(const struct pv_intern *in, uint64_t id)
{
	pthread_mutex_lock(&registry.lock);
	const char *text = id && id <= ids(in) ? pv_intern_text(in, (uint32_t)id) : NULL;
	pthread_mutex_unlock(&registry.lock);
	return text;
}

uint32_t pvp_class_count(void)
{
	pthread_mutex_lock(&registry.lock);
	uint32_t n = ids(&registry.classes);
	pthread_mutex_unlock(&registry.lock);
	return n;
}

const char *pvp_class_name(uint32_t id)
{
	return interned_text(&registry.classes, id);
}

const char *pvp_region_name(uint64_t id)
{
	return interned_text(&registry.regions, id);
}

struct profview_counter *pvp_next_counter(struct profview_counter *before)
{
	pthread_mutex_lock(&registry.lock);
	struct profview_counter *c = before ? before->next : registry.first;
	pthread_mutex_unlock(&registry.lock);
	return c;
}

void pvp_registry_hold(void)
{
	pthread_mutex_lock(&registry.lock);
}

void pvp_registry_release(void)
{
	pthread_mutex_unlock(&registry.lock);
}

void pvp_registry_reset_lock(void)
{
	pthread_mutex_init(&registry.lock, NULL);
}
