/* SPDX-License-Identifier: MIT */
/* Small parts of the screen's state: layout, message, list with the keys, filter. */
#include "tui/screen/one_filter.h"

#include <stdarg.h>
#include <stdio.h>

void ui_screen_place(struct ui_screen *s)
{
	s->layout = ui_layout(s->canvas.w, s->canvas.h);
	if (s->pane[s->current].def->parts == 0)
		ui_layout_home(&s->layout);
	else if (s->shared.range.on || s->shared.range.cursor_on)
		ui_layout_range(&s->layout);
	if (s->bare)
		ui_layout_bare(&s->layout);
}

void ui_screen_say(struct ui_screen *s, bool bad, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(s->message, sizeof s->message, format, args);
	va_end(args);
	s->message_bad = bad;
}

struct ui_list *ui_screen_list(struct ui_screen *s)
{
	struct ui_pane *p = &s->pane[s->current];
	return p->def->parts && !s->output_open ? ui_pane_list(p) : NULL;
}

const char *ui_filter_now(const struct ui_screen *s)
{
	const struct ui_pane *p = &s->pane[s->current];
	return p->def->parts && p->focus > 0 ? p->list[p->focus].filter : s->shared.filter;
}

void ui_screen_ask(struct ui_screen *s, enum ui_prompt_kind kind)
{
	struct ui_list *l = ui_screen_list(s);
	const char *label = kind == UI_PROMPT_SEARCH   ? "Search: "
			    : kind == UI_PROMPT_FILTER ? "Filter: "
			    : kind == UI_PROMPT_OBJECT ? "Find (0x address, =24 >1MiB <64, class): "
			    : kind == UI_PROMPT_SET    ? "Name of the set: "
						       : ":";
	if (kind == UI_PROMPT_CONFIRM) {
		ui_prompt_open(&s->prompt, kind,
			"The program goes on, but its log from here on is lost. Leave? (y/n) ", "");
		return;
	}
	if (kind == UI_PROMPT_PROGRAM) {
		ui_prompt_open(&s->prompt, kind,
			"The program runs: leave it running (l), end it (e), stay (Esc)? ", "");
		return;
	}
	s->was[0] = 0;
	if (kind == UI_PROMPT_FILTER)
		snprintf(s->was, sizeof s->was, "%s", ui_filter_now(s));
	else if (kind == UI_PROMPT_SEARCH && l && !s->help.open)
		s->was_at = l->at;
	ui_prompt_open(&s->prompt, kind, label, s->was);
}
