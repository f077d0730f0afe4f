/* SPDX-License-Identifier: MIT */
/*
 * Standard error, and the only way to write there: foreign text in a line (a file's name, an
 * argument, a process's answer) is made showable here. Any thread.
 */
#ifndef UI_COMPLAIN_H
#define UI_COMPLAIN_H

#include <stdbool.h>

/* Prints "profview: ABOUT: WORDS" as one line, whatever the words contain; `about` may be NULL. */
void ui_complain(const char *about, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether standard error is a terminal. */
bool ui_complain_on_terminal(void);

/* A frame of the canvas, whose text is showable already. */
void ui_complain_frame(const char *lines);

#endif
