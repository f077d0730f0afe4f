/* SPDX-License-Identifier: MIT */
/* Keys, the mouse, marks of pasted text and answers, as the terminal sends them. */
#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <wchar.h>
#include <wctype.h>

#include "tui/terminal/ground.h"
#include "tui/terminal/term_parts.h"

enum { OWED_DELAY_MS = 250, DOUBLE_CLICK_MS = 400 };

static int special(int code)
{
	static const struct {
		int code, key;
	} map[] = {
		{ KEY_UP, UI_KEY_UP },
		{ KEY_DOWN, UI_KEY_DOWN },
		{ KEY_LEFT, UI_KEY_LEFT },
		{ KEY_RIGHT, UI_KEY_RIGHT },
		{ KEY_HOME, UI_KEY_HOME },
		{ KEY_END, UI_KEY_END },
		{ KEY_PPAGE, UI_KEY_PGUP },
		{ KEY_NPAGE, UI_KEY_PGDN },
		{ KEY_DC, UI_KEY_DEL },
		{ KEY_BTAB, UI_KEY_BACKTAB },
		{ KEY_BACKSPACE, UI_KEY_BACKSPACE },
		{ KEY_ENTER, UI_KEY_ENTER },
		{ KEY_MOUSE, UI_KEY_MOUSE },
	};
	for (size_t i = 0; i < PV_COUNT_OF(map); i++)
		if (map[i].code == code)
			return map[i].key;
	if (code > KEY_F0 && code <= KEY_F0 + 12)
		return UI_KEY_F0 + (code - KEY_F0);
	return UI_KEY_NONE;
}

static bool is_double(struct ui_term *t, int x, int y)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	long ms = (long)(now.tv_sec - t->click_time.tv_sec) * 1000 +
		  (now.tv_nsec - t->click_time.tv_nsec) / 1000000;
	bool again = x == t->click_x && y == t->click_y && ms < DOUBLE_CLICK_MS;
	t->click_x = again ? -1 : x; /* a third click begins anew */
	t->click_y = y;
	t->click_time = now;
	return again;
}

static bool mouse(struct ui_term *t, struct ui_mouse *ret)
{
	MEVENT e;
	if (getmouse(&e) != OK)
		return false;
	*ret = (struct ui_mouse){ .x = e.x, .y = e.y };
	if (e.bstate & BUTTON4_PRESSED)
		ret->click = UI_CLICK_WHEEL_UP;
	else if (e.bstate & BUTTON5_PRESSED)
		ret->click = UI_CLICK_WHEEL_DOWN;
	else if (e.bstate & BUTTON1_PRESSED)
		ret->click = is_double(t, e.x, e.y) ? UI_CLICK_DOUBLE : UI_CLICK_PRESS;
	else if (e.bstate & BUTTON1_RELEASED)
		ret->click = UI_CLICK_RELEASE;
	else
		return false;
	return true;
}

/* Parses "<0;12;34M": a mouse event with its place in digits. */
static bool mouse_in_digits(struct ui_term *t, const char *text, struct ui_mouse *ret)
{
	unsigned button;
	char end;
	if (sscanf(text, "<%u;%d;%d%c", &button, &ret->x, &ret->y, &end) != 4)
		return false;
	ret->x--;
	ret->y--;
	button &= ~28U; /* Shift, Alt, Ctrl */
	if (button == 64 || button == 65)
		ret->click = button == 64 ? UI_CLICK_WHEEL_UP : UI_CLICK_WHEEL_DOWN;
	else if (button == 0 && end == 'M')
		ret->click = is_double(t, ret->x, ret->y) ? UI_CLICK_DOUBLE : UI_CLICK_PRESS;
	else if (button == 0)
		ret->click = UI_CLICK_RELEASE;
	return button == 0 || button >= 64;
}

/* A line that owes an answer is slow, and may bring sequences in pieces. */
static int sequence_delay(const struct ui_term *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec < t->owed_until.tv_sec ? OWED_DELAY_MS : ESC_DELAY_MS;
}

/* The next character of a sequence; waits for the second part of a cut sequence. */
static wint_t next_in_sequence(const struct ui_term *t)
{
	wint_t code;
	struct pollfd p = { .fd = t->fd, .events = POLLIN };
	if (get_wch(&code) == OK)
		return code;
	return poll(&p, 1, sequence_delay(t)) > 0 && get_wch(&code) == OK ? code : 0;
}

/*
 * Takes an overdue answer about the background, to its end: "11;rgb:1616/1818/1d1d" and ESC \ or
 * BEL.
 */
static bool take_answer(const struct ui_term *t)
{
	wint_t code = next_in_sequence(t);
	if (!code)
		return false;
	for (int n = 0; n < 64 && code && (iswalnum(code) || wcschr(L":;/", (wchar_t)code)); n++)
		code = next_in_sequence(t);
	if (code == UI_KEY_ESC)
		next_in_sequence(t);
	return true;
}

