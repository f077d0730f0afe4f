/* The blocks of Home and its lanes, as rows. The screen's thread. */
#ifndef UI_SECTIONS_H
#define UI_SECTIONS_H

#include "tui/panes/overview.h"

/* The lists of Home. */
enum {
	UI_HOME_FINDINGS,
	UI_HOME_KINDS,
	UI_HOME_METHODS,
	UI_HOME_CLASSES,
	UI_HOME_HELD,
	UI_HOME_HELD_BY,
	UI_HOME_LOCKS,
	UI_HOME_SHOTS,
	UI_HOME_MARKS,
	UI_HOME_PROCESSES,
	UI_HOME_SPANS,
	UI_HOME_ROUTES
};
/* The blocks, from top to bottom. */
enum {
	UI_BLOCK_LANES,
	UI_BLOCK_WRONG,
	UI_BLOCK_TIME,
	UI_BLOCK_COST,
	UI_BLOCK_HOTTEST,
	UI_BLOCK_PROCESSES,
	UI_BLOCK_ALLOCATED,
	UI_BLOCK_HELD,
	UI_BLOCK_HELD_BY, /* stacks, of a native program */
	UI_BLOCK_WAITED,
	UI_BLOCK_SPANS, /* the longest */
	UI_BLOCK_ROUTES
};

struct ui_section {
	const char *title;
	enum ui_command pane; /* that shows more of it */
	int list;             /* its rows, -1 none */
	int rows, tall;       /* below the title: at least, and where there is room */
	void (*draw)(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
		struct ui_rect r);
};

extern const struct ui_section ui_sections[UI_SECTIONS];

struct ui_lane {
	const char *name;
	enum pv_series_kind series;
	unsigned needs; /* groups: one of them */
	enum ui_style style;
	enum ui_command pane;
	/* The figure it is a part of; the whole heap is no part of itself. */
	enum { UI_LANE_OF_NOTHING, UI_LANE_OF_TIME, UI_LANE_OF_HEAP } of;
	bool part;  /* shown where there is room, and where it is more than next to nothing */
	bool marks; /* single moments, a letter each, in place of the series */
};

/*
 * Those that matter most first: where there is little room the last ones are left out. The CPU's is
 * followed by what else threads did.
 */
enum { UI_LANE_CPU };
extern const struct ui_lane ui_lanes[UI_LANES];

/* Of a table of findings, by score: the rows that are worth a note at least. */
size_t ui_findings_wrong(const struct pv_table *t);

/* The lanes that the log has figures for, by number; returns how many. And without the parts. */
int ui_lanes_shown(const struct ui_overview *o, const struct ui_shared *s, int ret[UI_LANES]);
int ui_lanes_least(const struct ui_shared *s);
void ui_lanes_refresh(struct ui_overview *o, const struct ui_shared *s);
void ui_lanes_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r);
/* The figure that this rule judges, over the whole recording; nothing for those that judge none. */
void ui_finding_spark(
	const struct ui_overview *o, struct ui_canvas *c, struct ui_rect r, const char *rule);

#endif
