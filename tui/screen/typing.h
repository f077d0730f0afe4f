/*
 * Text that is typed or pasted where it would run as keys. On the screen's thread; nothing is kept
 * and nothing fails.
 */
#ifndef UI_TYPING_H
#define UI_TYPING_H

#include <stdbool.h>

struct ui_screen;

/*
 * A key of a search or a filter that does not hold here: a prompt takes what is typed for it, which
 * would run as commands. False: it is none.
 */
bool ui_screen_refuses(struct ui_screen *s, int key);
/* Whether pasted text may take that key: letters in a prompt; no text runs as keys, which is said. */
bool ui_screen_pastes(struct ui_screen *s, int key);

#endif
