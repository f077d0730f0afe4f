/* SPDX-License-Identifier: MIT */
/*
 * Times on the screen: since the recording's start, "00:01:12.004", or of the day, "@14:05:30.004",
 * in the zone of TZ, in the form of --range and :range. One switch for the whole screen, on the
 * screen's thread. Nothing fails: a time outside of any calendar is shown since the start.
 */
#ifndef UI_CLOCK_H
#define UI_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of the day from now on, with the start of the recording, ms since 1970; 0: since the start. */
void ui_clock_set(int64_t start_ms);
bool ui_clock_on(void);
/* A time since the start, ns. Returns `buf`, the caller's. */
const char *ui_clock_text(char *buf, size_t size, int64_t ns);
/* Of the day, to the microsecond. Returns `buf`, the caller's. */
const char *ui_clock_us(char *buf, size_t size, int64_t ns);
/* Of the day, with no more digits than are not 0. Returns `buf`, the caller's. */
const char *ui_clock_short(char *buf, size_t size, int64_t ns);

#endif
