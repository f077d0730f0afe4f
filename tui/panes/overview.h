/* The first pane: one section for each of the others, with what stands out there. */
#ifndef UI_OVERVIEW_H
#define UI_OVERVIEW_H

#include "tui/draw/commands.h"
#include "tui/draw/graphs.h"
#include "tui/draw/list.h"

enum { UI_SECTIONS = 10, UI_OVERVIEW_LISTS = 4, UI_OVERVIEW_SERIES = 5 };

/* Valid after ui_overview_init(). Owns its tables and series. */
struct ui_overview {
	struct ui_list list[UI_OVERVIEW_LISTS];
	struct ui_graphs graphs;
	struct ui_rect at[UI_SECTIONS]; /* empty: not on screen */
	int focus;
};

void ui_overview_init(struct ui_overview *o);
void ui_overview_finish(struct ui_overview *o);
void ui_overview_forget(struct ui_overview *o);

void ui_overview_place(struct ui_overview *o, struct ui_rect body);
void ui_overview_refresh(struct ui_overview *o, const struct ui_shared *s);
void ui_overview_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c);

/* The next section; false behind the last and before the first. */
bool ui_overview_next(struct ui_overview *o, int dir);
/* The pane behind the section that has the keys, or behind a place. */
enum ui_command ui_overview_pane(const struct ui_overview *o);
bool ui_overview_click(struct ui_overview *o, int x, int y);

#endif
