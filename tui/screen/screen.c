/* SPDX-License-Identifier: MIT */
/* The screen's state and its commands: updates from the model, keys, mouse, frames. */
#include "tui/draw/clock_text.h"
#include "tui/screen/open_help.h"
#include "tui/screen/screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/status.h"
#include "tui/panes/flame_pane.h"
#include "tui/panes/timeline_pane.h"
#include "tui/screen/which_figures.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/cause.h"
#include "tui/screen/idle_key.h"
#include "tui/screen/process_choice.h"
#include "tui/screen/settings_keys.h"
#include "tui/screen/strip.h"
#include "tui/screen/thread_choice.h"
#include "tui/screen/typing.h"

/* ns. A frame waits so long for quick answers. */
#define PATIENCE_NS INT64_C(8000000)

bool ui_screen_init(struct ui_screen *s, const struct ui_screen_options *options)
{
	*s = (struct ui_screen){ .canvas.ascii = options->only_ascii,
		.canvas.console = options->no_braille,
		.dragged_from = -1,
		.stream.cursor_ns = -1 };
	s->shared.source = options->source;
	s->shared.readonly = options->readonly;
	s->shared.only_ascii = options->only_ascii;
	s->shared.no_braille = options->no_braille;
	s->shared.worker = options->worker;
	s->shared.groups = options->groups;
	s->output = options->output;
	s->pane = calloc(ui_pane_count, sizeof *s->pane);
	if (!s->pane)
		return false;
	for (size_t i = 0; i < ui_pane_count; i++)
		ui_pane_init(&s->pane[i], &ui_pane_defs[i]);
	ui_overview_init(&s->overview);
	return true;
}

void ui_screen_finish(struct ui_screen *s)
{
	for (size_t i = 0; s->pane && i < ui_pane_count; i++)
		ui_pane_finish(&s->pane[i]);
	free(s->pane);
	for (int i = 0; i < UI_KIND_COUNT; i++)
		free(s->shared.picked[i]);
	ui_overview_finish(&s->overview);
	ui_graphs_finish(&s->clock);
	ui_slot_cancel(&s->summary);
	ui_help_finish(&s->help);
	ui_browser_finish(&s->browser);
	ui_source_finish(&s->source);
	ui_prompt_finish(&s->prompt);
	ui_canvas_finish(&s->canvas);
	pv_array_finish(&s->history);
	*s = (struct ui_screen){ 0 };
}

bool ui_screen_resize(struct ui_screen *s, int w, int h)
{
	if (!ui_canvas_resize(&s->canvas, w, h))
		return false;
	ui_screen_place(s);
	return true;
}

void ui_screen_forget(struct ui_screen *s)
{
	ui_browser_forget(s);
	ui_compare_forget(s);
	ui_stream_forget(s);
	for (size_t i = 0; i < ui_pane_count; i++)
		if (ui_pane_defs[i].folder)
			ui_list_drop(&s->pane[i].list[0]); /* rows from no model */
		else
			ui_pane_forget(&s->pane[i]);
	ui_overview_forget(&s->overview);
	ui_graphs_finish(&s->clock);
	ui_slot_cancel(&s->summary);
	s->history.n = 0;
	s->source.arriving = true;
	s->shared.model = s->shared.whole = s->range_model = NULL;
	s->shared.generation = s->shared.whole_generation = 0;
	s->shared.paused = false;
	s->shared.base_shot = 0;
	s->shared.summary = (struct pv_summary){ 0 };
	s->summed_up = false;
	s->menu.open = false;
}

/* --- the summary --- */

struct summary_job {
	struct ui_job job;
	struct pv_model *model, *whole;
	struct pv_summary summary, all;
};

static void run_summary(struct ui_job *j)
{
	struct summary_job *q = (struct summary_job *)j;
	pv_view_summary(q->whole, &q->all);
	q->summary = q->all;
	if (q->model != q->whole)
		pv_view_summary(q->model, &q->summary);
}

static void drop_summary(struct ui_job *j)
{
	free(j);
}

static void ask_summary(struct ui_screen *s)
{
	struct summary_job *q = calloc(1, sizeof *q);
	if (!q)
		return;
	q->job = (struct ui_job){ .run = run_summary, .drop = drop_summary };
	q->job.urgent = !s->summed_up;
	q->model = s->shared.model;
	q->whole = s->shared.whole;
	s->summary_generation = s->shared.whole_generation;
	ui_query_worker_post(s->shared.worker, &s->summary, &q->job);
}

