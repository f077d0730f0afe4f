/* SPDX-License-Identifier: MIT */
/* The words of a command line with --on that are for the other machine. Pure; any thread. */
#ifndef UI_ON_WORDS_H
#define UI_ON_WORDS_H

#include "tui/app/options.h"

/* `profview --on WHERE [--send] VERB` is parsed as if the verb came first: moves them in argv. */
void ui_on_first(int argc, char *argv[]);

/*
 * The words for profview on the other machine, each with its NUL, to free(); NULL: out of memory.
 * Left out are --on and --send and, with a screen here, the options of the viewer, as the viewer
 * runs here.
 */
char *ui_on_words(
	int argc, char *const argv[], const struct ui_options *o, bool screen, size_t *ret_n);

#endif
