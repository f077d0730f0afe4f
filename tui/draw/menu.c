/* SPDX-License-Identifier: MIT */
/* A menu over the pane: keys, clicks, drawing. */
#include "tui/draw/menu.h"

#include "common/base/text/showable.h"
#include "tui/draw/key.h"

enum ui_menu_answer ui_menu_key(struct ui_menu *m, int key)
{
	switch (key) {
	case UI_KEY_DOWN:
	case 'j':
		m->at = m->at + 1 < m->n ? m->at + 1 : 0;
		return UI_MENU_OPEN;
	case UI_KEY_UP:
	case 'k':
		m->at = m->at > 0 ? m->at - 1 : m->n - 1;
		return UI_MENU_OPEN;
	case UI_KEY_ENTER:
		m->open = false;
		return UI_MENU_CHOSEN;
	case UI_KEY_ESC:
	case 'q':
		m->open = false;
		return UI_MENU_CLOSED;
	default:
		return UI_MENU_OPEN;
	}
}

enum ui_menu_answer ui_menu_click(struct ui_menu *m, int x, int y)
{
	size_t row = (size_t)(y - m->drawn.y - 1) + m->top;
	m->open = false;
	if (!ui_rect_has(ui_inset(m->drawn, 1, 1), x, y) || row >= m->n)
		return UI_MENU_CLOSED;
	m->at = row;
	return UI_MENU_CHOSEN;
}

void ui_menu_draw(struct ui_menu *m, struct ui_canvas *c, struct ui_rect over)
{
	int w = pv_showable_cells(m->title) + 6;
	for (size_t i = 0; i < m->n; i++)
		w = ui_max(w, pv_showable_cells(m->item[i]) + 4);
	struct ui_rect r = ui_rows(ui_cols(over, 2, w), 0, (int)m->n + 2);
	ui_clear(c, r, UI_PLAIN);
	struct ui_rect in = ui_box(c, r, m->title);
	m->drawn = r;
	/* A menu longer than the pane shows the part around the cursor. */
	m->top = m->at >= (size_t)in.h ? m->at - (size_t)in.h + 1 : 0;
	for (int y = 0; y < in.h && m->top + (size_t)y < m->n; y++) {
		struct ui_rect line = ui_rows(in, y, 1);
		ui_put(c, ui_cols(line, 1, line.w - 1), UI_PLAIN, m->item[m->top + (size_t)y]);
		if (m->top + (size_t)y == m->at)
			ui_mark(c, line, UI_SELECTED);
	}
}
