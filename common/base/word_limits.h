/* SPDX-License-Identifier: MIT */
/* Limits of the words of the probes: PV_LEAST_SAMPLE, PV_MOST_SAMPLE, PV_USUAL_SAMPLE and so on. */
#ifndef PV_WORD_LIMITS_H
#define PV_WORD_LIMITS_H

enum {
#define WORD(symbol, word, hosts, kind, least, most, usual, ...)                                   \
	PV_LEAST_##symbol = least, PV_MOST_##symbol = most, PV_USUAL_##symbol = usual,
#include "common/base/words.def"
};

#endif
