/* SPDX-License-Identifier: MIT */
/*
 * Comparison of two heap shots, and the growth ladder: shots to follow objects between, questions.
 */
#include "tui/screen/compare.h"

#include <stdio.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/query/heap/identity_choose.h"
#include "tui/list/list_query.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/screen.h"

bool ui_compare_has(const struct ui_pane *p)
{
	return p->def->scope & UI_SCOPE_DIFF;
}

bool ui_compare_flames(const struct ui_pane *p)
{
	return p->flame && p->flame->measure == PV_FLAME_LIVE;
}

bool ui_compare_to_one(const struct ui_pane *p)
{
	return ui_compare_flames(p) || p->def->command == UI_CMD_SURVIVAL;
}

/* Forgets flame graphs of identities that are about to go. */
static void drop_flames(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		if (s->pane[i].flame && s->pane[i].flame->of_measure == PV_FLAME_LIVE)
			ui_flame_forget(s->pane[i].flame);
}

static void each_list(struct ui_screen *s, void (*what)(struct ui_list *l))
{
	for (size_t i = 0; i < ui_pane_count; i++)
		for (int k = 0; k < s->pane[i].def->parts; k++)
			if (ui_compare_has(&s->pane[i]) ||
				ui_pane_defs[i].command == UI_CMD_SURVIVAL)
				what(&s->pane[i].list[k]);
}

static void ask_again(struct ui_list *l)
{
	l->stale = true;
}

void ui_compare_forget(struct ui_screen *s)
{
	each_list(s, ui_list_forget);
	drop_flames(s);
	s->shared.identity.identity = NULL;
	s->shared.identity.model = NULL;
}

void ui_compare_use(struct ui_screen *s, const struct pv_identity *identity, struct pv_model *model,
	const char *why)
{
	struct ui_identity_shown *l = &s->shared.identity;
	each_list(s, ui_list_drop);
	drop_flames(s);
	s->compare.took_ns = s->now_ns - s->compare.asked_ns;
	s->compare.ended_ns = s->now_ns;
	l->reading = false;
	l->identity = identity;
	l->model = model;
	snprintf(l->error, sizeof l->error, "%s", PV_FIT(why ? why : "", 100));
}

/* --- the shots */

static uint64_t whole_shots(const struct ui_screen *s)
{
	const struct pv_summary *all = &s->shared.all;
	return all->shots - (all->shots && all->shot_open);
}

static void ask_identity(struct ui_screen *s)
{
	struct ui_identity_shown *l = &s->shared.identity;
	s->compare.held = s->compare.due = false;
	s->compare.shots = whole_shots(s);
	s->compare.asked_ns = s->now_ns;
	l->newer = 0;
	l->reading = s->compare.asked = true;
	l->phase = "looking for objects";
	l->step = l->steps = 0;
	l->error[0] = 0;
}

static void want(struct ui_screen *s, uint32_t base, uint32_t shot)
{
	struct ui_compare *c = &s->compare;
	struct ui_identity_shown *l = &s->shared.identity;
	bool by_address = l->by == UI_BY_ADDRESS;
	bool same = c->base == base && c->shot == shot && c->by_address == by_address && !c->single;
	if (same && (l->identity || l->reading))
		return;
	c->base = base;
	c->shot = shot;
	c->by_address = by_address;
	c->single = false;
	ask_identity(s);
}

/* The shot chosen in the pane of shots. */
static uint32_t chosen_shot(const struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++) {
		const struct ui_list *l = &s->pane[i].list[0];
		if (ui_pane_defs[i].command == UI_CMD_SHOTS && l->pinned && !l->follow &&
			l->selected)
			return (uint32_t)(l->selected - 1);
	}
	return UI_NO_SHOT;
}

void ui_compare_visit(struct ui_screen *s)
{
	uint64_t marked = s->shared.base_shot;
	uint32_t base = marked ? (uint32_t)(marked - 1) : UI_NO_SHOT, shot = chosen_shot(s);
	if (shot == base || (!marked && shot == 0))
		shot = UI_NO_SHOT;
	if (marked && shot != UI_NO_SHOT && shot < base) {
		uint32_t later = base;
		base = shot;
		shot = later;
	}
	want(s, base, shot);
}

