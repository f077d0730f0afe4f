/* SPDX-License-Identifier: MIT */
/* How far a log is read, as its feed (tui/feed/feed.h) tells the screen: a copy, on any thread. */
#ifndef UI_FEED_STATUS_H
#define UI_FEED_STATUS_H

#include <stdbool.h>
#include <stdint.h>

enum ui_feed_state {
	UI_FEED_LOADING, /* reading what is already there; bytes_total tells how far */
	UI_FEED_LIVE,    /* caught up, and more may come */
	UI_FEED_WAITING, /* the input does not exist yet, or has no writer */
	UI_FEED_ENDED,   /* everything there will be has been read */
	UI_FEED_FAILED,  /* `error` says why; the model holds what came before */
};

struct ui_feed_status {
	enum ui_feed_state state;
	uint64_t bytes_read, bytes_total;   /* of the input as stored; total 0 = unknown */
	uint64_t bytes_per_s, events_per_s; /* over about the last second */
	int64_t lag_ns;   /* how much older the newest event on screen is than now; -1 unknown */
	uint64_t damaged; /* damaged places met */
	uint64_t lost;    /* events counted lost by the probe; plus gaps of the spool */
	long pid_here;    /* the program's pid here, maybe another than in the log; 0: unknown */
	uint64_t models;  /* models that replaced another; see ui_feed_adopt() */
	bool stock_pipe;  /* live, and written by stock Mono through a pipe: leaving loses it */
	bool unkept;      /* of a record or spool not all could be written: see error */
	int exit_code;    /* to exit with if left now: 0, 3, 4 or 125 */
	bool no_log;      /* FAILED, and no part of a log was found: there is nothing to show */
	char error[200];  /* FAILED: why. Else empty, or what to say in the message line */
};

#endif
