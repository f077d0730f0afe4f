/* SPDX-License-Identifier: MIT */
/* The view Cause: a collection, and the range of time before the collection. */
#include "tui/screen/cause.h"

#include <string.h>

#include "common/base/text/units.h"
#include "tui/screen/evidence.h"
#include "tui/screen/screen.h"

enum { FACTS = 0, CLASSES = 1 };

/* Start of the collection, and of the collection before; ns since zero. */
struct times {
	int64_t from_ns, start_ns;
	bool first; /* none before: from_ns is the log's beginning */
};

static bool fact(const struct pv_table *t, const char *what, int64_t *ret)
{
	int name = pv_table_column(t, "what"), value = pv_table_column(t, "value");
	for (size_t i = 0; name >= 0 && value >= 0 && i < t->rows; i++) {
		const struct pv_cell *c = t->row[i].cell;
		if (!c[name].s || strcmp(c[name].s, what) != 0 || c[value].state != PV_CELL_VALUE)
			continue;
		*ret = (int64_t)c[value].u;
		return true;
	}
	return false;
}

static bool read_times(const struct pv_table *t, struct times *ret)
{
	int64_t ago = 0;
	*ret = (struct times){ 0 };
	if (!t || !fact(t, "collection", &ret->start_ns))
		return false;
	ret->first = !fact(t, "the one before", &ago);
	ret->from_ns = ret->first || ago > ret->start_ns ? 0 : ret->start_ns - ago;
	return true;
}

bool ui_cause_has(const struct ui_pane *p)
{
	return p->def->parts > 0 && pv_view_is(p->def->part[FACTS].view, PV_TRAIT_CAUSE);
}

/* Widened like by ui_goto_narrow(), so that an empty time shows something. */
static struct ui_range range_of(const struct times *t)
{
	return (struct ui_range){
		.on = true, .from_ns = t->from_ns > 0 ? t->from_ns - 1 : 0, .to_ns = t->start_ns + 1
	};
}

static bool is_range(const struct ui_screen *s, const struct times *t)
{
	const struct ui_range *now = &s->shared.range;
	const struct ui_range r = range_of(t);
	return now->on && now->from_ns == r.from_ns && now->to_ns == r.to_ns;
}

void ui_cause_place(const struct ui_screen *s, struct ui_pane *p)
{
	struct times t;
	p->no_details = !read_times(p->list[FACTS].table, &t) || !is_range(s, &t);
}

static void narrow(struct ui_screen *s, const struct times *t)
{
	char lasted[PV_UNIT_MAX];
	if (!(ui_groups(&s->shared) & PV_GROUP_ALLOC)) {
		ui_screen_say(s, false, "allocations are not in this log; Backspace returns");
		return;
	}
	ui_goto_narrow(s, t->from_ns, t->start_ns);
	ui_screen_say(s, false, "allocated in the %s %s; Backspace returns",
		pv_units_ns(lasted, sizeof lasted, t->start_ns - t->from_ns),
		t->first ? "from the log's beginning to this collection"
			 : "since the collection before this one began");
}

/* Enter on a collection in a list. The facts are asked of the whole recording. */
static void go_to(struct ui_screen *s, const struct ui_pane *p)
{
	const struct pv_table *rows = p->list[0].table;
	const struct pv_row *row = ui_list_row(&p->list[0]);
	int start = rows ? pv_table_column(rows, "start_ns") : -1;
	struct times t;
	if (!row || start < 0 || !s->shared.whole || row->cell[start].state != PV_CELL_VALUE)
		return;
	struct pv_query q = { .select = (uint64_t)row->cell[start].i + 1 };
	struct pv_table *facts = pv_view_table(s->shared.whole, PV_VIEW_GC_CAUSE, &q);
	bool found = read_times(facts, &t);
	pv_table_destroy(facts);
	if (!found) {
		ui_screen_say(s, false, "the log says nothing more of this collection");
		return;
	}
	size_t to = ui_goto_index(UI_CMD_CAUSE);
	ui_goto_narrowed(s, to, FACTS, "");
	ui_list_set_select(&s->pane[to].list[FACTS], q.select, 0);
	narrow(s, &t);
}

/* Enter on the facts: goes to the details, with the collection's range set first. */
static void go_to_details(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	struct times t;
	if (!read_times(p->list[FACTS].table, &t)) {
		ui_screen_say(s, false, "there is no collection");
		return;
	}
	if (is_range(s, &t)) {
		ui_pane_focus(p, CLASSES);
		return;
	}
	ui_goto_narrowed(s, s->current, FACTS, p->list[FACTS].filter);
	narrow(s, &t);
}

void ui_cause_enter(struct ui_screen *s, const struct ui_pane *p)
{
	if (ui_cause_has(p))
		go_to_details(s);
	else
		go_to(s, p);
}
