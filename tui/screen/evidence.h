/*
 * From a row to the rows that it rests on: a finding's evidence, the events of a thread or a pause,
 * an object of the open heap shot. The place is remembered,
 * and Backspace returns with range and filter as they were. The screen's thread.
 */
#ifndef UI_EVIDENCE_H
#define UI_EVIDENCE_H

#include "tui/screen/browser.h"

struct pv_row;
struct pv_table;
struct ui_pane;
struct ui_screen;

/* Of a row of a table of findings; says so where it was not judged. Nothing for NULL. */
void ui_goto_evidence(struct ui_screen *s, const struct pv_table *t, const struct pv_row *row);
/* The events of the selected row's thread, or those while the program stood still. */
void ui_goto_events(struct ui_screen *s, const struct ui_pane *p);
/* A list of a pane with a filter; the place, range and filter of now are remembered. */
void ui_goto_narrowed(struct ui_screen *s, size_t pane, int part, const char *filter);
/* The range becomes this one; a time of no length still has something to see around it. */
void ui_goto_narrow(struct ui_screen *s, int64_t from_ns, int64_t to_ns);
/* Of the selected edge: the thread that waited and the one it waited for, in the list of threads. */
void ui_goto_threads(struct ui_screen *s, const struct ui_pane *p);
/* Of the selected wait for a lock: the calls of its holder at that time, if it is known. */
void ui_goto_holder(struct ui_screen *s, const struct ui_pane *p);
/* Of the selected span: its thread and time become the range, waits included, in the first view of it. */
void ui_goto_span(struct ui_screen *s, const struct ui_pane *p);
/* Of the selected kind of events: those in the stream. */
void ui_goto_kind(struct ui_screen *s, const struct ui_pane *p);
/* Of a row that no view shows more of: the events at its time; where it has none, says so. */
void ui_goto_nowhere(struct ui_screen *s, const struct ui_pane *p);
/* A place in the heap shot that is open. */
void ui_goto_shot(struct ui_screen *s, struct ui_browse_place to);

/* goto.c: the number of a command's pane; the place is put on the way back, then that pane shown. */
/* From Home to the first view with a name that has the text in it; says where there is none. */
void ui_goto_named(struct ui_screen *s, const char *text);
size_t ui_goto_index(enum ui_command cmd);
void ui_goto_remember(struct ui_screen *s);
void ui_goto_pane(struct ui_screen *s, enum ui_command pane);

#endif
