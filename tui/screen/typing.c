/* SPDX-License-Identifier: MIT */
/* Prompts: search and filter act while one types; the command line takes names of commands. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/status.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/settings_keys.h"
#include "tui/screen/which_figures.h"
#include "tui/screen/evidence.h"
#include "tui/screen/export_rows.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/idle_key.h"
#include "tui/screen/open_help.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"
#include "tui/screen/thread_choice.h"
#include "tui/screen/typing.h"

static void label_search(struct ui_screen *s, bool missed)
{
	snprintf(s->prompt.label, sizeof s->prompt.label, "%s",
		missed ? "Search (not found): " : "Search: ");
}

static void search_now(struct ui_screen *s)
{
	struct ui_list *l = ui_screen_list(s);
	bool missed = false;
	if (s->help.open) {
		snprintf(s->help.search, sizeof s->help.search, "%s", s->prompt.text);
		missed = s->prompt.len && !ui_help_find(&s->help, 0);
	} else if (s->output_open) {
		snprintf(s->output->search, sizeof s->output->search, "%s", s->prompt.text);
		missed = s->prompt.len && !ui_output_find(s->output, 0);
	} else if (l) {
		snprintf(l->search, sizeof l->search, "%s", s->prompt.text);
		l->look = UI_LOOK_NOT;
		ui_list_move_to(l, s->was_at);
		if (s->prompt.len)
			ui_list_find(l, &s->shared, 0);
		missed = l->look == UI_LOOK_MISSED;
	}
	label_search(s, missed);
}

void ui_screen_tell_search(struct ui_screen *s)
{
	struct ui_list *l = ui_screen_list(s);
	if (!l || s->help.open)
		return;
	if (s->prompt.open && s->prompt.kind == UI_PROMPT_SEARCH)
		label_search(s, l->look == UI_LOOK_MISSED);
	if (!l->look_tell || l->look == UI_LOOK_ASKED)
		return;
	if (l->look == UI_LOOK_MISSED)
		ui_screen_say(s, true, "not found%s: %s",
			ui_stream_has(&s->pane[s->current]) ? " on this page (n reads on)" : "",
			l->search);
	l->look_tell = false;
}

void ui_screen_search_again(struct ui_screen *s)
{
	for (size_t i = 0; i < ui_pane_count; i++)
		for (int k = 0; k < s->pane[i].def->parts; k++) {
			struct ui_list *l = &s->pane[i].list[k];
			if (l->look != UI_LOOK_MISSED || !l->search[0])
				continue;
			l->look = UI_LOOK_ASKED;
			l->look_dir = 0;
			l->stale = true;
		}
}

/* While the typed filter is not valid the last valid filter stays. */
static void filter_now(struct ui_screen *s)
{
	struct pv_filter_error wrong;
	char whole[UI_TEXT_MAX] = "";
	bool ok = ui_filter_read(s, s->prompt.text, whole, &wrong);
	if (ok)
		ui_filter_set(s, whole);
	if (ok)
		snprintf(s->prompt.label, sizeof s->prompt.label, "Filter: ");
	else
		snprintf(s->prompt.label, sizeof s->prompt.label,
			"Filter (%zu: %s): ", wrong.at + 1, wrong.what);
}

/* A wrong filter gives a message, and the filter before is restored. */
static void filter_by(struct ui_screen *s, const char *text, const char *before)
{
	struct pv_filter_error wrong;
	char whole[UI_TEXT_MAX] = "";
	bool ok = ui_filter_read(s, text, whole, &wrong);
	ui_filter_set(s, ok ? whole : before);
	if (ok)
		ui_filter_follow(s);
	else
		ui_screen_say(s, true, "no filter, character %zu: %s", wrong.at + 1, wrong.what);
}

static void changed(struct ui_screen *s)
{
	if (s->prompt.kind == UI_PROMPT_FILTER)
		filter_now(s);
	else if (s->prompt.kind == UI_PROMPT_SEARCH)
		search_now(s);
}

/* Once the prompt is gone, a line says that nothing was found, or will when an answer has come. */
static void searched(struct ui_screen *s)
{
	const char *text = s->prompt.text;
	struct ui_list *l = ui_screen_list(s);
	snprintf(s->search, sizeof s->search, "%s", text);
	if (!*text)
		return;
	if (s->help.open || s->output_open) {
		if (!(s->help.open ? ui_help_find(&s->help, 0) : ui_output_find(s->output, 0)))
			ui_screen_say(s, true, "not found: %s", text);
	} else if (s->pane[s->current].def->parts == 0) {
		ui_goto_named(s, text);
	} else if (l) {
		l->look_tell = true;
	}
}

