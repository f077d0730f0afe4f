/* SPDX-License-Identifier: MIT */
/* Private to the command line: a value becomes a member. Texts are borrowed. Main thread. */
#ifndef UI_OPTIONS_SET_H
#define UI_OPTIONS_SET_H

#include "tui/app/options.h"

struct ui_parse {
	struct ui_options *o;
	struct pv_error *err;
	const struct ui_option_row *row; /* of the option at hand */
};

/* Parses a decimal number up to `max`, with nothing after the digits. False: not such a number. */
bool ui_number(const char *text, uint64_t max, uint64_t *ret);

/* Stores `value` (NULL: none) in the row's member. False: p->err says which values are valid. */
bool ui_option_set(const struct ui_parse *p, const char *value);

#endif
