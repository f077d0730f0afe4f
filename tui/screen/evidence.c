#include "tui/screen/evidence.h"

#include <stdio.h>
#include <string.h>

#include "tui/screen/strip.h"

/* Views that are no part of a pane, and those that show the same. */
static const struct {
	enum pv_view view, instead;
} others[] = {
	{ PV_VIEW_ALLOCATION_SITES, PV_VIEW_CLASSES },
};

static const char *text_of(
	const struct pv_table *t, const struct pv_row *row, const char *column, const char *other)
{
	int i = pv_table_column(t, column);
	return i < 0 || row->cell[i].state != PV_CELL_VALUE || !row->cell[i].s ? other
									       : row->cell[i].s;
}

static bool time_of(
	const struct pv_table *t, const struct pv_row *row, const char *column, int64_t *ret)
{
	int i = pv_table_column(t, column);
	if (i < 0 || row->cell[i].state != PV_CELL_VALUE)
		return false;
	*ret = row->cell[i].i;
	return true;
}

static enum pv_view view_named(const char *name)
{
	enum pv_view view = 0;
	while (view < PV_VIEW_COUNT && strcmp(pv_view_name(view), name) != 0)
		view++;
	for (size_t i = 0; i < PV_COUNT_OF(others); i++)
		if (view == others[i].view)
			return others[i].instead;
	return view;
}

/* The list that shows a view, first those that are a pane's main one. */
static bool find_list(enum pv_view view, size_t *ret_pane, int *ret_part)
{
	for (int part = 0; part < UI_PARTS; part++) {
		for (size_t i = 0; i < ui_pane_count; i++) {
			if (part >= ui_pane_defs[i].parts ||
				ui_pane_defs[i].part[part].view != view)
				continue;
			*ret_pane = i;
			*ret_part = part;
			return true;
		}
	}
	return false;
}

/* A time of no length still has something to see around it. */
static void narrow_range(struct ui_screen *s, int64_t from_ns, int64_t to_ns)
{
	const struct ui_range r = { .on = true,
		.from_ns = from_ns > 0 ? from_ns - 1 : 0,
		.to_ns = to_ns < INT64_MAX ? to_ns + 1 : to_ns };
	ui_strip_set(s, &r);
}

static void go(struct ui_screen *s, size_t pane, int part, const char *subject)
{
	struct ui_list *l = &s->pane[pane].list[part];
	ui_screen_remember(s);
	if (s->history.n > 0) {
		struct ui_place *p = &s->history.v[s->history.n - 1];
		p->evidence = true;
		p->range = s->shared.range;
		p->list = l;
		memcpy(p->filter, l->filter, sizeof p->filter);
	}
	ui_screen_go(s, ui_pane_defs[pane].command);
	ui_pane_focus(&s->pane[pane], part);
	ui_list_set_filter(l, subject);
}

void ui_screen_go_to_evidence(
	struct ui_screen *s, const struct pv_table *t, const struct pv_row *row)
{
	size_t pane;
	int part;
	int64_t from_ns, to_ns;
	if (!t || !row)
		return;
	char said[sizeof s->message];
	const char *text = text_of(t, row, "text", "");
	if (strcmp(text_of(t, row, "verdict", ""), "not judged") == 0) {
		ui_screen_say(s, false, "there is no evidence: %.180s", text);
		return;
	}
	if (!find_list(view_named(text_of(t, row, "view", "")), &pane, &part)) {
		ui_screen_say(s, false, "there is nothing behind this row");
		return;
	}
	snprintf(said, sizeof said, "%.180s; Backspace returns", text);
	bool timed = time_of(t, row, "from_ns", &from_ns) && time_of(t, row, "to_ns", &to_ns);
	go(s, pane, part, text_of(t, row, "subject", ""));
	if (timed)
		narrow_range(s, from_ns, to_ns);
	ui_screen_say(s, false, "%s", said);
}

void ui_screen_leave_evidence(struct ui_screen *s, const struct ui_place *from)
{
	const struct ui_range *was = &from->range, *now = &s->shared.range;
	bool same = was->on == now->on && was->from_ns == now->from_ns && was->to_ns == now->to_ns;
	ui_list_set_filter(from->list, from->filter);
	if (!same) {
		ui_strip_set(s, was);
		s->message[0] = 0;
	}
}