/* Esc restores the state before the prompt. */
static void gone(struct ui_screen *s)
{
	struct ui_list *l = ui_screen_list(s);
	if (s->prompt.kind == UI_PROMPT_FILTER) {
		ui_filter_set(s, s->was);
	} else if (s->prompt.kind == UI_PROMPT_SEARCH) {
		s->help.search[0] = 0;
		if (s->output_open)
			s->output->search[0] = 0;
		if (l && !s->help.open) {
			l->search[0] = 0;
			ui_list_move_to(l, s->was_at);
		}
	}
}

static unsigned done(struct ui_screen *s)
{
	if (s->prompt.kind == UI_PROMPT_FILTER)
		filter_by(s, s->prompt.text, s->was);
	if (s->prompt.kind == UI_PROMPT_CONFIRM)
		return UI_HANDLED | UI_LEAVE;
	if (s->prompt.kind == UI_PROMPT_PROGRAM)
		return UI_HANDLED | UI_LEAVE |
		       (*s->prompt.text == 'e' ? (unsigned)UI_END_PROGRAM : 0);
	if (s->prompt.kind == UI_PROMPT_COMMAND)
		return ui_screen_run(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_RANGE)
		return ui_strip_typed(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_OBJECT)
		ui_browser_find(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_KEY && s->prompt.len)
		ui_idle_which(s, s->prompt.text);
	else if (s->prompt.kind == UI_PROMPT_KEY)
		ui_open_commands(s);
	if (s->prompt.kind == UI_PROMPT_EXPORT)
		ui_export(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_TIME)
		ui_stream_goto(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_SET)
		ui_browser_keep(s, s->prompt.text);
	if (s->prompt.kind == UI_PROMPT_SEARCH)
		searched(s);
	return UI_HANDLED;
}

bool ui_screen_pastes(struct ui_screen *s, int key)
{
	if (s->prompt.open)
		return ui_key_printable(key);
	ui_screen_say(s, false, "pasted text is not taken for keys; : or / takes it");
	return false;
}

bool ui_screen_refuses(struct ui_screen *s, int key)
{
	const enum ui_command cmd = ui_command_of_key(key, UI_SCOPE_MOVE | UI_SCOPE_LIST);
	if ((cmd != UI_CMD_SEARCH && cmd != UI_CMD_FILTER) ||
		ui_command_of_key(key, ui_screen_scopes(s)) != UI_CMD_NONE)
		return false;
	ui_idle_say(s, key, UI_CMD_NONE);
	ui_prompt_open(&s->prompt, UI_PROMPT_REFUSED, "Not here (Esc): ", "");
	return true;
}

unsigned ui_screen_type(struct ui_screen *s, int key)
{
	enum ui_prompt_answer answer = ui_prompt_key(&s->prompt, key);
	if (answer != UI_PROMPT_TAB && answer != UI_PROMPT_BACKTAB)
		ui_complete_close(s);
	switch (answer) {
	case UI_PROMPT_CHANGED:
		changed(s);
		return UI_HANDLED;
	case UI_PROMPT_DONE:
		return done(s);
	case UI_PROMPT_GONE:
		gone(s);
		return UI_HANDLED;
	case UI_PROMPT_TAB:
	case UI_PROMPT_BACKTAB:
		if (s->prompt.kind == UI_PROMPT_COMMAND || s->prompt.kind == UI_PROMPT_FILTER)
			ui_complete_next(s, answer == UI_PROMPT_TAB ? 1 : -1);
		if (s->prompt.kind == UI_PROMPT_FILTER)
			changed(s);
		return UI_HANDLED;
	case UI_PROMPT_SAME:
		return UI_HANDLED;
	}
	return UI_HANDLED;
}

static bool sort_by(struct ui_screen *s, const char *column)
{
	struct ui_list *l = ui_screen_list(s);
	for (size_t i = 0; l && l->table && i < l->table->columns; i++) {
		if (strcasecmp(l->table->column[i].id, column) != 0 &&
			strcasecmp(l->table->column[i].title, column) != 0)
			continue;
		ui_list_sort(l, i);
		return true;
	}
	ui_screen_say(s, true, "no column %s here", column);
	return false;
}

static void set_window(struct ui_screen *s, const char *text)
{
	char *end;
	unsigned long seconds = strtoul(text, &end, 10);
	bool all = strcmp(text, "all") == 0;
	if (!all && (*end || (seconds != 1 && seconds != 10 && seconds != 60)))
		ui_screen_say(s, true, "the window is 1, 10, 60 or all");
	else
		ui_screen_window(s, all ? 0 : seconds);
}

