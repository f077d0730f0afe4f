/* SPDX-License-Identifier: MIT */
/*
 * Samples of a native program: each thread has a timer whose signal walks the stack into the
 * thread's ring, which the writer empties. A thread has the timer from its beginning if the host
 * reports the beginning (sample_rings.h); the writer finds other threads.
 */
#ifndef PV_PROBE_NATIVE_SAMPLES_H
#define PV_PROBE_NATIVE_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/ground/sample_rate.h"

struct pvp_writer;
struct pvp_out_buffer;

/* By command or options. `real`: of waiting threads, too, until samples are ended. */
void pvp_native_samples_order(struct pvp_sample_order order);

/* Adds to samples the thread's processor time since the last sample; before the first sample. */
void pvp_native_samples_usage(bool wanted);

/* For code outside of files: the function's key, 0: unknown code. Before the first sample. */
void pvp_native_samples_ask(uint64_t (*key)(uint64_t address));
/* For a caller in such code, at a time in ns: the key of the place in the method, named. */
void pvp_native_samples_ask_place(
	uint64_t (*place)(struct pvp_writer *w, uint64_t address, uint64_t method, uint64_t time));

/*
 * The calling thread begins. A thread that blocks every signal, as workers of libraries do, still
 * gets the signal of samples, which no other code uses. Also before the recording begins.
 */
void pvp_native_samples_unblock(void);

/* All for the writer's thread: searches for threads, writes what was taken; ends all timers. */
/* Passes each code address in samples not yet written, for callers the call's own address. */
void pvp_native_samples_each(void (*look)(uint64_t address));
void pvp_native_samples_tell(struct pvp_writer *w, struct pvp_out_buffer *page);
void pvp_native_samples_stop(void);

/* In a child of fork: there are no timers here. */
void pvp_native_samples_forget(void);

#endif
