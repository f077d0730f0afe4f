/* SPDX-License-Identifier: MIT */
/* The blocks and lanes of Home, as rows of tables. The screen's thread. */
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
	enum ui_command pane; /* shows more */
	int list;             /* with its rows, -1 none */
	int rows, tall;       /* below the title: at least, and where there is room */
	void (*draw)(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
		struct ui_rect r);
};

extern const struct ui_section ui_sections[UI_SECTIONS];

struct ui_lane {
	const char *name;
	enum pv_series_kind series;
	unsigned needs; /* groups: any suffices */
	enum ui_style style;
	enum ui_command pane;
	/* The figure of which the lane is a part; the whole heap is no part. */
	enum { UI_LANE_OF_NOTHING, UI_LANE_OF_TIME, UI_LANE_OF_HEAP } of;
	bool part;  /* shown if there is room and the share counts */
	bool marks; /* single moments, a letter each, in place of the series */
};

/*
 * The most important lanes come first: short of room, the last are left out. After the CPU's lane
 * come lanes for what else threads did.
 */
enum { UI_LANE_CPU };
extern const struct ui_lane ui_lanes[UI_LANES];

/* Number of findings worth at least a note, in a table sorted by score. */
size_t ui_findings_wrong(const struct pv_table *t);

/*
 * The lanes for which the log has figures, by number; returns how many. ui_lanes_least(): without
 * the parts.
 */
int ui_lanes_shown(const struct ui_overview *o, const struct ui_shared *s, int ret[UI_LANES]);
int ui_lanes_least(const struct ui_shared *s);
void ui_lanes_refresh(struct ui_overview *o, const struct ui_shared *s);
void ui_lanes_draw(const struct ui_overview *o, const struct ui_shared *s, struct ui_canvas *c,
	struct ui_rect r);
/*
 * Draws the figure judged by this rule, over the whole recording; nothing for a rule without one.
 */
void ui_finding_spark(
	const struct ui_overview *o, struct ui_canvas *c, struct ui_rect r, const char *rule);

#endif
