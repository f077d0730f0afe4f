/* SPDX-License-Identifier: MIT */
/* The choice of a process in a recording of several. */
#include "tui/screen/process_choice.h"

#include "common/base/system/processes.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/strip.h"

void ui_process_list(struct ui_screen *s, const struct pv_processes *list, uint64_t shown)
{
	s->shared.processes = list;
	s->shared.process = shown;
	s->shared.processes_turn++;
}

static size_t pane_of_processes(void)
{
	size_t i = 0;
	while (!ui_pane_defs[i].folder)
		i++;
	return i;
}

void ui_process_at(struct ui_screen *s, uint64_t id)
{
	struct ui_list *l = &s->pane[pane_of_processes()].list[0];
	l->selected = id;
	l->pinned = true;
	l->stale = true;
}

void ui_process_ask(struct ui_screen *s, const struct pv_row *row)
{
	bool all = row && (row->id == PV_PROCESSES_TOGETHER || row->id == PV_PROCESSES_EACH);
	const struct pv_process *p = row && s->shared.processes
					     ? pv_processes_by_id(s->shared.processes, row->id)
					     : NULL;
	if (all) /* also once more: they may have done more since */
		s->shared.process_wanted = row->id;
	else if (!p)
		ui_screen_say(s, false, "there is no process here");
	else if (p->id == s->shared.process)
		ui_screen_say(s, false, "all views are of this process already");
	else if (!p->log)
		ui_screen_say(s, true, "process %u was not recorded: %.120s", p->pid,
			p->reason ? p->reason : "it has no log yet");
	else
		s->shared.process_wanted = p->id;
}

void ui_process_say_none(struct ui_screen *s)
{
	ui_screen_say(
		s, false, "the log is of one process: only a folder of logs has a list of them");
}

void ui_process_begin(struct ui_screen *s, uint64_t shown)
{
	const struct ui_range none = { .on = false };
	const struct pv_process *p = pv_processes_by_id(s->shared.processes, shown);
	char rows[UI_TEXT_MAX];
	ui_filter_rows(&s->shared, rows); /* the old log's requests go with its range */
	ui_filter_set_all(s, rows);
	ui_strip_set(s, &none);
	ui_process_list(s, s->shared.processes, shown);
	ui_process_at(s, shown);
	if (pv_reserve(&s->history, 1))
		s->history.v[s->history.n++] = (struct ui_place){ .pane = s->current,
			.of = { { .selected = shown, .pinned = true } } };
	ui_screen_go(s, UI_CMD_OVERVIEW);
	if (!p)
		ui_screen_say(s, false,
			"samples and calls of all processes together; what else they have is of one "
			"each: P");
	else
		ui_screen_say(s, false,
			"all views are of process %u, %.80s; Backspace or P: the others", p->pid,
			pv_process_name(p));
}
