/* SPDX-License-Identifier: MIT */
/*
 * Rectangles of the screen's parts, as pure functions of its size. No rectangle leaves the screen.
 * Any thread.
 */
#ifndef UI_LAYOUT_H
#define UI_LAYOUT_H

#include "tui/draw/rect.h"

enum { UI_MIN_W = 40, UI_MIN_H = 10 };

/*
 * The frame around every pane, from top to bottom. Lines without room on a small screen are empty.
 * All rectangles together tile the screen; with `too_small` the body is the whole screen.
 */
struct ui_layout {
	bool too_small;
	struct ui_rect status; /* source, state, rates */
	struct ui_rect heap;   /* heap size over time */
	struct ui_rect gc;     /* collections and shots over time */
	struct ui_rect range;  /* range and cursor over time; empty unless asked for */
	struct ui_rect tabs;
	struct ui_rect crumb; /* selection and filter */
	struct ui_rect body;
	struct ui_rect detail; /* of the selected row */
	struct ui_rect coverage;
	struct ui_rect keys; /* messages cover them */
};

/* For a screen of w by h cells. */
struct ui_layout ui_layout(int w, int h);

/* Takes a row for the range from the body, if there is room. */
void ui_layout_range(struct ui_layout *l);

/* Gives the lines over time to the body, since Home has lanes. */
void ui_layout_home(struct ui_layout *l);

/* Gives the lines for an interactive user to the body. */
void ui_layout_bare(struct ui_layout *l);

/*
 * A pane's body: a chart above, the main list, and up to three lists of details below, two next to
 * each other. If room is short the list `focus` (0 main, 1 to 3 details) stays; of three details
 * the third takes the place of the second.
 */
enum { UI_SPLIT_PARTS = 6 };

struct ui_split_wish {
	int chart;   /* rows wanted for the chart, 0 = none */
	int details; /* 0 to UI_SPLIT_PARTS - 1 */
	int focus;
	int main;  /* rows the main list has a use for, 0 = as many as there are */
	bool tall; /* the main list has three quarters of them */
};

struct ui_split {
	struct ui_rect chart;
	struct ui_rect rule;   /* one row above the details */
	struct ui_rect divide; /* one column between two details */
	struct ui_rect part[UI_SPLIT_PARTS];
};

/* The parts of a body. */
struct ui_split ui_split(struct ui_rect body, struct ui_split_wish wish);

#endif
