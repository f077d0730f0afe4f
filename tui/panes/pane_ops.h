/* SPDX-License-Identifier: MIT */
/*
 * Operations of a pane, by kind: lists, flame graph, timeline. The screen calls the operations of
 * the pane's row; a new kind is a file with such a row. The screen's thread.
 */
#ifndef UI_PANE_OPS_H
#define UI_PANE_OPS_H

#include "tui/draw/canvas.h"
#include "tui/draw/commands.h"
#include "tui/draw/key.h"
#include "tui/draw/shared.h"

struct ui_pane;

/* Texts are owned by the answer on screen. */
struct ui_pane_now {
	const char *name, *shown; /* under the cursor (of a stack: the innermost frame), or NULL */
	const char *coverage;     /* the line, NULL: none */
	bool awaits; /* the first answer is still to come: keys have nothing to act on */
};

struct ui_pane_ops {
	/* State of a pane that is more than its lists; NULL in the row of lists. */
	bool (*create)(struct ui_pane *p); /* false: out of memory */
	void (*destroy)(struct ui_pane *p);
	void (*forget)(struct ui_pane *p);
	/* A literal: why a command changed nothing; a hash of what keys change. */
	const char *(*why)(const struct ui_pane *p, enum ui_command cmd);
	uint64_t (*mark)(const struct ui_pane *p);

	void (*refresh)(struct ui_pane *p, struct ui_shared *s);
	void (*draw)(struct ui_pane *p, const struct ui_shared *s, struct ui_canvas *c);
	/* Bits of enum ui_reply. */
	unsigned (*command)(struct ui_pane *p, struct ui_shared *s, enum ui_command cmd);
	unsigned (*mouse)(struct ui_pane *p, struct ui_shared *s, struct ui_mouse m);
	struct ui_pane_now (*now)(const struct ui_pane *p);
};
extern const struct ui_pane_ops ui_pane_flame, ui_pane_timeline;

enum ui_pane_kind { UI_PANE_LISTS, UI_PANE_FLAME, UI_PANE_TIMELINE };

#endif
