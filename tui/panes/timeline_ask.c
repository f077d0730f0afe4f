/* SPDX-License-Identifier: MIT */
/* The timeline's question, and how its answer is taken. */
#include <stdlib.h>
#include <string.h>

#include "tui/chart/time_axis.h"
#include "tui/panes/timeline_pane.h"

void ui_timeline_forget(struct ui_timeline *t)
{
	ui_lanes_forget(&t->ask);
	pv_lanes_answer_destroy(t->answer);
	t->answer = NULL;
}

static void take_timeline(struct ui_timeline *t, struct ui_list *l, struct pv_lanes_answer *got)
{
	if (!got)
		return;
	pv_lanes_answer_destroy(t->answer);
	t->answer = got;
	ui_timeline_find_cursor(t, l);
}

/* The time in view; from >= to: all. */
static void wanted_time(
	struct ui_timeline *t, const struct ui_shared *s, int64_t *ret_from, int64_t *ret_to)
{
	const struct ui_range *g = &s->range;
	const int64_t end = s->duration_ns + 1;
	const bool from = g->on && g->from_ns != INT64_MIN, to = g->on && g->to_ns < end;
	*ret_from = from && g->from_ns > 0 ? g->from_ns : 0;
	*ret_to = to ? g->to_ns : end;
	t->all_ns = *ret_to - *ret_from;
	if (!from && !to)
		*ret_to = ui_has_ended(s) ? 0 : ui_time_end(s, t->room);
	if (!t->zoomed)
		return;
	*ret_from = t->from_ns;
	*ret_to = t->to_ns;
}

void ui_timeline_refresh(
	struct ui_timeline *t, const struct ui_shared *s, struct ui_list *l, struct ui_rect r)
{
	struct pv_lanes_wish w = { .hide_internal = true, .across = s->whole };
	if (!s->model)
		return;
	t->room = ui_max(1, r.w - ui_timeline_names(r));
	w.cells = (size_t)t->room;
	wanted_time(t, s, &w.from_ns, &w.to_ns);
	take_timeline(t, l, ui_lanes_take(&t->ask));
	take_timeline(
		t, l, ui_lanes_ask(&t->ask, s, &w, t->answer ? &t->answer->generation : NULL));
	if (strcmp(t->find, l->search) != 0 || l->look == UI_LOOK_ASKED)
		ui_timeline_find_cursor(t, l);
}
