/*
 * Standard error, and the only way to it: whatever foreign text a line carries (a file's name, an
 * argument, what a process answered) is made showable here, as a whole. Any thread.
 */
#ifndef UI_COMPLAIN_H
#define UI_COMPLAIN_H

/* "profview: ABOUT: WORDS", one line whatever is in them; `about` may be NULL. */
void ui_complain(const char *about, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A frame of the canvas, whose text is showable already. */
void ui_complain_frame(const char *lines);

#endif