static void take_summary(struct ui_screen *s)
{
	struct summary_job *q = (struct summary_job *)ui_slot_take(&s->summary);
	if (q) {
		s->shared.summary = q->summary;
		s->shared.all = q->all;
		if (ui_clock_on()) /* another process may be shown */
			ui_clock_set((int64_t)q->all.start_time_ms);
		s->shared.duration_ns = q->all.duration_ns;
	}
	s->summed_up = s->summed_up || q;
	if (s->summed_up) /* also when an earlier shot's objects have just come */
		ui_browser_await(s);
	free(q);
}

void ui_screen_update(
	struct ui_screen *s, struct pv_model *m, const struct ui_feed_status *feed, int64_t now_ns)
{
	struct ui_shared *shared = &s->shared;
	if (shared->feed.state == UI_FEED_LOADING && feed->state != UI_FEED_LOADING)
		ui_screen_search_again(s);
	s->now_ns = shared->now_ns = now_ns;
	ui_renew_feed(&s->renewed, shared, feed);
	ui_query_worker_patience(shared->worker, PATIENCE_NS);
	if (!shared->paused)
		shared->paused_for_ns = 0;
	else if (!ui_has_ended(shared)) /* else there is nothing to wait for */
		shared->paused_for_ns = now_ns - s->paused_since_ns;
	shared->whole = m;
	shared->model = s->range_model && m ? s->range_model : m;
	take_summary(s);
	if (!m || (shared->paused && s->summed_up))
		return;
	bool rolls = !ui_has_ended(shared);
	if (shared->window_ns && rolls == (shared->range.window_s > 0) &&
		(rolls || !shared->range.on))
		ui_strip_window(s);
	if (!shared->held || !shared->generation) {
		shared->whole_generation = pv_view_generation(m);
		shared->generation = pv_view_generation(shared->model);
	}
	bool moved_on = shared->whole_generation != s->summary_generation || !s->summed_up;
	if (moved_on && !ui_slot_pending(&s->summary))
		ask_summary(s);
	take_summary(s);
}

unsigned ui_screen_scopes(const struct ui_screen *s)
{
	return s->help.open || s->output_open ? UI_SCOPE_ANY | UI_SCOPE_MOVE
					      : ui_pane_scopes(&s->pane[s->current]);
}

/* --- commands of the screen itself --- */

/* Before the picture freezes every pane takes its figures, so that all are of the same moment. */
static void pause_or_go_on(struct ui_screen *s)
{
	struct ui_shared *shared = &s->shared;
	if (!shared->paused)
		for (size_t i = 0; i < ui_pane_count; i++) {
			ui_filter_place(s, &s->pane[i]);
			for (int k = 0; k < s->pane[i].def->parts; k++)
				ui_list_refresh(&s->pane[i].list[k], shared);
		}
	shared->paused = !shared->paused;
	if (shared->paused && ui_has_ended(shared))
		ui_screen_say(s, false, "the recording has ended: , and . step through its time");
	if (!shared->paused && shared->range.on)
		ui_screen_say(s, false, "the range stays; Ctrl-R: all of the recording again");
	shared->paused_at_ns = shared->duration_ns;
	shared->paused_for_ns = 0;
	s->paused_since_ns = s->now_ns;
	shared->generation = shared->paused ? shared->generation : 0;
}

static void next_window(struct ui_screen *s)
{
	static const uint64_t seconds[] = { 0, 60, 10, 1 };
	uint64_t now = s->shared.window_ns / 1000000000;
	size_t i = 0;
	while (i + 1 < PV_COUNT_OF(seconds) && seconds[i] != now)
		i++;
	ui_screen_window(s, seconds[(i + 1) % PV_COUNT_OF(seconds)]);
}

void ui_screen_window(struct ui_screen *s, uint64_t seconds)
{
	s->shared.window_ns = seconds * 1000000000;
	ui_strip_window(s);
	if (seconds)
		ui_screen_say(s, false, "figures of the last %u s%s", (unsigned)seconds,
			ui_has_ended(&s->shared) ? " of the recording"
			: s->shared.range.on     ? "; the range goes before, Ctrl-R clears it"
			: s->pane[s->current].def->windowed
				? ""
				: ", of methods, calls and allocations");
	else
		ui_screen_say(s, false, "figures since the start");
}

static void open_sort_menu(struct ui_screen *s)
{
	const struct ui_list *l = ui_screen_list(s);
	if (!l || !l->table)
		return;
	s->menu = (struct ui_menu){ .open = true, .title = "Sort by" };
	for (size_t i = 0; i < l->table->columns && s->menu.n < UI_MENU_MAX; i++) {
		if (!ui_list_shows(l, i) || !ui_column_sorts(&l->table->column[i]))
			continue;
		if ((int)i == l->table->sort)
			s->menu.at = s->menu.n;
		s->menu.item[s->menu.n] = l->table->column[i].title;
		s->menu.value[s->menu.n++] = i;
	}
	s->menu.open = s->menu.n > 0;
}

