/* SPDX-License-Identifier: MIT */
/*
 * Two heap shots compared, object by object, and the growth ladder: which shots, what makes an
 * object the same, and what the lists of both panes ask for. identity_loader.c matches objects. The
 * screen's thread. Times are ns.
 */
#ifndef UI_COMPARE_H
#define UI_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "tui/draw/commands.h"
#include "tui/list/list.h"

#define UI_NO_SHOT UINT32_MAX

struct ui_pane;
struct ui_screen;

struct ui_compare {
	bool asked;          /* other shots are wanted than are known: identity_loader.c */
	bool cancelled;      /* the result is not wanted any more */
	uint32_t base, shot; /* wanted; UI_NO_SHOT: the first, the last */
	bool by_address;
	bool single;    /* wanted by a flame: only who is alive at the shot matters */
	bool held;      /* reading was cancelled: only the user begins again */
	bool due;       /* shall begin again by itself, a little later */
	uint64_t shots; /* number of whole shots at the question */
	int64_t asked_ns, took_ns, ended_ns; /* by the clock of ui_screen_update() */
	enum ui_compare_rows { UI_ROWS_CLASSES, UI_ROWS_STACKS, UI_ROWS_THREADS, UI_ROWS } rows;
};

/* Whether the pane is one of the two. */
bool ui_compare_has(const struct ui_pane *p);
/* Whether the pane is a flame graph of objects alive at a shot. */
bool ui_compare_flames(const struct ui_pane *p);
/* Whether a following to one shot serves the pane: such a flame graph, or the pane of survival. */
bool ui_compare_to_one(const struct ui_pane *p);

/*
 * A pane comes on screen: compares the marked base and the selected shot, else the first and the
 * last.
 */
void ui_compare_visit(struct ui_screen *s);
/* The comparison asked for; NULL: there is none, `why` says the reason. */
void ui_compare_use(struct ui_screen *s, const struct pv_identity *identity, struct pv_model *model,
	const char *why);
/* Drops all answers that came from the comparison. */
void ui_compare_forget(struct ui_screen *s);

/*
 * Sets the questions of the pane's lists, or has objects followed to the shot of a flame graph;
 * before the pane is refreshed.
 */
void ui_compare_place(struct ui_screen *s, struct ui_pane *p);

/* Bits of enum ui_reply; UI_IGNORED: not a command of the two panes. */
unsigned ui_compare_command(struct ui_screen *s, enum ui_command cmd);

#endif
