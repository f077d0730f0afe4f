/* SPDX-License-Identifier: MIT */
/*
 * Output file of a terminal that gathers the bytes of a frame, between begin() and end(), so that a
 * picture goes out in one piece: curses writes after every cursor movement, and some fifty writes a
 * frame would wake the program that draws the terminal and show half pictures. A slow line does not
 * hold up the caller: untaken bytes are kept, and after each frame the terminal is asked for an
 * answer, since buffers on the way may take far more than the line carries. The screen's thread.
 */
#ifndef UI_TERM_OUT_H
#define UI_TERM_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Most pieces under way, and bytes of a piece on a slow line: a key waits for a few pieces only. */
enum { UI_PIECES = 8, UI_PIECE = 1000 };

struct ui_term_out {
	FILE *file; /* the terminal's, for curses; not before open() and not after close() */
	int tty;    /* the same terminal */
	int quick;  /* opened anew, never blocking, flags not shared; -1: none */
	int gather; /* a file without a name, or -1: then nothing is gathered */
	bool marks; /* a picture gets a mark at its beginning and end */
	bool asks;  /* the terminal is asked for an answer after a picture */
	bool heard; /* an answer has come */
	bool slow;  /* the last answer took long: what is sent is to be little at a time */
	int asked;  /* answers still to come, */
	struct ui_piece {
		size_t size;
		int64_t sent_ns;
	} piece[UI_PIECES]; /* ... of these, the oldest first */
	char *left;         /* bytes the terminal has not taken yet; of `n` the first `done` were */
	size_t n, done, room;
};

/* Opens on the terminal of `fd`. False with errno set. */
bool ui_term_out_open(struct ui_term_out *o, int fd);
void ui_term_out_close(struct ui_term_out *o);

/* Gathers writes from here on. */
void ui_term_out_begin(struct ui_term_out *o);
/*
 * Ends gathering and writes as much as the terminal takes at once; nothing for an empty frame. A
 * terminal that is gone takes nothing. `now_ns`: of any clock that does not jump.
 */
void ui_term_out_end(struct ui_term_out *o, int64_t now_ns);

/* Hands over more of what is left. False: there still is some. */
bool ui_term_out_more(struct ui_term_out *o);
/* Waits until nothing is left, before others write to the terminal. */
void ui_term_out_flush(struct ui_term_out *o);

/* The terminal has answered. */
void ui_term_out_answered(struct ui_term_out *o, int64_t now_ns);
/* Whether a slow line takes one more piece. */
bool ui_term_out_has_room(const struct ui_term_out *o);
/*
 * Milliseconds until another frame may go out whatever happens to the last frame; 0: the last was
 * taken. With `hasty` a few frames may be under way.
 */
int64_t ui_term_out_wait(struct ui_term_out *o, bool hasty, int64_t now_ns);

#endif
