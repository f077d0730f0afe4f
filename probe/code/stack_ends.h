/*
 * How walked stacks ended, counted for the log: those that reached the thread's start, and for
 * others why and in the code of which file. Bounded: further files are counted together. The
 * writer's thread, but for pvp_stack_ends_note(). `times` are counts, no clock.
 */
#ifndef PV_PROBE_STACK_ENDS_H
#define PV_PROBE_STACK_ENDS_H

#include <stdint.h>

#include "probe/code/native_walk.h"

struct pvp_writer;

enum pvp_stack_kind { PVP_SAMPLE_STACK, PVP_ALLOCATION_STACK, PVP_STACK_KINDS };

/* So many stacks ended there. */
void pvp_stack_ends_count(
	enum pvp_stack_kind kind, const struct pvp_walk_stop *stop, uint64_t times);

/* One of an allocation; any thread, lock-free. The writer counts it later. */
void pvp_stack_ends_note(const struct pvp_walk_stop *stop);

/* Why samples that were asked for cannot be had; once for each reason. The text stays. */
void pvp_samples_missed(const char *why);

/* Writes what was counted since. again: there is a new reader, who is to get all of it. */
void pvp_stack_ends_tell(struct pvp_writer *w);
void pvp_stack_ends_again(void);

/* A recording begins. */
void pvp_stack_ends_reset(void);

#endif
