/*
 * Output file of a terminal that gathers the bytes of a frame, so that a picture goes out in one
 * piece. Curses writes after every move of its cursor, which wakes the program that draws the
 * terminal some fifty times a frame and shows half of it. Writes between begin() and end() are
 * gathered. The screen's thread.
 */
#ifndef UI_TERM_OUT_H
#define UI_TERM_OUT_H

#include <stdbool.h>
#include <stdio.h>

struct ui_term_out {
	FILE *file; /* the terminal's, for curses; not before open() and not after close() */
	int tty;    /* the same terminal */
	int gather; /* a file without a name, or -1: then nothing is gathered */
};

/* On the terminal that `fd` is. False with errno set. */
bool ui_term_out_open(struct ui_term_out *o, int fd);
void ui_term_out_close(struct ui_term_out *o);

/* From here on writes are gathered. */
void ui_term_out_begin(struct ui_term_out *o);
/* Waits for as long as the terminal takes. A terminal that is gone takes nothing. */
void ui_term_out_end(struct ui_term_out *o);

#endif