void ui_screen_group(struct ui_screen *s, const char *word)
{
	struct ui_pane *p = &s->pane[s->current];
	enum pv_by by = (p->group + 1) % PV_BY_COUNT;
	if (!p->def->grouped) {
		ui_screen_say(s, true, "the rows of this pane are not grouped");
	} else if (word && !pv_by_of(word, strlen(word), &by)) {
		ui_screen_say(s, true,
			"group by name, namespace, class, image, assembly, domain or context");
	} else {
		ui_pane_set_group(p, by);
		ui_screen_say(s, false, "this pane's methods and classes by %s", pv_by_name(by));
	}
}

/* Commands that take a word on the command line; false: others. */
static bool run_with(struct ui_screen *s, enum ui_command cmd, const char *word)
{
	struct ui_list *l = ui_screen_list(s);
	switch (cmd) {
	case UI_CMD_SORT_MENU:
		sort_by(s, word);
		return true;
	case UI_CMD_RANGE:
		ui_strip_typed(s, word);
		return true;
	case UI_CMD_THREAD:
		ui_thread_typed(s, word);
		return true;
	case UI_CMD_SLOW:
		ui_requests_slow(s, word);
		return true;
	case UI_CMD_WINDOW:
		set_window(s, word);
		return true;
	case UI_CMD_GROUP:
		ui_screen_group(s, word);
		return true;
	case UI_CMD_MEASURE:
		if (!s->pane[s->current].flame ||
			!ui_flame_measure(s->pane[s->current].flame, word))
			ui_screen_say(s, true,
				"samples, self, alloc_bytes, alloc_objects, held_bytes, lock_wait, "
				"contentions, exceptions or live_bytes, in flame");
		return true;
	case UI_CMD_COLUMNS:
	case UI_CMD_UNITS:
	case UI_CMD_GLYPHS:
		return ui_settings_typed(s, cmd, word);
	case UI_CMD_COUNTED:
		ui_counted_typed(s, word);
		return true;
	case UI_CMD_THRESHOLD:
		ui_threshold_typed(s, word);
		return true;
	case UI_CMD_WHICH:
		ui_idle_which(s, word);
		return true;
	case UI_CMD_EXPORT:
		ui_export(s, word);
		return true;
	case UI_CMD_GOTO:
		ui_stream_goto(s, word);
		return true;
	case UI_CMD_SCHEDULE:
		ui_screen_schedule(s, word);
		return true;
	case UI_CMD_FILTER:
		snprintf(s->was, sizeof s->was, "%s", ui_filter_now(s));
		filter_by(s, word, s->was);
		return true;
	case UI_CMD_FIND_OBJECT:
		ui_browser_find(s, word);
		return true;
	case UI_CMD_SET_KEEP:
		ui_browser_keep(s, word);
		return true;
	case UI_CMD_SEARCH:
		if (!l)
			return true;
		snprintf(l->search, sizeof l->search, "%s", word);
		snprintf(s->search, sizeof s->search, "%s", word);
		l->look_tell = true;
		ui_list_find(l, &s->shared, 0);
		return true;
	case UI_CMD_HOME:
	case UI_CMD_OVERVIEW:
		return ui_screen_go_to_box(s, word);
	default:
		return ui_screen_go_to_row(s, cmd, word);
	}
}

/*
 * The command of a name, or of the beginning of a single name. An editor's words for leaving work
 * too.
 */
static enum ui_command command_of(const char *name)
{
	static const char *const leave[] = { "q", "q!", "qa", "wq", "x" };
	enum ui_command found = ui_command_of_name(name);
	for (size_t i = 0; i < PV_COUNT_OF(leave); i++)
		if (strcmp(name, leave[i]) == 0)
			return UI_CMD_QUIT_NOW;
	size_t hits = 0;
	if (found != UI_CMD_NONE || !name[0])
		return found;
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++) {
		if (strncmp(ui_command_row(cmd)->name, name, strlen(name)) != 0)
			continue;
		found = cmd;
		hits++;
	}
	return hits == 1 ? found : UI_CMD_NONE;
}

unsigned ui_screen_run(struct ui_screen *s, const char *line)
{
	char name[UI_PROMPT_MAX];
	line += strspn(line, " ");
	size_t n = strcspn(line, " ");
	snprintf(name, sizeof name, "%.*s", (int)n, line);
	const char *word = line + n + strspn(line + n, " ");
	if (!name[0])
		return UI_HANDLED;
	enum ui_command cmd = command_of(name);
	if (cmd == UI_CMD_NONE) {
		ui_screen_say(s, true, "no command %s; Tab lists them, F1 explains them", name);
		return UI_HANDLED;
	}
	if (word[0] && run_with(s, cmd, word))
		return UI_HANDLED;
	if (!(ui_command_row(cmd)->scope & ui_screen_scopes(s))) {
		ui_screen_say(s, true, "%s does nothing in this pane", ui_command_row(cmd)->name);
		return UI_HANDLED;
	}
	return ui_screen_act(s, UI_KEY_NONE, cmd);
}
