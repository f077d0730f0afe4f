/* SPDX-License-Identifier: MIT */
/* Rows and figures that change no faster than the eye can follow. The screen's thread. */
#ifndef UI_LIST_HOLD_H
#define UI_LIST_HOLD_H

#include "common/base/mem.h"
#include "tui/draw/shared.h"

/* A cell shown with an old figure, and the new one. */
struct ui_held_figure {
	struct pv_cell *at;
	struct pv_cell now;
};

/* Zeroed to begin with. Times as struct ui_shared has them. */
struct ui_hold {
	int64_t placed_ns;  /* when rows took other places */
	int64_t moved_ns;   /* last key that moved the cursor; 0: none */
	bool on;            /* rows have not taken the places of the last answer yet */
	int64_t renewed_ns; /* when all figures were */
	PV_ARRAY(struct ui_held_figure) held; /* cells of the table shown */
};

/* The next answer is to another question, or the first; gives memory back. */
void ui_hold_begin(struct ui_hold *h, int64_t now_ns);
void ui_hold_finish(struct ui_hold *h);

/*
 * Keeps figures of `answer` as in `shown`, the answer before to the same question: for 2 s, in rows
 * in which no figure has changed by a tenth; likewise texts that differ only in numbers. No longer
 * once the log has ended.
 */
void ui_hold_figures(struct ui_hold *h, const struct ui_shared *s, const struct pv_table *shown,
	struct pv_table *answer);
/* Held figures become current: the picture is to be of one moment. */
void ui_hold_release(struct ui_hold *h);

/* Whether texts differ in their numbers only. */
bool ui_hold_same_words(const char *a, const char *b);

/*
 * Rows of `answer`, the next answer to the question of `shown`, keep the places they had: if rows
 * changed places within 3 s, the cursor was moved within 5 s, or the order is right up to rows
 * within a twentieth of each other.
 */
void ui_hold_rows(struct ui_hold *h, const struct ui_shared *s, const struct pv_table *shown,
	struct pv_table *answer);
/* Whether rows may take other places now. */
bool ui_hold_ends(const struct ui_hold *h, const struct ui_shared *s);

#endif
