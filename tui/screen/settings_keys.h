/* SPDX-License-Identifier: MIT */
/* Commands that change the user's settings (tui/draw/settings.h). The screen's thread. */
#ifndef UI_SETTINGS_KEYS_H
#define UI_SETTINGS_KEYS_H

#include <stdbool.h>

#include "tui/draw/commands.h"

#include "tui/draw/canvas.h"
#include "tui/draw/menu.h"

struct ui_screen;

/*
 * Sets the characters, as far as the terminal can show them: ASCII if nothing else, blocks if no
 * Braille.
 */
void ui_screen_draw_with(struct ui_screen *s, enum ui_glyphs wish);

/* Without a word. Bits of enum ui_reply; UI_IGNORED: not a command of this file. */
unsigned ui_settings_command(struct ui_screen *s, enum ui_command cmd);
/* With a word; false: not a command of this file. */
bool ui_settings_typed(struct ui_screen *s, enum ui_command cmd, const char *word);
/* Takes the answer of the menu of columns; false: another menu is open. */
bool ui_settings_chose(struct ui_screen *s, enum ui_menu_answer answer);

#endif
