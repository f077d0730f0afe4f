/*
 * The global range of time, as the user sets it: two ends and a cursor on the strip. Plain values
 * and pure functions: any thread. range_loader.h reads the events of the range again.
 */
#ifndef UI_TIME_RANGE_H
#define UI_TIME_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	char thread_name[64];
	bool cursor_on;
	int64_t cursor_ns;
	enum ui_range_state state;
	uint64_t read, total; /* bytes, while it is read; total 0: not begun */
	int64_t until_ns;     /* time up to which the exact figures were read */
	char error[120];
	/* a range that counts from the end waits for one */
	bool from_end;
	int window_s; /* the last seconds of a recording that has ended, so many; 0: set by hand */
};

/* "A..B" as on the command line; false when it is none. */
bool ui_range_parse(const char *text, struct ui_range *ret);
/* Both ends of a range that counts from the end. */
void ui_range_resolve(struct ui_range *r, int64_t duration_ns);

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
