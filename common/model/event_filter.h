/*
 * The events of a log that are wanted, in the language of filters (base/filter.h): kind:, thread:
 * (name and id) and words, which are looked for in the kind, the thread and the text; method:, class:,
 * stack: and the others in the text; numbers (event_number.h) are compared. One that is made may be
 * asked from any thread.
 */
#ifndef PV_MODEL_EVENT_FILTER_H
#define PV_MODEL_EVENT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/filter.h"
#include "common/format/batch.h"

struct pv_event_filter {
	struct pv_filter *f;
	bool kind[PV_KIND_COUNT]; /* those of which events may pass */
};

/*
 * NULL and "" let everything through. False with *reterr: no filter; finish it then, too.
 */
bool pv_event_filter_make(struct pv_event_filter *ret, const char *text, enum pv_filter_way way,
	struct pv_filter_error *reterr);
void pv_event_filter_finish(struct pv_event_filter *f);

/* Whether event i passes; its thread's name and id, and its text. */
bool pv_event_filter_has(const struct pv_event_filter *f, const struct pv_batch *b, size_t i,
	const char *thread, const char *line);

#endif
