/*
 * The events of a log that are wanted, as words, of which all must hold. "kind:gc", "thread:worker", else
 * part of the kind, the thread or the text; "!word" must not hold, "two words" is one. Case is
 * ignored. Pure.
 */
#ifndef PV_MODEL_EVENT_FILTER_H
#define PV_MODEL_EVENT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/format/event.h"

enum { PV_EVENT_WORDS = 16, PV_EVENT_FILTER_MAX = 256 };

struct pv_event_filter {
	char text[PV_EVENT_FILTER_MAX]; /* the words, each ended by a NUL */
	struct pv_event_word {
		uint8_t of; /* 0 anything, else a field */
		bool not;
		uint16_t at;
	} word[PV_EVENT_WORDS];
	unsigned words;
	bool kind[PV_KIND_COUNT]; /* those that the words about kinds leave */
	bool lines;               /* some words are about more than the kind */
};

/* Words beyond the limits are left out. NULL and "" let everything through. */
void pv_event_filter_parse(const char *words, struct pv_event_filter *ret);

/* The kind is one of `kind` already. */
bool pv_event_filter_has(
	const struct pv_event_filter *f, unsigned kind, const char *thread, const char *line);

#endif
