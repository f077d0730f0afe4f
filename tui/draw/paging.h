/* Keys that move through lines of text. Pure; the screen's thread. */
#ifndef UI_DRAW_PAGING_H
#define UI_DRAW_PAGING_H

#include <stdbool.h>

#include "tui/draw/commands.h"

/*
 * The line that comes to the top by the command, into *ret, not kept within the text yet: from `top`
 * of `n` lines, by pages of `page` and halves of `half`. False: the command is none of these.
 */
bool ui_paged(enum ui_command cmd, long top, long page, long half, long n, long *ret);

#endif
