/* SPDX-License-Identifier: MIT */
/*
 * Numbers of events by which a filter may compare: bytes>1k. An event has the numbers of its kind;
 * a missing number is neither above nor below nor equal to anything. Pure: any thread.
 */
#ifndef PV_MODEL_EVENT_NUMBER_H
#define PV_MODEL_EVENT_NUMBER_H

#include "common/base/filter/filter.h"
#include "common/format/batch.h"

enum pv_event_number {
	PV_EVENT_BYTES,      /* of an object, a heap, code */
	PV_EVENT_TOOK,       /* ns: a span, a stop of the world, compiling, a call between codes */
	PV_EVENT_FRAMES,     /* of the stack */
	PV_EVENT_SAMPLES,    /* represented by the event */
	PV_EVENT_GENERATION, /* of a collection */
	PV_EVENT_NUMBERS
};

/* Columns for pv_filter_make(), a constant; `place` is the number. */
extern const struct pv_filter_column pv_event_columns[PV_EVENT_NUMBERS];

/* True if events of a kind can have the number. */
bool pv_event_kind_has(unsigned kind, enum pv_event_number number);
/* The number of event i; false: none. */
bool pv_event_number(
	const struct pv_batch *b, size_t i, enum pv_event_number number, uint64_t *ret);

#endif
