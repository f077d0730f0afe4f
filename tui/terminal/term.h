/* SPDX-License-Identifier: MIT */
/*
 * The terminal: with paint.h the only place that knows curses. One at a time, on the screen's
 * thread.
 *
 * However the program ends, the terminal is given back: by ui_term_close(), ui_term_suspend() or,
 * in a crash, by handlers that write bytes prepared beforehand.
 */
#ifndef UI_TERM_H
#define UI_TERM_H

#include "common/base/status.h"
#include "tui/draw/canvas.h"
#include "tui/draw/key.h"
#include "tui/draw/theme.h"

struct ui_term;

enum ui_color { UI_COLOR_AUTO, UI_COLOR_ALWAYS, UI_COLOR_NEVER };

struct ui_term_options {
	enum ui_color color;
	enum ui_background background;
	const struct ui_theme *theme; /* read during open; NULL: the usual theme */
	bool keys_from_tty;           /* standard input carries data: keys come from /dev/tty */
};

/* Whether opening would work, as far as TERM says; nothing is written. False: PV_EUSAGE. */
bool ui_term_known(struct pv_error *reterr);
/* PV_EUSAGE when TERM is missing or cannot move the cursor, PV_EIO when there is no terminal. */
struct ui_term *ui_term_open(const struct ui_term_options *options, struct pv_error *reterr);
void ui_term_close(struct ui_term *t); /* NULL is fine */

/* Readable when keys are there; read them until UI_KEY_NONE. */
int ui_term_fd(const struct ui_term *t);
/* For UI_KEY_MOUSE, *ret_mouse says what. */
int ui_term_key(struct ui_term *t, struct ui_mouse *ret_mouse);
/* Whether the last key was a part of pasted text. */
bool ui_term_pasted(const struct ui_term *t);
/* Whether the terminal has gone away. */
bool ui_term_gone(const struct ui_term *t);

/* Asks the terminal for its size and adopts the answer. */
void ui_term_size(struct ui_term *t, int *ret_w, int *ret_h);

/*
 * Shows the canvas; only changes are written. On a slow line the first rows come first: false, the
 * next draw shows more; see ui_term_has_room().
 */
bool ui_term_draw(struct ui_term *t, const struct ui_canvas *c);
bool ui_term_has_room(const struct ui_term *t); /* for more of a picture */
/*
 * Milliseconds until the next frame may go to a line that has not taken the last; `hasty`: a key
 * waits for the next frame.
 */
int64_t ui_term_wait(struct ui_term *t, bool hasty);
/* Becomes writable when the terminal takes more of what is left of a frame; -1: nothing ever is. */
int ui_term_out_fd(const struct ui_term *t);
bool ui_term_drain(struct ui_term *t); /* writes more of the frame; false: not all */
/* The next draw writes everything. */
void ui_term_repaint(struct ui_term *t);

/* Lends the terminal to another program, and takes the terminal again. */
void ui_term_suspend(struct ui_term *t);
void ui_term_resume(struct ui_term *t);

/* Whether the locale (set by the program before) can show more than ASCII. */
bool ui_term_unicode(void);
/* Whether the terminal is the Linux console, whose font has no Braille. */
bool ui_term_is_console(void);
bool ui_term_hues(const struct ui_term *t); /* colours are shown */

#endif
