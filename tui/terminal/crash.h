/* SPDX-License-Identifier: MIT */
/*
 * Restores the terminal, should profview end by a fault of its own or by SIGQUIT. One global, since
 * signal handlers get no argument. Main thread only; nothing here fails.
 */
#ifndef UI_CRASH_H
#define UI_CRASH_H

#include <stdbool.h>

/* Keeps the settings of the terminal `fd`, before curses changes them. */
void ui_crash_save(int fd);
/* From here on a crash restores `fd`, with terminfo's strings for the current terminal. */
void ui_crash_arm(int fd);
void ui_crash_disarm(void);
/* While the program is stopped, the terminal is the shell's: nothing is restored. */
void ui_crash_pause(bool on);

#endif
