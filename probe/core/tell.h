/*
 * Counters of the probe's own, besides those that the writer keeps. For the writer's thread. Times
 * are ns.
 */
#ifndef PV_PROBE_TELL_H
#define PV_PROBE_TELL_H

#include <stdbool.h>
#include <stdint.h>

struct pvp_writer;

/* It has grown by `step`. False: it could not be written. */
bool pvp_tell_step(struct pvp_writer *w, uint64_t time, uint64_t index, uint64_t step);

/* Counter that has no name yet, a count or a time (in 100 ns). False likewise. */
bool pvp_tell_new_counter(struct pvp_writer *w, uint64_t index, const char *name, bool time);

#endif