void ui_screen_choose(struct ui_screen *s, enum ui_menu_answer answer)
{
	struct ui_list *l = ui_screen_list(s);
	if (ui_settings_chose(s, answer))
		return;
	if (s->menu.of_rooms) {
		if (answer == UI_MENU_CHOSEN)
			ui_screen_go(s, ui_rooms[s->menu.value[s->menu.at]].command);
		return;
	}
	if (!ui_browser_chose(s, answer) && answer == UI_MENU_CHOSEN && l)
		ui_list_sort(l, s->menu.value[s->menu.at]);
}

static unsigned leave_viewer(struct ui_screen *s)
{
	if (s->shared.feed.stock_pipe || s->program_runs) {
		ui_screen_ask(s, s->program_runs ? UI_PROMPT_PROGRAM : UI_PROMPT_CONFIRM);
		return UI_HANDLED;
	}
	return UI_LEAVE;
}

static unsigned quit(struct ui_screen *s)
{
	if (s->help.open) {
		s->help.open = false;
		return UI_HANDLED;
	}
	if (s->output_open) {
		s->output_open = false;
		return UI_HANDLED;
	}
	return ui_screen_go_back(s) ? UI_HANDLED : leave_viewer(s);
}

static unsigned shoot(struct ui_screen *s)
{
	if (s->shared.readonly) {
		ui_screen_say(s, true, "read-only: nothing is sent to the program");
		return UI_HANDLED;
	}
	if (ui_has_ended(&s->shared)) {
		ui_screen_say(s, true, "no heap shot: the recording has ended");
		return UI_HANDLED;
	}
	return UI_SHOOT;
}

static unsigned stop_loading(struct ui_screen *s)
{
	bool loading = s->shared.feed.state == UI_FEED_LOADING;
	ui_screen_say(s, !loading,
		loading ? "loading stops; what was read is kept" : "nothing is being loaded");
	return loading ? UI_HANDLED | UI_STOP : UI_HANDLED;
}

static void cancel(struct ui_screen *s)
{
	struct ui_list *l = ui_screen_list(s);
	s->range_cancelled = true;
	s->help.search[0] = 0;
	if (s->output)
		s->output->search[0] = 0;
	if (l)
		l->search[0] = 0;
}

