/* SPDX-License-Identifier: MIT */
/* A terminal's state, shared by term.c (output) and term_keys.c (input). The screen's thread. */
#ifndef UI_TERM_PARTS_H
#define UI_TERM_PARTS_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "tui/terminal/paint.h"
#include "tui/terminal/paste_mark.h"
#include "tui/terminal/term.h"
#include "tui/terminal/term_out.h"

enum { ESC_DELAY_MS = 25 }; /* for the rest of a sequence */

struct ui_term {
	struct screen *screen; /* ncurses' */
	FILE *in;              /* /dev/tty, or NULL: standard input */
	struct ui_term_out out;
	int fd;
	struct ui_paint paint;
	struct timespec owed_until; /* until then an answer about the background may come */
	struct ui_canvas shown;     /* the terminal's present contents */
	bool repaint;
	int click_x, click_y;
	struct timespec click_time;
	unsigned empty_reads;
	bool pasting;              /* between the marks of pasted text */
	struct ui_paste_mark mark; /* a piece of a mark; the rest is still to come */
};

/* Of CLOCK_MONOTONIC. */
static inline int64_t ui_term_now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

#endif
