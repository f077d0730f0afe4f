/* SPDX-License-Identifier: MIT */
/*
 * The marks around pasted text, ESC [200~ and ESC [201~, when they come in pieces: a slow line or a
 * full terminal cuts a mark in two, and the first piece may have been taken for a key. The screen's
 * thread; nothing is allocated.
 */
#ifndef PV_UI_PASTE_MARK_H
#define PV_UI_PASTE_MARK_H

#include <stdbool.h>

enum ui_paste {
	UI_PASTE_NONE,  /* no mark: all held characters are the caller's again */
	UI_PASTE_MORE,  /* may become a mark */
	UI_PASTE_BEGIN, /* the text begins; nothing is held any more, as with END */
	UI_PASTE_END,
};

/* Zeroed: nothing is held. */
struct ui_paste_mark {
	char held[8]; /* without the ESC, ends with 0 */
	unsigned n;
};

/*
 * Takes the next character. With NONE, `held` includes the character, and the caller empties `held`
 * (n = 0).
 */
enum ui_paste ui_paste_feed(struct ui_paste_mark *m, unsigned long code);

/* Holds a sequence that broke off, "[20"; false: not the start of a mark, nothing is held. */
bool ui_paste_hold(struct ui_paste_mark *m, const char *sequence);

#endif
