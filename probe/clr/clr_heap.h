/*
 * Heap shots on .NET, without a collection (from .NET 9 on): the runtime is stopped, walked and let
 * go. Objects are written into pages of their own, which the writer gets when all of them are in; a
 * shot that outgrows its bounds is given up whole, and counted.
 */
#ifndef PV_PROBE_CLR_HEAP_H
#define PV_PROBE_CLR_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/core/host.h"

struct pvp_clr_mask;

/* As the others in host_clr.h. */
void pvp_clr_heap_init(struct pvp_clr_mask *mask);

/* Takes one, on the calling thread; it is known to the runtime and stands in none of its code. */
void pvp_clr_heap_take(void);

/* Whether one can be taken at all. */
bool pvp_clr_heap_possible(void);

/* Whether a collection of everything that begins now is ours, for a shot. */
bool pvp_clr_heap_forces(void);

/* A collection begins. */
void pvp_clr_heap_begin(void);

/* clr_shots.c: a collection of this generation is over. */
void pvp_clr_heap_collected(unsigned collected);

/* The writer's, at each round: a shot when so much time has gone by as was asked for. */
void pvp_clr_heap_tick(void);

/* Before the runtime goes: the shot for the end, if one is wanted. */
void pvp_clr_heap_last(void);

/* The writer's: at a round's begin, and when all that was reported before is written. */
void pvp_clr_heap_seen(void);
void pvp_clr_heap_flushed(struct pvp_writer *w);
uint64_t pvp_clr_heap_discarded(void);

/* The session is over, and nothing of it is written any more. */
void pvp_clr_heap_forget(void);
void pvp_clr_shots_forget(void);

/* Of the control socket. */
enum pvp_reply pvp_clr_heap_ask(char *say, size_t room);

/* clr_agent.c: a thread that takes a shot; false: there is none. */
bool pvp_clr_agent_shoot(void);
/* From before a program is joined until all it has is written, which a shot needs. */
void pvp_clr_agent_joining(bool on);
/* Time in pvp_clr_samples_resolve(), for which the caller waits so long at most; 0: not at all. */
void pvp_clr_agent_resolve(unsigned most_ms);
void pvp_clr_agent_name(void);   /* time in pvp_clr_classes_name() */
void pvp_clr_agent_adjust(void); /* time in pvp_clr_adjust() */
void pvp_clr_agent_end(void);

#endif