/* Before the pane's table says so itself. */
static bool may_tell_fates(const struct ui_screen *s)
{
	const struct pv_summary *all = &s->shared.all;
	const unsigned both = PV_GROUP_ALLOC | PV_GROUP_MOVES;
	return (all->recorded & both) == both && whole_shots(s) && !all->logging2007 &&
	       !all->lost_events && !all->damaged && !strstr(all->args, "alloc=");
}

/* Whether following objects serves the pane; else the log is not read again. */
static bool is_worth_it(const struct ui_screen *s, const struct ui_pane *p)
{
	const struct ui_list *l = &p->list[0];
	bool serves = ui_list_follows(l, &s->shared) ||
		      (l->table ? pv_table_wants_identity(l->table) : may_tell_fates(s));
	return ui_compare_flames(p) || (serves && !s->shared.range.on);
}

/*
 * Wants objects followed to the chosen shot, or the last; an existing comparison that ends there
 * will do. A failure is tried again when there are more shots.
 */
static void want_alive(struct ui_screen *s, const struct ui_pane *p)
{
	struct ui_compare *c = &s->compare;
	const struct ui_identity_shown *l = &s->shared.identity;
	uint32_t shot = chosen_shot(s);
	bool same = c->shot == shot && !c->by_address;
	if (same && (l->identity || l->reading || c->held || c->asked))
		return;
	if (same && l->error[0] && c->shots == whole_shots(s))
		return;
	if (!is_worth_it(s, p))
		return;
	c->base = UI_NO_SHOT;
	c->shot = shot;
	c->by_address = false;
	c->single = true;
	ask_identity(s);
}

/*
 * Objects are followed to newer shots too: automatically if that takes little time, as the log is
 * read again; else the number of newer shots is shown.
 */
static void follow_newer(struct ui_screen *s)
{
	enum { SHARE = 4 };
	const int64_t cheap_ns = INT64_C(2000000000);
	struct ui_compare *c = &s->compare;
	struct ui_identity_shown *l = &s->shared.identity;
	uint64_t shots = whole_shots(s);
	bool newest = c->shot == UI_NO_SHOT && !l->reading && !c->held;
	l->newer = newest && shots > c->shots ? shots - c->shots : 0;
	c->due = l->newer && !s->shared.paused && c->took_ns <= cheap_ns;
	if (c->due && s->now_ns - c->ended_ns >= c->took_ns * SHARE)
		ask_identity(s);
}

/* --- queries of the lists */

static void set_view(struct ui_list *l, enum pv_view view)
{
	if (l->view == view)
		return;
	ui_list_forget(l);
	l->view = view;
	l->sort = NULL;
	l->chosen = l->invert = false;
	l->skip = 0;
}

void ui_compare_place(struct ui_screen *s, struct ui_pane *p)
{
	static const enum pv_view view[] = { [UI_ROWS_CLASSES] = PV_VIEW_HEAP_DIFF,
		[UI_ROWS_STACKS] = PV_VIEW_HEAP_DIFF_SITES,
		[UI_ROWS_THREADS] = PV_VIEW_HEAP_DIFF_THREADS };
	if (ui_compare_to_one(p))
		want_alive(s, p);
	follow_newer(s);
	if (p->def->command == UI_CMD_DIFF) {
		set_view(&p->list[0], view[s->compare.rows]);
		p->no_details = s->compare.rows != UI_ROWS_CLASSES;
	}
}

/* --- shots taken automatically */

uint64_t ui_screen_collections(const struct ui_screen *s)
{
	const uint64_t *n = s->shared.all.collections;
	return n[0] + n[1] + n[2];
}

void ui_screen_schedule(struct ui_screen *s, const char *word)
{
	struct ui_schedule *w = &s->shared.schedule;
	char text[64];
	if (s->shared.readonly) {
		ui_screen_say(s, true, "read-only: nothing is sent to the program");
		return;
	}
	if (ui_has_ended(&s->shared)) {
		ui_screen_say(s, true, "no heap shots: the recording has ended");
		return;
	}
	if (!word)
		ui_schedule_next(w);
	else if (!ui_schedule_parse(word, w)) {
		ui_screen_say(s, true, "a schedule is like 30s, 2m, 5gc or off");
		return;
	}
	ui_schedule_begin(w, s->now_ns, ui_screen_collections(s));
	ui_screen_say(s, false, "heap shots are asked for %s",
		ui_schedule_on(w) ? ui_schedule_text(w, text, sizeof text) : "by S alone");
}

