/*
 * Names the program gives: regions, classes, counters. Small numbers stand for them in the log.
 * They live as long as the process and outlast sessions, since the program keeps the numbers.
 * Their lock is not the one of the threads' chunks: memory is allocated under it.
 */
#ifndef PV_PROBE_REGISTRY_H
#define PV_PROBE_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
	/* Below the lowest address a function can have, so that the two never meet. */
	PVP_MAX_REGIONS = 60000,
	PVP_MAX_CLASSES = 1000000,
	PVP_MAX_COUNTERS = 1024,
	PVP_FIRST_COUNTER = 15, /* indices up to here are the probe's own */
};

struct profview_counter {
	struct profview_counter *next; /* made after this one */
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
/* The same for the writer, which holds its guard for ever. */
uint32_t pvp_region_of_writer(const char *name);
uint32_t pvp_class(const char *name);
struct profview_counter *pvp_counter(const char *name, uint64_t unit);

/* For the writer: how many there are (ids are 1 to n), their names. */
uint32_t pvp_class_count(void);
const char *pvp_class_name(uint32_t id);
const char *pvp_region_name(uint64_t id); /* NULL when it is none */

/* The counters from `before` on, NULL for the first; NULL at the end. */
struct profview_counter *pvp_next_counter(struct profview_counter *before);

/* Around fork, so that the child finds the names whole. */
void pvp_registry_hold(void);
void pvp_registry_release(void);
void pvp_registry_reset_lock(void);

#endif