/*
 * Keys typed before curses listened are plain bytes, in the terminal's default sequences:
 * terminfo's were not asked for yet.
 */
static int early_key(const char *text)
{
	static const char letters[] = "ABCDHF";
	static const int keys[] = { UI_KEY_UP, UI_KEY_DOWN, UI_KEY_RIGHT, UI_KEY_LEFT, UI_KEY_HOME,
		UI_KEY_END };
	char all[40];
	snprintf(all, sizeof all, "\033%s", text);
	const int code = key_defined(all);
	const char *at = text[0] && text[1] && !text[2] ? strchr(letters, text[1]) : NULL;
	return code > 0 ? special(code) : at ? keys[at - letters] : UI_KEY_NONE;
}

/* "OP", a function key; other characters are given back, the O too. */
static bool take_early_function(const struct ui_term *t, int *ret)
{
	const wint_t code = next_in_sequence(t);
	const char text[] = { 'O', (char)(code < 128 ? code : 0), 0 };
	*ret = early_key(text);
	if (*ret == UI_KEY_NONE && code)
		unget_wch((wchar_t)code);
	return *ret != UI_KEY_NONE;
}

/*
 * Reads a sequence after ESC: unread, an unknown sequence would act as keys. *ret is the key of the sequence,
 * NONE if unknown here. False: ESC was a key.
 */
static bool take_sequence(struct ui_term *t, struct ui_mouse *ret_mouse, int *ret)
{
	char text[32];
	size_t n = 0;
	wint_t code;
	if (get_wch(&code) != OK &&
		(sequence_delay(t) == ESC_DELAY_MS || !(code = next_in_sequence(t))))
		return false;
	if (code == ']' && take_answer(t)) {
		*ret = UI_KEY_NONE;
		return true;
	}
	if (code == 'O' && take_early_function(t, ret))
		return true;
	if (code != '[') {
		unget_wch((wchar_t)code);
		return false;
	}
	text[n++] = '[';
	do {
		code = next_in_sequence(t);
		if (n + 1 < sizeof text)
			text[n++] = (char)(code < 128 ? code : '?');
	} while (code >= ' ' && code < '@');
	text[n] = 0;
	if (strcmp(text, "[0n") == 0)
		ui_term_out_answered(&t->out, ui_term_now_ns());
	if (strcmp(text, "[200~") == 0 || strcmp(text, "[201~") == 0)
		t->pasting = text[3] == '0';
	if (text[1] == '?' && text[n - 1] == 'c')
		t->owed_until.tv_sec = 0;
	if (!code)
		ui_paste_hold(&t->mark, text);
	*ret = mouse_in_digits(t, text + 1, ret_mouse) ? UI_KEY_MOUSE : early_key(text);
	return true;
}

/*
 * Takes the rest of a mark whose first piece was taken already, or a mark without its ESC, taken
 * for the key before. Within pasted text the latter is text. False: `code` is a key.
 */
static bool take_mark(struct ui_term *t, wint_t code)
{
	const bool owed = t->mark.n > 0;
	const unsigned before = t->mark.n;
	if (!owed && (t->pasting || code != '['))
		return false;
	enum ui_paste is = ui_paste_feed(&t->mark, code);
	while (is == UI_PASTE_MORE && (code = next_in_sequence(t)) != 0)
		is = ui_paste_feed(&t->mark, code);
	if (is == UI_PASTE_BEGIN || is == UI_PASTE_END)
		t->pasting = is == UI_PASTE_BEGIN;
	if (is == UI_PASTE_BEGIN || is == UI_PASTE_END || (is == UI_PASTE_MORE && owed))
		return true;
	/* The characters after the key are given back; the last, if beyond ASCII, as read. */
	if (code && t->mark.n > before + 1) {
		unget_wch((wchar_t)code);
		t->mark.n--;
	}
	while (t->mark.n > before + 1)
		unget_wch((wchar_t)t->mark.held[--t->mark.n]);
	t->mark.n = 0;
	return false;
}

bool ui_term_pasted(const struct ui_term *t)
{
	return t->pasting;
}

int ui_term_key(struct ui_term *t, struct ui_mouse *ret_mouse)
{
	for (;;) {
		wint_t code;
		int r = get_wch(&code);
		if (r == ERR) {
			t->empty_reads++;
			return UI_KEY_NONE;
		}
		t->empty_reads = 0;
		if (r == OK && take_mark(t, code))
			continue;
		int key = r == KEY_CODE_YES              ? special((int)code)
			  : code == '\n' || code == '\r' ? UI_KEY_ENTER
			  : code == 8                    ? UI_KEY_BACKSPACE
							 : (int)code;
		if (key == UI_KEY_MOUSE && !mouse(t, ret_mouse))
			continue;
		if (key == UI_KEY_ESC && take_sequence(t, ret_mouse, &key) && key == UI_KEY_NONE)
			continue;
		if (key == UI_KEY_ESC)
			t->pasting = false; /* even if the mark of the end was lost */
		if (key != UI_KEY_NONE)
			return key;
	}
}
