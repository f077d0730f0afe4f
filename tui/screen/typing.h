/* SPDX-License-Identifier: MIT */
/*
 * Typed or pasted text where keys would run as commands. On the screen's thread; nothing is kept
 * and nothing fails.
 */
#ifndef UI_TYPING_H
#define UI_TYPING_H

#include <stdbool.h>

struct ui_screen;

/*
 * A key for a search or filter that is impossible here: a prompt takes the text typed for it, else
 * the text would run as commands. False: another key.
 */
bool ui_screen_refuses(struct ui_screen *s, int key);
/*
 * Whether pasted text may take the key: letters in a prompt. Otherwise no text runs as keys, and a
 * message says so.
 */
bool ui_screen_pastes(struct ui_screen *s, int key);

#endif
