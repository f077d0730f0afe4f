/* SPDX-License-Identifier: MIT */
/*
 * Programs that only start another one: env, timeout, nice, a shell with -c. Their command line
 * names the final program, for the choice of the probe. Pure: any thread.
 */
#ifndef PV_TARGET_STARTER_H
#define PV_TARGET_STARTER_H

#include <stdbool.h>

enum pv_starter {
	PV_STARTER_NONE,    /* the command itself is meant */
	PV_STARTER_FOUND,   /* starts `command` */
	PV_STARTER_GUESSED, /* a shell's line: probably `command` */
	PV_STARTER_UNKNOWN, /* starts something unknown (make, npm, a shell that reads a file) */
};

enum { PV_STARTER_WORD = 1024 };

/*
 * Finds the command that `words` (ends with NULL) start, after any number of starters. FOUND and
 * GUESSED: its first word is in `command`. *ret_cleans: env(1) drops the environment, or parts that
 * a probe needs.
 */
enum pv_starter pv_starter_look(
	char *const *words, char command[PV_STARTER_WORD], bool *ret_cleans);

#endif
