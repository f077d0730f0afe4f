/* SPDX-License-Identifier: MIT */
/* Fewer bytes for the same picture. Pure: any thread. */
#ifndef UI_SQUEEZE_H
#define UI_SQUEEZE_H

#include <stddef.h>

/*
 * Sequences of a terminal's output that set attributes and colours: adjacent sequences become one,
 * without settings that a later sequence undoes. The choice of a character set already in use is
 * dropped. Works in place; returns the new length.
 */
size_t ui_squeeze(char *text, size_t n);

#endif
