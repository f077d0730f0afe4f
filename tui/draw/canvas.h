/* SPDX-License-Identifier: MIT */
/*
 * A screen in memory: cells that hold a character and a style's meaning. Panes draw only here;
 * term.c copies the canvas to the terminal, --dump and tests turn the canvas into text.
 *
 * Every call clips to the rectangle and to the canvas, so no position is an error. The screen's
 * thread.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <stddef.h>
#include <stdint.h>

#include "common/base/text/showable.h"
#include "tui/draw/rect.h"

/* Meaning of a piece of text. Only the theme knows colours. */
enum ui_style {
	UI_PLAIN,
	UI_DIM,
	UI_STRONG,
	UI_TITLE,      /* names a pane, box or list */
	UI_HEADER,     /* column titles */
	UI_HEADER_ON,  /* the column sorted by */
	UI_CURSOR,     /* the selected row */
	UI_CURSOR_OFF, /* the same where the keys do not go */
	UI_TAB,
	UI_TAB_ON,
	UI_KEYCAP,
	UI_KEYTEXT,
	UI_FRAME,
	UI_BAR,
	UI_HEAP,
	UI_MINOR,
	UI_MAJOR,
	UI_WAITS, /* courses of what was waited for */
	UI_SHOT,
	UI_LIVE,
	UI_WAITING,
	UI_PAUSED,
	UI_WARN,
	UI_BAD,
	UI_MORE, /* a positive difference */
	UI_LESS,
	UI_MATCH,
	UI_PROMPT,
	UI_COVERAGE,
	UI_FLAME_USER, /* cells of a flame, by the kind of code */
	UI_FLAME_FRAMEWORK,
	UI_FLAME_RUNTIME,
	UI_FLAME_NATIVE,
	UI_FLAME_OTHER,
	UI_FLAME_MORE, /* of two logs: the frame has more than in the base, */
	UI_FLAME_LESS, /* or less */
	UI_FLAME_SAME, /* the frame under the cursor, elsewhere */
	UI_FLAME_CURSOR,
	UI_LANE_RUNNING, /* cells of lanes of threads, by what they did */
	UI_LANE_QUEUED,
	UI_LANE_LOCK,
	UI_LANE_IO,
	UI_LANE_WAITING,
	UI_LANE_GC,
	UI_STYLE_COUNT
};

/* Characters of lines, bars and charts. */
enum ui_glyphs {
	UI_GLYPHS_BLOCK,   /* as is usual */
	UI_GLYPHS_BRAILLE, /* of charts over time: two columns and four rows a cell */
	UI_GLYPHS_ASCII,
	UI_GLYPHS_COUNT
};
/* The glyphs named "block", "braille" or "ascii"; UI_GLYPHS_COUNT: unknown name. */
enum ui_glyphs ui_glyphs_of(const char *word);
const char *ui_glyphs_word(enum ui_glyphs glyphs); /* a literal */

/*
 * On top of a style, whose hue stays. UI_ALT: the second fill; UI_HUE: the fill's colour for the
 * character, on the terminal's own background.
 */
enum ui_bits { UI_SELECTED = 1, UI_ALT = 2, UI_HUE = 4 };
enum { UI_BITS = 8 };      /* sets of them */
enum { UI_EDGE = 0x2589 }; /* seven eighths: last column of a fill */

struct ui_cell {
	uint32_t code;                 /* never a control character */
	uint32_t mark[PV_SHOWN_MARKS]; /* combining characters; 0: no more */
	uint8_t cells;                 /* 1, 2 (wide), or 0: the right half of a wide character */
	uint8_t style;                 /* enum ui_style */
	uint8_t bits;                  /* of enum ui_bits; what is drawn has none */
};

/* Valid when zeroed: a canvas of no cells. */
struct ui_canvas {
	int w, h;
	bool ascii;   /* only ASCII may be drawn; everything else is replaced while drawing */
	bool dots;    /* charts are drawn in Braille, if not in ASCII */
	bool console; /* the Linux console: characters of code page 437 only */
	bool hues;    /* the terminal has colours: they need no letters */
	struct ui_cell *cell; /* h rows of w */
};

/* Sets the size and clears. False: out of memory; the canvas is unchanged. */
bool ui_canvas_resize(struct ui_canvas *c, int w, int h);
void ui_canvas_finish(struct ui_canvas *c);

/* The rectangle of the whole canvas; fills a rectangle with blanks. */
struct ui_rect ui_canvas_rect(const struct ui_canvas *c);
void ui_clear(struct ui_canvas *c, struct ui_rect r, enum ui_style style);

/*
 * Writes UTF-8 into the first row of `r` from the left edge; a text too long ends in an ellipsis.
 * Returns the cells taken. The text may be foreign: shown as common/base/text/showable.h says.
 */
int ui_put(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text);

/* The same, flush with the right edge; a text too long loses its end. */
int ui_put_right(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text);

/* The same, cut without an ellipsis. */
int ui_put_cut(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *text);

/* As ui_put(), formatted. */
int ui_printf(struct ui_canvas *c, struct ui_rect r, enum ui_style style, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* One character; a wide one needs two columns. */
void ui_put_code(struct ui_canvas *c, int x, int y, enum ui_style style, uint32_t code);

/* Changes the meaning of cells already drawn. */
void ui_restyle(struct ui_canvas *c, struct ui_rect r, enum ui_style style);
void ui_mark(struct ui_canvas *c, struct ui_rect r, enum ui_bits bit);

/* A line through the first row of `r`, or a box around `r` with a title in the upper edge. */
void ui_hline(struct ui_canvas *c, struct ui_rect r);
void ui_vline(struct ui_canvas *c, struct ui_rect r);
struct ui_rect ui_box(struct ui_canvas *c, struct ui_rect r, const char *title);

/*
 * The canvas as lines of UTF-8, each ended by '\n' and without trailing blanks. NULL when out of
 * memory; free() it.
 */
char *ui_canvas_text(const struct ui_canvas *c);

#endif
