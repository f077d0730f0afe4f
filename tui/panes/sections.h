/* The sections of the overview, as rows. */
#ifndef UI_SECTIONS_H
#define UI_SECTIONS_H

#include "tui/panes/overview.h"

/* Which of the overview's lists is which. */
enum { UI_TOP_METHODS, UI_TOP_CLASSES, UI_GENERATIONS, UI_SHOT_LIST };

struct ui_section {
	const char *title, *with_cost; /* the latter where recording tells what it costs, or NULL */
	enum ui_command pane;          /* behind it */
	int rows, tall;                /* without the title: at least, and where there is room */
	bool grows;                    /* takes spare rows */
	void (*draw)(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
		struct ui_rect r);
};

extern const struct ui_section ui_sections[UI_SECTIONS];

#endif
