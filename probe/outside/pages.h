/* SPDX-License-Identifier: MIT */
/* New pages of the watched process. For the watching thread. */
#ifndef PV_PROBE_OUTSIDE_PAGES_H
#define PV_PROBE_OUTSIDE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/outside/watch_notes.h"

/* Whether page faults are sampled; settled before any event is opened. */
void pvo_pages_begin(bool on);

/* The kind of a new page; both are addresses of the process. */
enum pvo_pages pvo_pages_kind(uint64_t address, uint64_t stack_pointer);

/* A sample of new pages was noted. */
void pvo_pages_sampled(void);

/*
 * Once a second: how many more pages than before have no sample, of those faulted in a look
 * ago, whose records have been read. Less than the truth, as `threads` that began meanwhile, and
 * all others, have faults that a sample may yet stand for.
 */
uint64_t pvo_pages_missed(size_t threads);

/* At the end: counts, and once all records until then have been read, how many more there were. */
void pvo_pages_count(void);
uint64_t pvo_pages_missed_in_all(void);

#endif
