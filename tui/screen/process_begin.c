/* SPDX-License-Identifier: MIT */
/* All views go over to another process of the folder. */
#include "common/base/system/processes.h"
#include "tui/screen/one_filter.h"
#include "tui/screen/process_choice.h"
#include "tui/screen/strip.h"

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