/* --- commands */

static void next_match(struct ui_screen *s)
{
	static const char *const word[] = {
		[UI_BY_IDENTITY] = "identity", [UI_BY_CLASS] = "class", [UI_BY_ADDRESS] = "address"
	};
	struct ui_identity_shown *l = &s->shared.identity;
	l->by = (l->by + 1) % UI_BYS;
	ui_screen_say(s, false, "objects are the same by %s", word[l->by]);
	each_list(s, ask_again);
	want(s, s->compare.base, s->compare.shot);
}

static void next_rows(struct ui_screen *s)
{
	static const char *const word[] = { [UI_ROWS_CLASSES] = "class",
		[UI_ROWS_STACKS] = "birth stack",
		[UI_ROWS_THREADS] = "thread of the birth" };
	struct ui_compare *c = &s->compare;
	if (s->pane[s->current].def->command != UI_CMD_DIFF) {
		ui_screen_say(s, true, "the ladder's rows are classes; b groups them");
		return;
	}
	c->rows = (c->rows + 1) % UI_ROWS;
	ui_pane_focus(&s->pane[s->current], 0);
	ui_screen_say(s, false, "rows by %s", word[c->rows]);
}

/*
 * The objects of the row under the cursor as a set of the object browser, with what keeps them
 * alive.
 */
static void show_paths(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	const struct pv_identity *l = s->shared.identity.identity;
	const struct pv_row *row = ui_list_row(&p->list[0]), *cohort = ui_list_row(&p->list[1]);
	struct ui_browse_wish *w = &s->browser.wish;
	bool diff = p->def->command == UI_CMD_DIFF, one = !diff && p->focus > 0 && cohort;
	const char *name = ui_list_shown_name(&p->list[0], row);
	if (!l || !row || (diff && s->compare.rows != UI_ROWS_CLASSES)) {
		ui_screen_say(s, true,
			!l && s->shared.identity.reading ? "objects are still being followed"
							 : "there is no class under the cursor");
		return;
	}
	const struct pv_query q = { .groups = s->shared.groups,
		.identity = l,
		.select = row->id,
		.base = one ? cohort->id : 0,
		.group = p->group };
	w->address.n = 0;
	w->shot = pv_identity_shot(l);
	if (!pv_identity_choose(s->shared.identity.model, &q, diff, &w->address)) {
		ui_screen_say(s, true, "out of memory");
	} else if (w->address.n == 0) {
		ui_screen_say(s, true, diff ? "no object of it is new" : "none of them is alive");
	} else {
		snprintf(w->name, sizeof w->name, "%s%s",
			diff  ? "new "
			: one ? "cohort of "
			      : "",
			PV_FIT(name ? name : "", 50));
		ui_screen_go_to_paths(s);
	}
}

unsigned ui_compare_command(struct ui_screen *s, enum ui_command cmd)
{
	const struct ui_pane *p = &s->pane[s->current];
	bool stops = ui_compare_to_one(p) && (cmd == UI_CMD_CANCEL || cmd == UI_CMD_STOP);
	if ((!ui_compare_has(p) && !stops) || s->help.open)
		return UI_IGNORED;
	switch (cmd) {
	case UI_CMD_MATCH:
		next_match(s);
		return UI_HANDLED;
	case UI_CMD_ROWS:
		next_rows(s);
		return UI_HANDLED;
	case UI_CMD_KEPT_BY:
		show_paths(s);
		return UI_HANDLED;
	case UI_CMD_AGAIN:
		ui_screen_say(s, false, "objects are followed again");
		ask_identity(s);
		return UI_HANDLED;
	case UI_CMD_CANCEL:
	case UI_CMD_STOP:
		if (!s->shared.identity.reading)
			return UI_IGNORED;
		s->compare.cancelled = s->compare.held = true;
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}
