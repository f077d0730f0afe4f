/* Commands that change what a user has set (tui/draw/settings.h). The screen's thread. */
#ifndef UI_SETTINGS_KEYS_H
#define UI_SETTINGS_KEYS_H

#include <stdbool.h>

#include "tui/draw/commands.h"

#include "tui/draw/canvas.h"

struct ui_screen;

/* As far as the terminal has them: ASCII where it has nothing else, blocks where it has no Braille. */
void ui_screen_draw_with(struct ui_screen *s, enum ui_glyphs wish);

/* Without a word. Bits of enum ui_reply; UI_IGNORED: not one of its commands. */
unsigned ui_settings_command(struct ui_screen *s, enum ui_command cmd);
/* With one; false: not one of its commands. */
bool ui_settings_typed(struct ui_screen *s, enum ui_command cmd, const char *word);

#endif
