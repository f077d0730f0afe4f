/* SPDX-License-Identifier: MIT */
/* Series shown together and asked for together. The screen's thread; times are ns. */
#ifndef UI_GRAPHS_H
#define UI_GRAPHS_H

#include "tui/draw/shared.h"
#include "tui/chart/time_axis.h"

enum { UI_GRAPHS_MAX = 16 };

/* The graph to show; `id` for counters. */
struct ui_graphs_wish {
	const enum pv_series_kind *kind;
	size_t n;
	uint64_t id;
	size_t cells;
	bool all; /* also where a range is set */
	const char
		*thrown; /* class of exceptions in the place of `id`: rows of a range have others */
};

/* Valid when zeroed; before the first answer all series are NULL. Owns them. */
struct ui_graphs {
	struct pv_series *series[UI_GRAPHS_MAX];
	struct ui_top top[UI_GRAPHS_MAX]; /* of these */
	struct ui_request slot;
	uint64_t generation, id;
	int64_t from_ns, to_ns;
	size_t cells, n;
	enum pv_series_kind kind[UI_GRAPHS_MAX]; /* n of them */
	bool asked;
	bool anew; /* the next answer has other columns: the tops start anew */
};

/* Asks again if the model has gone on, or the wish has changed. */
void ui_graphs_refresh(
	struct ui_graphs *g, const struct ui_shared *s, const struct ui_graphs_wish *wish);
void ui_graphs_finish(struct ui_graphs *g);

#endif
