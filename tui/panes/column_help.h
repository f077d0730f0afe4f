/* Explanations of the columns of panes: the rows of columns.def. Pure; any thread. */
#ifndef UI_COLUMN_HELP_H
#define UI_COLUMN_HELP_H

/* Of a view and a column by their ids; a literal. NULL: there is no text. */
const char *ui_column_help(const char *view, const char *id);

#endif
