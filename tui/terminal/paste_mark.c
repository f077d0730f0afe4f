/* SPDX-License-Identifier: MIT */
/* Recognises the marks around pasted text, character by character. */
#include "tui/terminal/paste_mark.h"

#include <string.h>

static const char begins[] = "[200~", ends[] = "[201~";

enum { MARK = sizeof begins - 1, ASCII = 128 };

enum ui_paste ui_paste_feed(struct ui_paste_mark *m, unsigned long code)
{
	m->held[m->n++] = (char)(code < ASCII ? code : '?');
	m->held[m->n] = 0;
	const bool begin = strncmp(m->held, begins, m->n) == 0;
	if (!begin && strncmp(m->held, ends, m->n) != 0)
		return UI_PASTE_NONE;
	if (m->n < MARK)
		return UI_PASTE_MORE;
	m->n = 0;
	return begin ? UI_PASTE_BEGIN : UI_PASTE_END;
}

bool ui_paste_hold(struct ui_paste_mark *m, const char *sequence)
{
	enum ui_paste is = UI_PASTE_NONE;
	m->n = 0;
	for (; *sequence; sequence++) {
		is = ui_paste_feed(m, (unsigned char)*sequence);
		if (is != UI_PASTE_MORE)
			break;
	}
	if (is != UI_PASTE_MORE)
		m->n = 0;
	return is == UI_PASTE_MORE;
}
