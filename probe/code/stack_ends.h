/* SPDX-License-Identifier: MIT */
/*
 * Counts how walked stacks ended, for the log: complete stacks, and for cut stacks the reason and
 * the file. Bounded: further files are counted together. The writer's thread, except for
 * pvp_stack_ends_note(). `times` are counts, not clock times.
 */
#ifndef PV_PROBE_STACK_ENDS_H
#define PV_PROBE_STACK_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/unwind/native_walk.h"

struct pvp_writer;

enum pvp_stack_kind { PVP_SAMPLE_STACK, PVP_ALLOCATION_STACK, PVP_STACK_KINDS };

/* So many stacks ended there. */
void pvp_stack_ends_count(
	enum pvp_stack_kind kind, const struct pvp_walk_stop *stop, uint64_t times);

/* Notes the end of an allocation's stack; any thread, lock-free. The writer counts it later. */
void pvp_stack_ends_note(const struct pvp_walk_stop *stop);

/* So many samples of waits have a stack, or have none. */
void pvp_stack_ends_waits(bool with, uint64_t times);

/* So many new pages of a process watched from outside have a stack, or have none. */
void pvp_stack_ends_pages(bool with, uint64_t pages);

/* Notes once for each reason why samples asked for cannot be had. The text is copied. */
void pvp_samples_missed(const char *why);

/* Writes the counts since the last call. again: all counts, for a new reader. */
void pvp_stack_ends_tell(struct pvp_writer *w);
void pvp_stack_ends_again(void);

/* A recording begins. */
void pvp_stack_ends_reset(void);

#endif
