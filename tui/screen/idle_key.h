/* SPDX-License-Identifier: MIT */
/*
 * A key without effect says why. The effect is seen by comparing the screen's state before and
 * after the key, not by each command. One thread.
 */
#ifndef UI_IDLE_KEY_H
#define UI_IDLE_KEY_H

#include <stdint.h>

#include "tui/draw/commands.h"

struct ui_screen;

/* A hash of the visible state that keys can change. */
uint64_t ui_idle_hash(const struct ui_screen *s);

/*
 * Says in the message line why the command did nothing; UI_CMD_NONE: the key means nothing here.
 * `key` UI_KEY_NONE: the command was typed.
 */
void ui_idle_say(struct ui_screen *s, int key, enum ui_command cmd);

/* Explains a key (as written by people) here. */
void ui_idle_which(struct ui_screen *s, const char *key);

/* Confirms a command whose effect may not be visible. */
void ui_idle_confirm(struct ui_screen *s, enum ui_command cmd);

#endif
