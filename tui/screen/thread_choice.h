/* SPDX-License-Identifier: MIT */
/* One thread for all views: typed, or chosen with a time in the timeline. The screen's thread. */
#ifndef UI_THREAD_CHOICE_H
#define UI_THREAD_CHOICE_H

#include "tui/screen/screen.h"

/*
 * Takes "main" (all of this name), a part of a unique name, "0x1f", or "all"; a message for other
 * text.
 */
void ui_thread_typed(struct ui_screen *s, const char *text);
/* All threads of the program, asked at once: pv_table_destroy(). NULL: none can be had. */
struct pv_table *ui_threads_now(struct ui_screen *s);

/*
 * The chosen cells of the timeline: time and thread become the range. Backspace, back to the place
 * remembered before, restores the old range. False: no cell is chosen.
 */
bool ui_thread_choose_time(struct ui_screen *s);
/* goto.c: the same, and the place is remembered. */
void ui_screen_take_time(struct ui_screen *s);

/*
 * Chooses all threads of a name; a name too long for a range stands for all names that begin so.
 * Does nothing without such a thread.
 */
void ui_threads_set(struct ui_screen *s, const char *name);
/* Their native ids now; free(). NULL: there is none, or out of memory. */
uint64_t *ui_threads_named(struct ui_screen *s, const char *name, size_t *ret_n);
/* The name of a thread, by its native id; without a name the id. */
void ui_thread_name(struct ui_screen *s, uint64_t id, char *to, size_t size);
/* Only this thread in all views, by its native id; then all threads again. */
void ui_thread_set(struct ui_screen *s, uint64_t id, const char *name);
void ui_thread_clear(struct ui_screen *s);

#endif
