/* SPDX-License-Identifier: MIT */
/*
 * Keys as numbers, and as text: "j", "<Down>", "<C-l>", "<F1>". Printable keys are their code
 * points, Ctrl-letter is 1..26. Pure: any thread.
 */
#ifndef UI_KEY_H
#define UI_KEY_H

#include <stdbool.h>
#include <stddef.h>
enum ui_key {
	UI_KEY_NONE = 0,
	UI_KEY_TAB = 9,
	UI_KEY_ENTER = 13,
	UI_KEY_ESC = 27,
	UI_KEY_BACKSPACE = 127,
	UI_KEY_SPECIAL = 0x200000, /* above all code points */
	UI_KEY_UP,
	UI_KEY_DOWN,
	UI_KEY_LEFT,
	UI_KEY_RIGHT,
	UI_KEY_HOME,
	UI_KEY_END,
	UI_KEY_PGUP,
	UI_KEY_PGDN,
	UI_KEY_DEL,
	UI_KEY_BACKTAB,
	UI_KEY_MOUSE,         /* the event itself is fetched separately, see term.h */
	UI_KEY_F0 = 0x200100, /* + n */
};

/* Whether the key is a character. */
static inline bool ui_key_printable(int key)
{
	return key >= ' ' && key != UI_KEY_BACKSPACE && key < UI_KEY_SPECIAL;
}

enum ui_click {
	UI_CLICK_PRESS,
	UI_CLICK_DOUBLE,
	UI_CLICK_WHEEL_UP,
	UI_CLICK_WHEEL_DOWN,
	UI_CLICK_RELEASE
};

struct ui_mouse {
	int x, y;
	enum ui_click click;
};

/*
 * Takes one key from the front of `text`; returns the bytes taken, 0: none (end, or unknown name).
 * "<3j>" and "<10Down>" are a key with a count, *ret_times. A literal '<' is "<lt>".
 */
size_t ui_key_parse(const char *text, int *ret_key, unsigned *ret_times);

/*
 * The key's name, for help: "Down", "Ctrl-L", "F1", "j". Returns `buf`, the caller's, never NULL.
 */
const char *ui_key_name(int key, char *buf, size_t size);

#endif
