/* SPDX-License-Identifier: MIT */
/* Keys that move through lines of text. Pure; the screen's thread. */
#ifndef UI_DRAW_PAGING_H
#define UI_DRAW_PAGING_H

#include <stdbool.h>

#include "tui/draw/commands.h"

/*
 * The new top line after a command, into *ret, not clipped to the text: from `top` of `n` lines, by
 * pages of `page` and halves of `half`. False: no such command.
 */
bool ui_paged(enum ui_command cmd, long top, long page, long half, long n, long *ret);

#endif
