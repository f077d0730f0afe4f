/* SPDX-License-Identifier: MIT */
/*
 * The global range of time, as the user sets it: two ends, and a cursor on the strip. Plain values
 * and pure functions: any thread. range_loader.c reads the range's events again.
 */
#ifndef UI_TIME_RANGE_H
#define UI_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_error;

/* Facts of the log needed to make an end of the range a time since zero; bits. */
enum ui_range_relative {
	UI_RANGE_FROM_END = 1,   /* the log's end, for negative times */
	UI_RANGE_FROM_CLOCK = 2, /* the log's start, for a time of the day: ns since midnight, */
	UI_RANGE_TO_CLOCK = 4,   /* or of a day after 1970-01-02: ns since the Unix epoch */
};

struct ui_log_time {
	int64_t duration_ns;
	uint64_t start_ms; /* since the Unix epoch; 0: not known */
};

enum ui_range_state {
	UI_RANGE_BUCKETS, /* figures of whole buckets; the rest is "..." */
	UI_RANGE_EXACT,
	UI_RANGE_FAILED, /* only buckets there will be: `error` says why */
};

enum { UI_REQUESTS_MAX = 128 };

struct ui_range {
	bool on;                        /* a time, a thread or requests, or more of these */
	int64_t from_ns, to_ns;         /* since zero, half-open; INT64_MIN and INT64_MAX: open */
	bool threaded;                  /* only events of one thread: */
	uint64_t thread;                /* the native id, any thread that had it */
	char thread_name[64];           /* as much as fits */
	bool named;                     /* in place of `thread`: all threads of this name */
	char requests[UI_REQUESTS_MAX]; /* only what happened in these, as a filter; "": all */
	bool cursor_on;
	int64_t cursor_ns;
	enum ui_range_state state;
	uint64_t read, total; /* bytes of the reading; total 0: not begun */
	int64_t until_ns;     /* exact figures are read up to this time */
	char error[120];
	unsigned relative; /* enum ui_range_relative bits: the ends wait for the log */
	int window_s;      /* seconds at the end of a finished recording; 0: set by hand */
};

/* Parses "A..B" as on the command line, also "@14:05..@14:06"; false: no range. */
bool ui_range_parse(const char *text, struct ui_range *ret);
/* Both ends become times since zero, times of the day in the zone of TZ; false: with an error. */
bool ui_range_resolve(struct ui_range *r, const struct ui_log_time *log, struct pv_error *reterr);
/* False with a sentence: the range ends before it begins, or lies outside the log. */
bool ui_range_check(const struct ui_range *r, int64_t duration_ns, struct pv_error *reterr);
/* Parses one time, in ns since zero; false: no time. */
bool ui_time_parse(const char *text, const struct ui_log_time *log, int64_t *ret);

/* With the thread: `thread "main" 3.0-4.0 s`. Returns `buf`, the caller's, never NULL. */
const char *ui_range_said(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size);
/* The range in typed form, without the thread. Returns `buf`, the caller's, never NULL. */
const char *ui_range_typed(const struct ui_range *r, char *buf, size_t size);

/* Takes the thread of another, or the requests; without any and without ends there is no range. */
void ui_range_take_thread(struct ui_range *r, const struct ui_range *from);
void ui_range_take_requests(struct ui_range *r, const char *requests);
/* Both, for a range of another time. */
void ui_range_take_all(struct ui_range *r, const struct ui_range *from);

/* One end is moved; the other gives way where they would cross. */
void ui_range_begin(struct ui_range *r, int64_t at_ns);
void ui_range_end(struct ui_range *r, int64_t at_ns);
/*
 * Makes the range shorter (`dir` above 0) or longer by a round step, about the cursor if inside,
 * else about the middle; a range as long as the recording is switched off. False: cannot be
 * shorter, or is all.
 */
bool ui_range_zoom(struct ui_range *r, int dir, int64_t duration_ns);
/* Moves the range by its own length, `times` times, within the recording. */
void ui_range_step(struct ui_range *r, int times, int64_t duration_ns);
/* Whether the log is still being read for the range: missing data may come. */
static inline bool ui_range_reading(const struct ui_range *r)
{
	return r->on && r->state == UI_RANGE_BUCKETS;
}

#endif
