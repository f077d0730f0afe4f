/* SPDX-License-Identifier: MIT */
/* Heap shots asked for without a key: every so many seconds or collections. Pure: any thread. */
#ifndef UI_SCHEDULE_H
#define UI_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ui_schedule {
	int64_t every_ns;           /* 0: not by time */
	uint64_t every_collections; /* 0: not by collections */
	int64_t last_ns;            /* time of the setting, or of the last due shot */
	uint64_t last_collections;  /* how many there had been */
};

/* "30s", "2m", "5gc" or "off"; false for other words. Not less than a second. */
bool ui_schedule_parse(const char *text, struct ui_schedule *ret);
/* The next of a few usual schedules: never, 10 s, 1 min, 10 and 100 collections. */
void ui_schedule_next(struct ui_schedule *w);
/* Counts from now on. */
void ui_schedule_begin(struct ui_schedule *w, int64_t now_ns, uint64_t collections);

/* Whether any shots are scheduled. */
static inline bool ui_schedule_on(const struct ui_schedule *w)
{
	return w->every_ns || w->every_collections;
}

/* "every 10 s", "every 5 collections", "never". Returns `buf`, the caller's. */
const char *ui_schedule_text(const struct ui_schedule *w, char *buf, size_t size);

/* Whether a shot is due; *ret_left_ns: else how long to wait at most, 0: until more comes. */
bool ui_schedule_due(
	struct ui_schedule *w, int64_t now_ns, uint64_t collections, int64_t *ret_left_ns);

#endif
