/* SPDX-License-Identifier: MIT */
/* The background of the terminal, asked for before curses reads keys. The main thread. */
#ifndef UI_GROUND_H
#define UI_GROUND_H

#include "tui/draw/theme.h"

struct ui_ground_answer {
	bool known;
	enum ui_ground ground;
	bool owed;       /* the answer may still come */
	char other[256]; /* came meanwhile: keys */
	size_t n;
};

/* Asks, and waits 100 ms at most. */
void ui_ground_ask(int in, int out, struct ui_ground_answer *ret);

/* By COLORFGBG; dark where unknown. */
enum ui_ground ui_ground_of_environment(void);

#endif
