/* SPDX-License-Identifier: MIT */
/*
 * To the source text of a row, and between hot lines in the text. The screen's thread; without
 * memory a way leads to the hottest file.
 */
#ifndef UI_SOURCE_WAY_H
#define UI_SOURCE_WAY_H

#include "common/query/source_text.h"
#include "tui/draw/commands.h"
#include "tui/panes/pane.h"

struct ui_screen;

/* Valid when zeroed. */
struct ui_source {
	struct pv_source_wish wish; /* texts are owned; maps are borrowed */
	char *picked;               /* the method selected then, owned; NULL: none */
	bool arriving;              /* the cursor goes to the answer's first line */
	char edit[1024];            /* file to open in an editor; "": none */
	uint32_t edit_line;
};

/* Frees the texts. */
void ui_source_finish(struct ui_source *o);

/* Whether the pane shows source text. */
bool ui_source_has(const struct ui_pane *p);

/* Bits of enum ui_reply; UI_IGNORED: not a command of this file. */
unsigned ui_source_command(struct ui_screen *s, enum ui_command cmd);
/* Enter: the source of the row, or, from the text itself, the method of the line. */
void ui_source_enter(struct ui_screen *s, struct ui_pane *p);

/* With each frame: before the lines are asked for, and after an answer. */
void ui_source_place(struct ui_screen *s, struct ui_pane *p);
void ui_source_find(struct ui_screen *s, struct ui_pane *p);

#endif
