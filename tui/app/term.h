/*
 * The terminal: the only place that knows curses. One at a time, on the screen's thread.
 *
 * However the program ends, the terminal is given back: ui_term_close(), ui_term_suspend(), and
 * for crashes handlers that write what was prepared beforehand.
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
	enum ui_theme theme;
	bool keys_from_tty; /* standard input carries data: keys come from /dev/tty */
};

/* Whether it would open, as far as TERM tells; nothing is written. False with PV_EUSAGE. */
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

/* Asks the terminal for its size and takes it on. */
void ui_term_size(struct ui_term *t, int *ret_w, int *ret_h);

/* Shows the canvas; only what changed is written. */
void ui_term_draw(struct ui_term *t, const struct ui_canvas *c);
/* The next draw writes everything. */
void ui_term_repaint(struct ui_term *t);

/* Gives the terminal to another program, and takes it again. */
void ui_term_suspend(struct ui_term *t);
void ui_term_resume(struct ui_term *t);

/* Whether the locale (set by the program before) can show more than ASCII. */
bool ui_term_unicode(void);
/* Whether it is the console of Linux, whose font has no Braille. */
bool ui_term_is_console(void);

#endif
