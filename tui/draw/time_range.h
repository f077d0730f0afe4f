/*
 * The global range of time, as the user sets it: two ends and a cursor on the strip. Plain values
 * and pure functions: any thread. range_loader.h reads the events of the range again.
 */
#ifndef UI_TIME_RANGE_H
#define UI_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pv_error;

/* Facts of the log that an end of the range needs to be a time since zero; bits. */
enum ui_range_relative {
	UI_RANGE_FROM_END = 1,   /* its end, for negative times */
	UI_RANGE_FROM_CLOCK = 2, /* its start, for a time of the day: ns since midnight, */
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

struct ui_range {
	bool on;                /* a time, or a thread, or both */
	int64_t from_ns, to_ns; /* since zero, half-open; INT64_MIN and INT64_MAX: open */
	bool threaded;          /* only the events of one thread: */
	uint64_t thread;        /* of this native id, all that had it */
	char thread_name[64];   /* as much as fits */
	bool named;             /* not that one only: all threads of this name */
	bool cursor_on;
	int64_t cursor_ns;
	enum ui_range_state state;
	uint64_t read, total; /* bytes, while it is read; total 0: not begun */
	int64_t until_ns;     /* time up to which the exact figures were read */
	char error[120];
	unsigned relative; /* enum ui_range_relative bits: the ends wait for the log */
	int window_s; /* the last seconds of a recording that has ended, so many; 0: set by hand */
};

/* "A..B" as on the command line, also "@14:05..@14:06"; false when it is none. */
bool ui_range_parse(const char *text, struct ui_range *ret);
/* Both ends become times since zero, times of the day in the zone of TZ; false: with an error. */
bool ui_range_resolve(struct ui_range *r, const struct ui_log_time *log, struct pv_error *reterr);
/* False with a sentence: it ends before it begins, or is outside the log. */
bool ui_range_check(const struct ui_range *r, int64_t duration_ns, struct pv_error *reterr);
/* One time as it is typed, in ns since zero; false when it is none. */
bool ui_time_parse(const char *text, const struct ui_log_time *log, int64_t *ret);

/* With the thread: `thread "main" 3.0-4.0 s`. Returns `buf`, the caller's, never NULL. */
const char *ui_range_said(const struct ui_range *r, int64_t duration_ns, char *buf, size_t size);
/* The same as one would type it, without the thread. */
const char *ui_range_typed(const struct ui_range *r, char *buf, size_t size);

/* Takes the thread of another; without one and without ends there is no range. */
void ui_range_take_thread(struct ui_range *r, const struct ui_range *from);

/* One end is moved; the other gives way where they would cross. */
void ui_range_begin(struct ui_range *r, int64_t at_ns);
void ui_range_end(struct ui_range *r, int64_t at_ns);
/*
 * Shorter (`dir` above 0) or longer by a round step about the cursor, where it is in the range,
 * else about the middle; one as long as all is none. False: it cannot be shorter, or it is all.
 */
bool ui_range_zoom(struct ui_range *r, int dir, int64_t duration_ns);
/* By its own length, `times` times, as far as the recording goes. */
void ui_range_step(struct ui_range *r, int times, int64_t duration_ns);

#endif
