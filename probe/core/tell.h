/* SPDX-License-Identifier: MIT */
/* Counters of the probe besides the writer's. On the writer's thread. Times are ns. */
#ifndef PV_PROBE_TELL_H
#define PV_PROBE_TELL_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_writer;

/* The counter has grown by `step`. False: not written. */
bool pvp_tell_step(struct pvp_writer *w, uint64_t time, uint64_t index, uint64_t step);

/* Names a counter for the first time, a count or a time (in 100 ns). False: not written. */
bool pvp_tell_new_counter(struct pvp_writer *w, uint64_t index, const char *name, bool time);

#endif
