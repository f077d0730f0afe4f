/* SPDX-License-Identifier: MIT */
/* Explains in the message line why a key did nothing. */
#include "tui/screen/idle_key.h"

#include <stdio.h>
#include <string.h>

#include "tui/draw/key.h"
#include "tui/panes/flame_pane.h"
#include "tui/screen/screen.h"

/* --- state that keys change */

static void mix(uint64_t *hash, uint64_t value)
{
	*hash = (*hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*hash ^= *hash >> 29;
}

static void mix_text(uint64_t *hash, const char *text)
{
	for (; text && *text; text++)
		mix(hash, (unsigned char)*text);
	mix(hash, 0);
}

static void mix_list(uint64_t *d, const struct ui_list *l)
{
	const uint64_t value[] = { l->view, l->at, l->limit, l->skip, l->invert, l->open.n,
		l->unfold_next, l->figure, l->follow && !l->finished, l->to_end, l->select, l->base,
		l->look, l->tagged.n, l->only_tagged, (uint64_t)(uintptr_t)l->set };
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		mix(d, value[i]);
	mix_text(d, l->sort);
	mix_text(d, l->filter);
	mix_text(d, l->search);
	mix_text(d, l->want);
}

static void mix_shared(uint64_t *d, const struct ui_shared *s)
{
	const uint64_t value[] = { s->paused, s->window_ns, s->net, s->waits, s->raw_names,
		s->my_code, s->physical, s->by_samples, s->callers, s->least, s->base_shot,
		s->range.on, (uint64_t)s->range.from_ns, (uint64_t)s->range.to_ns,
		s->range.cursor_on, (uint64_t)s->range.cursor_ns, s->range.threaded,
		s->range.thread, s->range.named, s->events.reading, s->identity.by,
		s->identity.reading, s->heap.reading, s->heap.weak, s->heap.shot };
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		mix(d, value[i]);
	mix_text(d, s->filter);
	mix_text(d, s->range.requests);
}

uint64_t ui_idle_hash(const struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	const uint64_t value[] = { s->current, (uint64_t)p->focus, p->group, s->history.n,
		s->help.open, s->help.top, s->output_open, s->prompt.open, s->menu.open,
		(uint64_t)s->overview.focus, (uint64_t)s->overview.lane, s->compare.rows,
		s->source.wish.machine, s->canvas.dots, s->canvas.ascii, s->browser.at.mode,
		s->browser.at.dir, s->browser.at.klass, (uint64_t)s->browser.at.set,
		s->stream.cancelled };
	uint64_t d = 0;
	for (size_t i = 0; i < PV_COUNT_OF(value); i++)
		mix(&d, value[i]);
	for (int i = 0; i < UI_OVERVIEW_LISTS; i++)
		mix(&d, s->overview.list[i].at);
	mix_shared(&d, &s->shared);
	for (int i = 0; i < p->def->parts; i++)
		mix_list(&d, &p->list[i]);
	if (p->ops->mark)
		mix(&d, p->ops->mark(p));
	if (s->help.open)
		mix_text(&d, s->help.search);
	if (s->output)
		mix(&d, ui_output_place(s->output));
	return d;
}

/* --- why --- */

static const char *where(unsigned scope)
{
	switch (scope) {
	case UI_SCOPE_MOVE:
	case UI_SCOPE_LIST:
	case UI_SCOPE_ROWS:
		return "in lists";
	case UI_SCOPE_TREE:
		return "in trees";
	case UI_SCOPE_CALLS:
		return "in methods, tree and flame";
	case UI_SCOPE_METHODS:
		return "in methods and tree";
	case UI_SCOPE_CALL_TREE:
		return "in tree";
	case UI_SCOPE_FLAME:
		return "in flame";
	case UI_SCOPE_LANES:
		return "in timeline";
	case UI_SCOPE_SOURCE:
		return "in source";
	case UI_SCOPE_REQUESTS:
		return "in requests";
	case UI_SCOPE_EVENTS:
		return "in the stream of events";
	case UI_SCOPE_HEAP:
		return "in shots";
	case UI_SCOPE_OBJECTS:
		return "in objects";
	case UI_SCOPE_DIFF:
		return "in diff and growth";
	default:
		return "in the views";
	}
}

struct want {
	int key;
	bool found;
};

static void compare_key(void *ctx, int key)
{
	struct want *w = ctx;
	w->found = w->found || key == w->key;
}

/* "W: kept-by in diff and growth, paths in objects; not here" */
static void say_elsewhere(struct ui_screen *s, int key)
{
	char name[16], list[200] = "";
	size_t n = 0;
	for (enum ui_command cmd = 1; cmd < UI_CMD_COUNT; cmd++) {
		struct want w = { .key = key };
		const struct ui_command_row *row = ui_command_row(cmd);
		ui_command_each_key(cmd, compare_key, &w);
		if (w.found && n < sizeof list)
			n += (size_t)snprintf(list + n, sizeof list - n, "%s%s %s", n ? ", " : "",
				row->name, where(row->scope));
	}
	ui_key_name(key, name, sizeof name);
	if (n == 0)
		ui_screen_say(
			s, false, "no command has the key %s; F1 shows those of this pane", name);
	else if (s->help.open || s->output_open)
		ui_screen_say(s, false, "%s: %s; q closes this first", name, list);
	else
		ui_screen_say(s, false, "%s: %s; not here", name, list);
}

static const char *why_not_moved(enum ui_command cmd, bool text)
{
	switch (cmd) {
	case UI_CMD_DOWN:
	case UI_CMD_PAGE_DOWN:
	case UI_CMD_HALF_DOWN:
	case UI_CMD_BOTTOM:
		return text ? "this is the end" : "this is the last row";
	case UI_CMD_UP:
	case UI_CMD_PAGE_UP:
	case UI_CMD_HALF_UP:
	case UI_CMD_TOP:
		return text ? "this is the beginning" : "this is the first row";
	default:
		return NULL;
	}
}

static const char *why_in_list(const struct ui_list *l, enum ui_command cmd)
{
	switch (cmd) {
	case UI_CMD_RIGHT:
		return l->tree ? "nothing is below this row" : "there are no columns further right";
	case UI_CMD_LEFT:
		return l->tree ? "this row is folded, and has no parent"
			       : "there are no columns further left";
	case UI_CMD_UNFOLD:
		return "nothing is below this row, or it is unfolded";
	case UI_CMD_FOLD:
		return "this row is not unfolded";
	case UI_CMD_FOLD_ALL:
		return "there is nothing to unfold";
	case UI_CMD_HOT_PATH:
		return "nothing is below this row";
	case UI_CMD_UNTAG:
	case UI_CMD_TAGGED:
		return "no row is tagged; Space tags one";
	case UI_CMD_SORT_NEXT:
	case UI_CMD_SORT_PREV:
		return "there is no other column to sort by";
	case UI_CMD_FOLLOW:
		return "the recording has ended: no row will follow";
	case UI_CMD_ENTER:
		return "there is nothing behind this row";
	default:
		return cmd >= UI_CMD_SORT_1 && cmd <= UI_CMD_SORT_7 ? "there is no such column"
								    : NULL;
	}
}

static bool has_rows(const struct ui_list *l)
{
	return l->table && l->table->rows > 0;
}

/* After a search for the next or the previous hit. */
static const char *why_no_hit(const struct ui_list *l)
{
	if (!l)
		return "no other line has the text";
	return l->look == UI_LOOK_MISSED ? "no row has the text" : "no other row has the text";
}

static const char *why(struct ui_screen *s, enum ui_command cmd)
{
	const struct ui_pane *p = &s->pane[s->current];
	const struct ui_list *l = s->help.open ? NULL : ui_screen_list(s);
	const char *text = why_not_moved(cmd, !l && p->def->parts > 0);
	if (ui_room_of_command(cmd) != UI_ROOM_NONE)
		return "this is the only view of the room";
	if (ui_opens_pane(cmd))
		return "this is that view";
	if (cmd == UI_CMD_UNFILTER)
		return "there is no filter; \\ sets one";
	if (cmd == UI_CMD_SEARCH_NEXT || cmd == UI_CMD_SEARCH_PREV)
		return why_no_hit(s->output_open ? NULL : l);
	if (cmd == UI_CMD_CANCEL)
		return "there is nothing to cancel";
	if (cmd == UI_CMD_FIGURE)
		return s->shared.against ? "nothing here is compared with the base; methods, "
					   "tree, allocations and classes of shots are"
					 : "there is no base; profview --base BASE NEW compares";
	if (l && p->ops->why)
		return p->ops->why(p, cmd);
	if (l && !has_rows(l) && s->shared.identity.on_screen && s->shared.identity.reading)
		return "objects are still being followed: the rows come then";
	if (l && !has_rows(l) && ui_command_row(cmd)->scope != UI_SCOPE_ANY)
		return "there are no rows here";
	if (!text && l)
		text = why_in_list(l, cmd);
	if (!text && cmd == UI_CMD_ENTER)
		text = "there is nothing behind this";
	return text ? text : "nothing changes by it here";
}

void ui_idle_say(struct ui_screen *s, int key, enum ui_command cmd)
{
	char name[24];
	if (cmd == UI_CMD_NONE) {
		say_elsewhere(s, key);
		return;
	}
	if (key == UI_KEY_NONE)
		snprintf(name, sizeof name, "%s", ui_command_row(cmd)->name);
	else
		ui_key_name(key, name, sizeof name);
	ui_screen_say(s, false, "%s: %s", name, why(s, cmd));
}

void ui_idle_which(struct ui_screen *s, const char *key)
{
	char notation[24];
	int code = UI_KEY_NONE;
	unsigned times;
	size_t len = strlen(key);
	bool control = strncmp(key, "Ctrl-", 5) == 0 && key[5];
	snprintf(notation, sizeof notation,
		control                    ? "<C-%.1s>"
		: len > 1 && key[0] != '<' ? "<%.16s>"
					   : "%.18s",
		control ? key + 5 : key);
	if (ui_key_parse(notation, &code, &times) != strlen(notation)) {
		ui_screen_say(s, true, "there is no key %.20s", key);
		return;
	}
	const struct ui_command_row *row =
		ui_command_row(ui_command_of_key(code, ui_pane_scopes(&s->pane[s->current])));
	if (row)
		ui_screen_say(s, false, "%.20s: %s. %s", key, row->name, row->help);
	else
		say_elsewhere(s, code);
}

/* Whether the command is about rows, and has no effect without any. */
static bool of_rows(enum ui_command cmd)
{
	unsigned scope = ui_command_row(cmd)->scope;
	if (cmd == UI_CMD_NEXT_PART || cmd == UI_CMD_PREV_PART)
		return true;
	if (cmd == UI_CMD_SEARCH || cmd == UI_CMD_FILTER || cmd == UI_CMD_UNFILTER ||
		cmd == UI_CMD_GROUP)
		return false;
	return scope == UI_SCOPE_MOVE || scope == UI_SCOPE_LIST || scope == UI_SCOPE_ROWS ||
	       scope == UI_SCOPE_TREE;
}

void ui_idle_confirm(struct ui_screen *s, enum ui_command cmd)
{
	const struct ui_list *l = s->help.open ? NULL : ui_screen_list(s);
	const struct ui_flame *flame = s->pane[s->current].flame;
	const char *said = l && flame ? ui_flame_said(flame, cmd) : NULL;
	if (said)
		ui_screen_say(s, false, "%s", said);
	if (!l || flame || s->pane[s->current].timeline)
		return;
	if (of_rows(cmd) && !ui_list_awaits(l) && !has_rows(l))
		ui_screen_say(s, false, "this list has no rows now");
	else if (cmd == UI_CMD_FOLLOW)
		ui_screen_say(s, false, "the cursor %s",
			l->follow ? "follows the last row" : "stays where it is");
	else if (cmd == UI_CMD_RIGHT && !l->tree)
		ui_screen_say(s, false, "%zu column%s scrolled out; Left brings back", l->skip,
			l->skip == 1 ? "" : "s");
	else if (cmd == UI_CMD_UNFILTER)
		ui_screen_say(s, false, "all rows again");
	else if (cmd == UI_CMD_HOT_PATH)
		ui_screen_say(s, false, "the heaviest path below the row");
}
