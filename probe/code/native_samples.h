/*
 * Samples of a native program: each thread has a timer of its own whose signal walks the stack into
 * a ring of the thread's, which the writer empties. Threads have it from their beginning where the
 * host tells of that (sample_rings.h); the writer finds the others.
 */
#ifndef PV_PROBE_NATIVE_SAMPLES_H
#define PV_PROBE_NATIVE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/core/sample_rate.h"

struct pvp_writer;
struct pvp_out_buffer;

/* By an order or the options. `real`: of threads that wait, too, until none are wanted any more. */
void pvp_native_samples_order(struct pvp_sample_order order);

/* With the processor time that the thread has used since its last sample; before the first one. */
void pvp_native_samples_usage(bool wanted);

/* Code that no file holds: the function's key, 0: none of it. Before the first sample. */
void pvp_native_samples_ask(uint64_t (*key)(uint64_t address));

/*
 * The calling thread begins. One that blocks every signal, as workers of libraries do, gets the
 * one that samples it all the same: not used by other code. Also before the recording begins.
 */
void pvp_native_samples_unblock(void);

/* All for the writer's thread: searches for threads, writes what was taken; ends all timers. */
/* Gives every place in code that a sample not yet written has, of callers the one that calls. */
void pvp_native_samples_each(void (*look)(uint64_t address));
void pvp_native_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page);
void pvp_native_samples_stop(void);

/* In a child of fork: there are no timers here. */
void pvp_native_samples_forget(void);

#endif
