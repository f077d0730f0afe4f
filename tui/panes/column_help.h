/* SPDX-License-Identifier: MIT */
/* Explanations of the columns of panes. Pure; any thread. */
#ifndef UI_COLUMN_HELP_H
#define UI_COLUMN_HELP_H

struct pv_column;

/* A literal: the column's own text, or the common text of its id. NULL: no text. */
const char *ui_column_help(const struct pv_column *c);

#endif
