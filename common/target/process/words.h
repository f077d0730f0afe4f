/* SPDX-License-Identifier: MIT */
/*
 * The words that each of our probes understands, to refuse others before a program starts: by the
 * rows of common/base/words.def, as the probes' own parsers (managed_args.c, clr_args.c,
 * native_args.c, probe_args.c). Pure: any thread.
 */
#ifndef PV_TARGET_WORDS_H
#define PV_TARGET_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Bits: the host of the probe. */
enum pv_host { PV_HOST_NATIVE = 1, PV_HOST_MONO = 2, PV_HOST_DOTNET = 4 };

enum { PV_WORDS_WHY = 800 };

/*
 * Whether one of `hosts` understands each of the words ("fields,sample=200"). False: `why` names
 * the first unknown one, and the known ones.
 */
bool pv_words_check(const char *words, unsigned hosts, char why[PV_WORDS_WHY]);

/* The words that this host understands, of several; false: no room. */
bool pv_words_for(const char *words, enum pv_host host, char *to, size_t room);

#endif