/* Commands common to all panes; UI_IGNORED: another command. */
static unsigned own_command(struct ui_screen *s, enum ui_command cmd)
{
	if (cmd == UI_CMD_PROCESSES && !s->shared.processes) {
		ui_process_say_none(s);
		return UI_HANDLED;
	}
	if (ui_opens_pane(cmd)) {
		ui_screen_go(s, cmd);
		return UI_HANDLED;
	}
	switch (cmd) {
	case UI_CMD_ROOMS:
		ui_screen_list_rooms(s);
		return UI_HANDLED;
	case UI_CMD_HELP:
		ui_open_help(s);
		return UI_HANDLED;
	case UI_CMD_PAUSE:
		pause_or_go_on(s);
		return UI_HANDLED;
	case UI_CMD_WINDOW:
		next_window(s);
		return UI_HANDLED;
	case UI_CMD_GROUP:
		ui_screen_group(s, NULL);
		return UI_HANDLED;
	case UI_CMD_ZERO:
		if (ui_has_ended(&s->shared)) {
			ui_screen_say(s, true, "the recording has ended: nothing comes anew");
			return UI_HANDLED;
		}
		if (s->shared.window_ns == 0) {
			ui_screen_say(
				s, true, "figures since the start stay; w chooses a window first");
			return UI_HANDLED;
		}
		ui_screen_say(s, false, "the window's figures start anew");
		return UI_HANDLED | UI_ZERO;
	case UI_CMD_TAKE_SHOT:
		return shoot(s);
	case UI_CMD_RETAINED:
		ui_browser_retained(s);
		return UI_HANDLED;
	case UI_CMD_SCHEDULE:
		ui_screen_schedule(s, NULL);
		return UI_HANDLED;
	case UI_CMD_STOP:
		return stop_loading(s);
	case UI_CMD_REDRAW:
		return UI_HANDLED | UI_REPAINT;
	case UI_CMD_CANCEL:
		cancel(s);
		return UI_HANDLED;
	case UI_CMD_SORT_MENU:
		open_sort_menu(s);
		return UI_HANDLED;
	case UI_CMD_QUIT:
		return quit(s);
	case UI_CMD_QUIT_NOW:
		return leave_viewer(s);
	case UI_CMD_PROMPT:
		ui_screen_ask(s, UI_PROMPT_COMMAND);
		return UI_HANDLED;
	case UI_CMD_SEARCH:
		ui_screen_ask(s, UI_PROMPT_SEARCH);
		return UI_HANDLED;
	case UI_CMD_FILTER:
		ui_screen_ask(s, UI_PROMPT_FILTER);
		return UI_HANDLED;
	case UI_CMD_UNFILTER:
		ui_filter_clear(s);
		return UI_HANDLED;
	case UI_CMD_WHICH:
		ui_prompt_open(&s->prompt, UI_PROMPT_KEY,
			"Key, as K, F5, Ctrl-D (none: this view as a command): ", "");
		return UI_HANDLED;
	case UI_CMD_EXPORT:
		ui_prompt_open(&s->prompt, UI_PROMPT_EXPORT,
			"Write to (FILE.csv, .json, .md, .txt, .frame): ", "");
		return UI_HANDLED;
	case UI_CMD_GOTO:
		ui_prompt_open(
			&s->prompt, UI_PROMPT_TIME, "Events from (1.5s, 00:01:12, -10s): ", "");
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

static unsigned moving_command(struct ui_screen *s, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_NEXT_PART:
		ui_screen_go_on(s, 1);
		return UI_HANDLED;
	case UI_CMD_PREV_PART:
		ui_screen_go_on(s, -1);
		return UI_HANDLED;
	case UI_CMD_BACK:
		if (s->pane[s->current].flame && ui_flame_undo(s->pane[s->current].flame))
			return UI_HANDLED;
		if (!ui_screen_go_back(s))
			ui_screen_say(s, false, "nothing to go back to; q leaves");
		return UI_HANDLED;
	case UI_CMD_FLIP:
		ui_screen_go_in(s);
		return UI_HANDLED;
	case UI_CMD_THIS_TIME:
		ui_screen_take_time(s);
		return UI_HANDLED;
	case UI_CMD_SPAN_FLAME:
	case UI_CMD_TO_FLAME:
		ui_screen_go_to_flame(s);
		return UI_HANDLED;
	default:
		return UI_IGNORED;
	}
}

unsigned ui_screen_command(struct ui_screen *s, enum ui_command cmd)
{
	static unsigned (*const first[])(
		struct ui_screen *, enum ui_command) = { ui_browser_command, ui_compare_command,
		ui_stream_command, ui_source_command, ui_settings_command, ui_counted_command,
		ui_requests_command, own_command, ui_screen_target };
	unsigned reply = UI_IGNORED;
	for (size_t i = 0; i < PV_COUNT_OF(first) && reply == UI_IGNORED; i++)
		reply = first[i](s, cmd);
	bool cells = s->pane[s->current].timeline && !s->help.open && !s->output_open &&
		     (cmd == UI_CMD_CURSOR_LEFT || cmd == UI_CMD_CURSOR_RIGHT);
	if (reply == UI_IGNORED && !cells)
		reply = ui_strip_command(s, cmd);
	if (reply != UI_IGNORED)
		return reply;
	if (s->help.open)
		return ui_help_command(&s->help, cmd);
	if (s->output_open && (cmd == UI_CMD_BACK || cmd == UI_CMD_ENTER))
		return quit(s);
	if (s->output_open)
		return ui_output_command(s->output, cmd);
	reply = moving_command(s, cmd);
	if (reply != UI_IGNORED)
		return reply;
	struct ui_pane *p = &s->pane[s->current];
	if (p->def->parts == 0) {
		if (cmd == UI_CMD_ENTER)
			ui_screen_go_in(s);
		return cmd == UI_CMD_ENTER ? UI_HANDLED : UI_IGNORED;
	}
	struct ui_list *l = ui_pane_list(p);
	bool search = cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV;
	if (search && !l->search[0])
		snprintf(l->search, sizeof l->search, "%s", s->search);
	if (search && !l->search[0])
		ui_screen_say(s, false, "nothing to search for yet; / asks for it");
	reply = p->ops->command(p, &s->shared, cmd);
	if (reply & UI_DRILL)
		ui_screen_go_in(s);
	return reply & ~(unsigned)UI_DRILL;
}

void ui_screen_finish_frame(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	s->settled = true;
	if (p->def->parts == 0)
		return;
	if (p->def->scope & UI_SCOPE_OBJECTS)
		ui_browser_place(s, p);
	if (ui_compare_has(p) || ui_compare_to_one(p))
		ui_compare_place(s, p);
	ui_filter_place(s, p);
	if (ui_cause_has(p))
		ui_cause_place(s, p);
	if (ui_stream_has(p))
		ui_stream_place(s, p);
	if (ui_source_has(p))
		ui_source_place(s, p);
	/* An answer can change which details exist. */
	for (int i = 0; i < 2; i++) {
		ui_pane_place(p, &s->shared, s->layout.body);
		p->ops->refresh(p, &s->shared);
	}
	ui_counted_find(s);
	if (ui_source_has(p))
		ui_source_find(s, p);
}

static bool needs_rows(enum ui_command cmd)
{
	const struct ui_command_row *row = ui_command_row(cmd);
	if (cmd == UI_CMD_ENTER || cmd == UI_CMD_SOURCE || cmd == UI_CMD_EDITOR)
		return true;
	switch (cmd) {
	case UI_CMD_SEARCH:
	case UI_CMD_FILTER:
	case UI_CMD_UNFILTER:
	case UI_CMD_INVERT:
	case UI_CMD_FOLLOW:
		return false; /* they are a part of the question */
	default:
		return row && row->scope != UI_SCOPE_ANY;
	}
}

bool ui_screen_awaits(const struct ui_screen *s, int key)
{
	const struct ui_pane *p = &s->pane[s->current];
	if (!s->shared.worker || !s->shared.model || p->def->parts == 0 || s->output_open)
		return false;
	if (s->prompt.open && key == UI_KEY_ENTER) /* the command may be about the rows */
		return !p->flame && !p->timeline && ui_list_awaits(&p->list[0]);
	if (s->help.open || s->prompt.open || s->menu.open)
		return false;
	enum ui_command cmd = ui_command_of_key(key, ui_pane_scopes(p));
	return needs_rows(cmd) && p->ops->now(p).awaits;
}

unsigned ui_screen_act(struct ui_screen *s, int key, enum ui_command cmd)
{
	uint64_t before = ui_idle_hash(s);
	unsigned reply = cmd == UI_CMD_NONE ? UI_IGNORED : ui_screen_command(s, cmd);
	if (s->message[0] || reply & ~(unsigned)UI_HANDLED)
		return reply;
	if (ui_idle_hash(s) == before)
		ui_idle_say(s, key, cmd);
	else
		ui_idle_confirm(s, cmd);
	return reply;
}

/* The overview has no list, but moving between its sections works like in a list. */
static enum ui_command overview_command(struct ui_screen *s, int key)
{
	bool on = !s->help.open && !s->output_open && s->pane[s->current].def->parts == 0;
	enum ui_command cmd = on ? ui_command_of_key(key, UI_SCOPE_MOVE) : UI_CMD_NONE;
	return cmd == UI_CMD_DOWN || cmd == UI_CMD_UP || cmd == UI_CMD_SEARCH ? cmd : UI_CMD_NONE;
}

static unsigned move_in_overview(struct ui_screen *s, enum ui_command cmd)
{
	if (!ui_overview_step(&s->overview, &s->shared, cmd == UI_CMD_DOWN ? 1 : -1))
		ui_screen_say(
			s, false, "this is the %s box", cmd == UI_CMD_DOWN ? "last" : "first");
	return UI_HANDLED;
}

unsigned ui_screen_key(struct ui_screen *s, int key)
{
	/* Keys can come faster than frames: each key acts on the effect of the key before. */
	if (!s->settled)
		ui_screen_finish_frame(s);
	s->settled = false;
	s->seeking = 0;
	s->message[0] = 0;
	if (s->prompt.open)
		return ui_screen_type(s, key);
	if (s->menu.open) {
		ui_screen_choose(s, ui_menu_key(&s->menu, key));
		return UI_HANDLED;
	}
	enum ui_command box = overview_command(s, key);
	if (box == UI_CMD_SEARCH)
		ui_screen_ask(s, UI_PROMPT_SEARCH);
	if (box != UI_CMD_NONE)
		return box == UI_CMD_SEARCH ? UI_HANDLED : move_in_overview(s, box);
	if (ui_screen_refuses(s, key))
		return UI_HANDLED;
	enum ui_command cmd = ui_command_of_key(key, ui_screen_scopes(s));
	bool text = s->help.open || s->output_open; /* pages as in any pager */
	return ui_screen_act(s, key, text && key == ' ' ? UI_CMD_PAGE_DOWN : cmd);
}
