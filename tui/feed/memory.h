/* SPDX-License-Identifier: MIT */
/* Settings of the process's memory. */
#ifndef UI_MEMORY_H
#define UI_MEMORY_H

#include <stdint.h>

/*
 * For a program that reads a log of `bytes` once and ends: one arena, and no memory goes back to
 * the system before the end. Not for a program with a screen: drawing would wait for the readers'
 * allocations, 340 ms on a busy machine. Call before the first thread. Cannot fail: where useless,
 * nothing changes.
 */
void ui_memory_for_once(uint64_t bytes);

/*
 * Call now and then while the log is read, on the thread of ui_memory_for_once(): prepares memory
 * needed soon, in large pages where they are quick.
 */
void ui_memory_ahead(void);

#endif
