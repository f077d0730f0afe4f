/* SPDX-License-Identifier: MIT */
/*
 * The seam between the screen and everything that brings bytes in: opens a log, follows and decodes
 * it on other threads, and keeps the model. In tui/ only feed*.c see io, ingest, model and target.
 * One thread (the screen's) makes all calls, unless said otherwise. Only ui_feed_load() waits, and
 * calls that take the model's lock, meant for another thread.
 */
#ifndef UI_FEED_H
#define UI_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "tui/draw/feed_status.h"

struct pv_model;
struct pv_report_source;
struct ui_feed;

struct ui_feed_options {
	const char *path; /* a file, a named pipe, or "-": standard input */
	bool follow;
	const char *record;   /* NULL, or where a pipe's bytes are kept */
	uint64_t spool_limit; /* bytes; 0 = the default */
	unsigned jobs;        /* decode workers; 0 = as many as cores */
	bool no_index;
	bool patient;      /* a pipe's writer rather waits than a byte is dropped */
	bool give_way;     /* a screen is drawn meanwhile: reading yields to the drawing */
	bool sample_times; /* of a report: each sample's time is kept, see pv_restrict */
	bool readonly;     /* nothing is ever sent to the target */
	bool ranges;       /* ranges will be read, see ui_feed_read_range() */
	bool ranged;       /* reports: only from_ns to to_ns (half-open) */
	unsigned relative; /* enum ui_range_relative bits: how the two count */
	int64_t from_ns, to_ns;
	const char *thread;   /* reports: only this one, "0x..." or a name; NULL = all */
	const char *requests; /* reports: only within these, see pv_filter_split(); NULL = all */
	void (*waits)(const char *path); /* ui_feed_load(), once where nothing comes; or NULL */
	/*
	 * ui_feed_load() calls this several times a second with the progress; false stops the load;
	 * NULL: never called
	 */
	bool (*reads)(const char *path, uint64_t done, uint64_t total);
};

/*
 * Opens and starts reading. Forks the drainer for pipes and standard input, so no thread may have
 * been started before. The caller closes the feed. NULL: cannot be opened at all.
 */
struct ui_feed *ui_feed_open(const struct ui_feed_options *options, struct pv_error *reterr);
/* A range's ends since zero, see ui_range_resolve() and ui_range_check(); false: with an error. */
bool ui_feed_range(const struct ui_feed *f, unsigned relative, int64_t *from_ns, int64_t *to_ns,
	struct pv_error *reterr);
/* After loading: false with an error where the log lacks the requested thread. */
bool ui_feed_knows_thread(const struct ui_feed *f, struct pv_error *reterr);
/* False with an error where none was chosen; takes the model's lock. */
bool ui_feed_has_requests(struct ui_feed *f, uint64_t chosen, struct pv_error *reterr);
bool ui_feed_indexed(const char *path); /* whether `path` is a file with a usable index */
void ui_feed_close(struct ui_feed *f);  /* cancels whatever runs; NULL is fine */

/*
 * A copy of the status. The second never waits: false, and *ret unchanged, where the first would.
 */
void ui_feed_status(struct ui_feed *f, struct ui_feed_status *ret);
bool ui_feed_status_now(struct ui_feed *f, struct ui_feed_status *ret);

/*
 * The model to ask now; owned by the feed, never NULL. If another has come (`models` went up: a new
 * recording in the input, an index found, a log read anew), this call destroys the model before, of
 * which nothing may be in use.
 */
struct pv_model *ui_feed_adopt(struct ui_feed *f);

void ui_feed_stop(struct ui_feed *f); /* figures stay as read, and their coverage says so */

/*
 * A descriptor for the event loop, readable when the model or the status may have changed.
 * ui_feed_turn() empties the descriptor: no further signal comes before this call, nor without
 * news.
 */
int ui_feed_fd(const struct ui_feed *f);
void ui_feed_turn(struct ui_feed *f);

/*
 * Waits until all input is read (followed input: has ended), or `stop` (may be NULL) becomes
 * readable. False: stopped or failed; see the status.
 */
bool ui_feed_load(struct ui_feed *f, const int *stop_fd);

/* Waits, at most `ms`, until input that is not followed turns out to be a log or not. */
void ui_feed_await_log(struct ui_feed *f, int ms);

/* A report's facts about the input; the texts live as long as the feed. After ui_feed_load(). */
void ui_feed_report_source(struct ui_feed *f, struct pv_report_source *ret);

/* Empties the rolling window. Both lock the model; any thread, but none during ui_feed_adopt(). */
void ui_feed_zero_window(struct ui_feed *f);

/*
 * Lets the rolling window end now rather than at the newest event; call a few times a second while
 * a live log's window is shown. False: the window is empty, or cannot be aged before the next
 * event.
 */
bool ui_feed_decay(struct ui_feed *f);

struct ui_convert_options {
	const char *path, *output; /* output "-": standard output */
	bool ranged;
	int64_t from_ns, to_ns; /* as in ui_feed_options */
	const char *thread;
	unsigned data_version; /* 0: the log's own */
};

struct ui_converted {
	bool damaged; /* the input was; what could be read was written */
	/* events that the data version has no form for; "": none */
	char left_out[500];
};

/* Writes a log again. False: PV_EIO, PV_EUSAGE, PV_ENOMEM or an error of the input. */
bool ui_feed_convert(
	const struct ui_convert_options *o, struct ui_converted *ret, struct pv_error *reterr);

#endif
