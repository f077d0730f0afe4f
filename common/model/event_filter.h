/* SPDX-License-Identifier: MIT */
/*
 * A filter of events, in the language of filters (base/filter.h): kind:, thread: (name and id) and
 * words, searched in the kind, the thread and the text; method:, class:, stack: and the others in
 * the text; numbers (event_number.h) are compared. Any thread may ask a finished filter.
 */
#ifndef PV_MODEL_EVENT_FILTER_H
#define PV_MODEL_EVENT_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/filter/filter.h"
#include "common/format/batch.h"

struct pv_event_filter {
	struct pv_filter *f;
	bool kind[PV_KIND_COUNT]; /* kinds of which events may pass */
};

/*
 * NULL and "" let everything through. False with *reterr: no filter; call pv_event_filter_finish()
 * then, too.
 */
bool pv_event_filter_make(struct pv_event_filter *ret, const char *text, enum pv_filter_way way,
	struct pv_filter_error *reterr);
void pv_event_filter_finish(struct pv_event_filter *f);

/* True if event i passes, with its thread's name and id, and its text. */
bool pv_event_filter_has(const struct pv_event_filter *f, const struct pv_batch *b, size_t i,
	const char *thread, const char *line);

#endif
