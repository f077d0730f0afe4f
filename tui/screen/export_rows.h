/*
 * Rows and frames as files: what a list shows, or what is tagged in it, as CSV, JSON, Markdown or text
 * by the file's ending, and the frame itself as text. The screen's thread.
 */
#ifndef UI_EXPORT_ROWS_H
#define UI_EXPORT_ROWS_H

struct ui_screen;

/*
 * Writes the rows; of a name that ends with .frame the frame, once it is drawn the next time. Asks the
 * model for rows that are not at hand. The message line says the outcome, errors, too.
 */
void ui_export(struct ui_screen *s, const char *path);
/* Writes the frame that was drawn to s->frame_to, which is empty then; errors as above. */
void ui_export_frame(struct ui_screen *s);

#endif
