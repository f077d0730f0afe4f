/* SPDX-License-Identifier: MIT */
/*
 * Rows and frames as files: the rows of a list, or its tagged rows, as CSV, JSON, Markdown or text
 * by the file's ending, and the frame itself as text. The screen's thread.
 */
#ifndef UI_EXPORT_ROWS_H
#define UI_EXPORT_ROWS_H

struct ui_screen;

/*
 * Writes the rows; for a name that ends with .frame the next frame drawn. Asks the model for rows
 * not at hand. The message line shows the outcome, also errors.
 */
void ui_export(struct ui_screen *s, const char *path);
/* Writes the drawn frame to s->frame_to, and empties s->frame_to; errors as above. */
void ui_export_frame(struct ui_screen *s);

#endif
