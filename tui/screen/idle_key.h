/*
 * A key that changes nothing says why. Whether it has changed anything is decided by what the
 * screen is about before and after it, not by each command. One thread.
 */
#ifndef UI_IDLE_KEY_H
#define UI_IDLE_KEY_H

#include <stdint.h>

#include "tui/draw/commands.h"

struct ui_screen;

/* Visible state that keys can change, as one number. */
uint64_t ui_idle_hash(const struct ui_screen *s);

/*
 * Says in the message line why the command did nothing; UI_CMD_NONE: the key means nothing here.
 * `key` UI_KEY_NONE: the command was typed.
 */
void ui_idle_say(struct ui_screen *s, int key, enum ui_command cmd);

/* Says what a key, as people write it, does here. */
void ui_idle_which(struct ui_screen *s, const char *key);

/* The command did something that may not be seen: says so. */
void ui_idle_confirm(struct ui_screen *s, enum ui_command cmd);

#endif
