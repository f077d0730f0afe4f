/* What the process asks of the system for its memory. */
#ifndef UI_MEMORY_H
#define UI_MEMORY_H

/*
 * For a program that reads a log once and ends: its heap is one, and nothing of it goes back before
 * the end. Before the first thread; it cannot fail: where it is of no use, things are as without it.
 */
void ui_memory_for_once(void);

#endif
