/* Settings of the process's memory. */
#ifndef UI_MEMORY_H
#define UI_MEMORY_H

#include <stdint.h>

/*
 * For a program that reads a log of `bytes` once and ends: its heap is one, and nothing of it goes
 * back before the end. Not where a screen is drawn: it would wait for those who read when they want
 * memory, 340 ms on a busy machine. Before the first thread; it cannot fail: where it is of no use,
 * things are as without it.
 */
void ui_memory_for_once(uint64_t bytes);

/*
 * Now and then while the log is read, by the thread that called the former: memory that will soon
 * be needed, in large pages where these are quickly had.
 */
void ui_memory_ahead(void);

#endif
