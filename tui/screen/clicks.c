/* SPDX-License-Identifier: MIT */
/* Mouse clicks, part by part of the screen. */
#include "tui/panes/room_line.h"
#include "tui/screen/screen.h"
#include "tui/screen/strip.h"

static unsigned click_overview(struct ui_screen *s, struct ui_mouse m)
{
	bool hit = m.click <= UI_CLICK_DOUBLE && ui_overview_click(&s->overview, m.x, m.y);
	if (hit && m.click == UI_CLICK_DOUBLE)
		ui_screen_go_in(s);
	return hit ? UI_HANDLED : UI_IGNORED;
}

static unsigned click_body(struct ui_screen *s, struct ui_mouse m)
{
	struct ui_pane *p = &s->pane[s->current];
	if (s->help.open) {
		if (m.click == UI_CLICK_WHEEL_UP || m.click == UI_CLICK_WHEEL_DOWN)
			return ui_help_command(
				&s->help, m.click == UI_CLICK_WHEEL_UP ? UI_CMD_UP : UI_CMD_DOWN);
		return UI_HANDLED;
	}
	if (s->output_open)
		return m.click == UI_CLICK_WHEEL_UP || m.click == UI_CLICK_WHEEL_DOWN
			       ? ui_output_command(s->output,
					 m.click == UI_CLICK_WHEEL_UP ? UI_CMD_UP : UI_CMD_DOWN)
			       : UI_HANDLED;
	if (p->def->parts == 0)
		return click_overview(s, m);
	unsigned reply = p->ops->mouse(p, &s->shared, m);
	if (reply & UI_DRILL)
		ui_screen_go_in(s);
	return reply & ~(unsigned)UI_DRILL;
}

unsigned ui_screen_mouse(struct ui_screen *s, struct ui_mouse m)
{
	if (s->prompt.open || s->layout.too_small)
		return UI_IGNORED;
	s->message[0] = 0;
	if (s->menu.open) {
		if (m.click <= UI_CLICK_DOUBLE)
			ui_screen_choose(s, ui_menu_click(&s->menu, m.x, m.y));
		return UI_HANDLED;
	}
	bool press = m.click <= UI_CLICK_DOUBLE;
	if (m.click == UI_CLICK_RELEASE)
		return s->dragged_from >= 0 ? ui_strip_mouse(s, m) : UI_IGNORED;
	s->dragged_from = -1;
	if (press && ui_strip_has(s, m))
		return ui_strip_mouse(s, m);
	if (press && ui_rect_has(s->layout.tabs, m.x, m.y)) {
		int room = ui_room_line_at(s->layout.tabs, s->current, &s->shared, m.x);
		return room < 0 ? UI_IGNORED : ui_screen_command(s, ui_rooms[room].command);
	}
	if (press && ui_rect_has(s->layout.keys, m.x, m.y)) {
		enum ui_command cmd =
			ui_frame_key_at(s->layout.keys, ui_screen_scopes(s), &s->shared, m.x);
		return cmd == UI_CMD_NONE ? UI_IGNORED : ui_screen_command(s, cmd);
	}
	if (ui_rect_has(s->layout.body, m.x, m.y))
		return click_body(s, m);
	return UI_IGNORED;
}
