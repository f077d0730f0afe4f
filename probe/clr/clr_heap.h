/* SPDX-License-Identifier: MIT */
/*
 * Heap shots on .NET, without a collection (from .NET 9 on): the runtime is stopped, walked and
 * resumed. Objects are written into separate pages, given to the writer when complete; a shot that
 * outgrows its bounds is given up as a whole, and counted.
 */
#ifndef PV_PROBE_CLR_HEAP_H
#define PV_PROBE_CLR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/ground/host.h"

struct pvp_clr_mask;

/* As the others in host_clr.h. */
void pvp_clr_heap_init(struct pvp_clr_mask *mask);

/* Takes a shot on the calling thread, known to the runtime and in none of its code. */
void pvp_clr_heap_take(void);

/* Whether shots are possible at all. */
bool pvp_clr_heap_possible(void);

/* Whether a full collection that begins now is made by the probe, for a shot. */
bool pvp_clr_heap_forces(void);

/* A collection begins. */
void pvp_clr_heap_begin(void);

/* clr_shots.c: a collection of this generation is over. */
void pvp_clr_heap_collected(unsigned collected);

/* The writer's, each round: a shot once the time asked for has passed. */
void pvp_clr_heap_tick(void);

/* Before the runtime's end: the shot at shutdown, if wanted. */
void pvp_clr_heap_last(void);

/* The writer's: at a round's begin, and when all earlier reports are written. */
void pvp_clr_heap_seen(void);
void pvp_clr_heap_flushed(struct pvp_writer *w);
uint64_t pvp_clr_heap_discarded(void);

/* The session is over, and no more of its shots are written. */
void pvp_clr_heap_forget(void);
void pvp_clr_shots_forget(void);

/* Of the control socket. */
enum pvp_reply pvp_clr_heap_ask(char *say, size_t room);

/* clr_agent.c: a thread takes a shot; false: no thread. */
bool pvp_clr_agent_shoot(void);
/* Set from before a program is joined until all existing things are written: shots need them. */
void pvp_clr_agent_joining(bool on);
/* Time in pvp_clr_samples_resolve(); the caller waits at most `most_ms`, 0: not at all. */
void pvp_clr_agent_resolve(unsigned most_ms);
void pvp_clr_agent_name(void);   /* time in pvp_clr_classes_name() */
void pvp_clr_agent_adjust(void); /* time in pvp_clr_adjust() */
void pvp_clr_agent_end(void);

#endif
