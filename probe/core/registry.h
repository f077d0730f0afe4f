/* SPDX-License-Identifier: MIT */
/*
 * Names given by the program: regions, classes, counters. Small numbers stand for them in the log.
 * They live as long as the process and outlast sessions, since the program keeps the numbers.
 * Memory is allocated under the registry's lock, which is therefore not the lock of the chunks.
 */
#ifndef PV_PROBE_REGISTRY_H
#define PV_PROBE_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* Below the lowest address of any function, so regions and functions never collide. */
	PVP_MAX_REGIONS = 60000,
	PVP_MAX_CLASSES = 1000000,
	PVP_MAX_COUNTERS = 1024,
	PVP_FIRST_COUNTER = 15, /* indices up to here are the probe's own */
};

struct profview_counter {
	struct profview_counter *next; /* made after this counter */
	const char *name;
	uint64_t unit; /* as on the wire */
	uint64_t index;
	_Atomic int64_t value;
	_Atomic bool given; /* a value was set */
	/* the writer's */
	bool described, sampled;
	int64_t written;
};

/* From any thread. 0 or NULL: no memory, no room, an empty name, or called inside the probe. */
uint32_t pvp_region(const char *name);
/* As pvp_region(), for the writer, which holds its guard forever. */
uint32_t pvp_region_of_writer(const char *name);
uint32_t pvp_class(const char *name);
struct profview_counter *pvp_counter(const char *name, uint64_t unit);
struct profview_counter *pvp_counter_of_writer(const char *name, uint64_t unit); /* likewise */

/* For the writer: number of classes (ids are 1 to n), and names. */
uint32_t pvp_class_count(void);
const char *pvp_class_name(uint32_t id);
const char *pvp_region_name(uint64_t id); /* NULL: no such region */

/* The counters from `before` on, NULL for the first; NULL at the end. */
struct profview_counter *pvp_next_counter(struct profview_counter *before);

/* Around fork, so that the tables are whole in the child. */
void pvp_registry_hold(void);
void pvp_registry_release(void);
void pvp_registry_reset_lock(void);

#endif
