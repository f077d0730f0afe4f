/* SPDX-License-Identifier: MIT */
/*
 * From a row to the rows of its evidence: a finding's, the events of a thread or a pause, an object
 * of the open heap shot. The place is remembered, and Backspace returns with range and filter as
 * before. The screen's thread.
 */
#ifndef UI_EVIDENCE_H
#define UI_EVIDENCE_H

#include "tui/screen/browser.h"

struct pv_row;
struct pv_table;
struct ui_pane;
struct ui_screen;

/* For a row of a table of findings; says so if the finding was not judged. Nothing for NULL. */
void ui_goto_evidence(struct ui_screen *s, const struct pv_table *t, const struct pv_row *row);
/* The events of the selected row's thread, or of the time in which the program stood still. */
void ui_goto_events(struct ui_screen *s, const struct ui_pane *p);
/* A list of a pane with a filter; the place, range and filter of now are remembered. */
void ui_goto_narrowed(struct ui_screen *s, size_t pane, int part, const char *filter);
/* Sets the range, a little wider: an empty time has something to show around. */
void ui_goto_narrow(struct ui_screen *s, int64_t from_ns, int64_t to_ns);
/* For the selected edge of waiting: the waiting thread and the holder, in the list of threads. */
void ui_goto_threads(struct ui_screen *s, const struct ui_pane *p);
/* For the selected wait for a lock: the calls of the lock's holder at the time, if known. */
void ui_goto_holder(struct ui_screen *s, const struct ui_pane *p);
/*
 * For the selected span: its thread and time become the range, waits included, in the first view of
 * times.
 */
void ui_goto_span_flame(struct ui_screen *s); /* the same to the flame, of the row at hand */
void ui_goto_span(struct ui_screen *s, const struct ui_pane *p);
/* The events of the selected kind, in the stream. */
void ui_goto_kind(struct ui_screen *s, const struct ui_pane *p);
/* For a row without a view of more: the events at the row's time, else a message. */
void ui_goto_nowhere(struct ui_screen *s, const struct ui_pane *p);
/* A place in the open heap shot. */
void ui_goto_shot(struct ui_screen *s, struct ui_browse_place to);

/*
 * goto.c: the number of a command's pane; puts the place on the way back; the same, then shows a
 * pane.
 */
/* From Home to the first view with a name that contains the text; a message if none has. */
void ui_goto_named(struct ui_screen *s, const char *text);
size_t ui_goto_index(enum ui_command cmd);
void ui_goto_remember(struct ui_screen *s);
void ui_goto_pane(struct ui_screen *s, enum ui_command pane);

#endif
