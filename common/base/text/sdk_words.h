/* SPDX-License-Identifier: MIT */
/*
 * `dotnet run` is a program of the SDK, with arguments after, that starts the program meant. Pure,
 * any thread; in the probe, too.
 */
#ifndef PV_BASE_SDK_WORDS_H
#define PV_BASE_SDK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* words: a command line of n bytes, with a 0 after each word. */
bool pv_words_are_sdks(const char *words, size_t n);

#endif
