/* SPDX-License-Identifier: MIT */
/*
 * The one place where foreign text is made harmless for people's eyes and terminals. A string from
 * a log, a socket, a file name, an argument, another process or the environment is data until it
 * has passed here; screen, text, Markdown, CSV, dump and standard error call nothing else.
 *
 *	line feed, carriage return, tab            \n \r \t
 *	other C0 controls, DEL                     \x1b
 *	a byte that is no part of UTF-8            \x9b
 *	C1 controls, and characters that reorder,
 *	break lines or hide                        \u009b, \u202e, \U000e0041
 *	combining marks without a character in
 *	front, and those after PV_SHOWN_MARKS      \u0301
 *	everything else                            itself
 *
 * The fourth row has, besides C1, Unicode's bidirectional controls, line and paragraph separators,
 * and default ignorable characters except variation selectors, which count as combining marks.
 *
 * A backslash is shown as itself: shown text may be shown again and stays unchanged, and paths and
 * names appear as their owners wrote them. `\n` on the screen can therefore also be a backslash and
 * an n. Between quotes (pv_showable_quoted) and in JSON backslashes are doubled, and nothing is
 * ambiguous.
 *
 * Functions without state: any thread.
 */
#ifndef PV_BASE_SHOWABLE_H
#define PV_BASE_SHOWABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	PV_SHOWN_MARKS = 2, /* combining marks on one character */
	PV_SHOWN_MAX = 10,  /* most bytes of a character as shown */
};

/* A walk over a text. */
struct pv_showable {
	const char *at, *end;
	unsigned marks; /* on the character before; PV_SHOWN_MARKS where there is none */
};

/* A character. */
struct pv_shown {
	const char *from;            /* byte offset in the text */
	char text[PV_SHOWN_MAX + 1]; /* text to show: well-formed UTF-8, NUL-terminated */
	uint8_t n;                   /* bytes of `text` */
	uint8_t cells; /* of a terminal: 0 for a mark, else 1 or 2, or `n` for an escape */
	bool escaped;
};

/* The text is borrowed, and need not be terminated. */
struct pv_showable pv_showable_begin(const char *text, size_t len);

/* The next character; false at the end. */
bool pv_showable_next(struct pv_showable *s, struct pv_shown *ret);

/* Whether a code point is always shown as an escape. */
bool pv_showable_hides(uint32_t code);

/* Terminal cells of a text as shown. */
int pv_showable_cells(const char *text);

/* The text as shown, to free(); NULL when out of memory. */
char *pv_showable_text(const char *text);

/* Writes a text as shown. Errors stay in the stream, see ferror(). */
void pv_showable_put(FILE *out, const char *text);

/* The same between double quotes; a quote and a backslash get a backslash in front. */
void pv_showable_quoted(FILE *out, const char *text, size_t len);

/*
 * The text as a JSON string with quotes, to free(); NULL when out of memory. Characters shown as
 * escapes become \uXXXX; ill-formed UTF-8 becomes U+FFFD, one for each maximal bad part.
 */
char *pv_showable_json(const char *text, size_t len);

#endif
