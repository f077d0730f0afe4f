/*
 * The words that each of our probes understands, so that one that is not is refused before a
 * program starts. The table is that of the probes' own parsers (managed_args.c, clr_args.c,
 * native_args.c, probe_args.c); tests/target/test_words.c compares them. Pure: any
 * thread.
 */
#ifndef PV_TARGET_WORDS_H
#define PV_TARGET_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Bits: the probe of which host. */
enum pv_host { PV_HOST_NATIVE = 1, PV_HOST_MONO = 2, PV_HOST_DOTNET = 4 };

enum { PV_WORDS_WHY = 800 };

/*
 * Whether one of `hosts` understands each of the words ("fields,sample=200"). False: `why` names
 * the first that is not, and what would be understood.
 */
bool pv_words_check(const char *words, unsigned hosts, char why[PV_WORDS_WHY]);

/* The words that this host understands, of several; false: no room. */
bool pv_words_for(const char *words, enum pv_host host, char *to, size_t room);

#endif
