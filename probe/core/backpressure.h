/* SPDX-License-Identifier: MIT */
/*
 * A thread that finds no room waits as long as the writer lacks only a processor: going on would
 * fill the machine with lost events and take the processor from the writer. If most chunks are held
 * by threads that hardly use them, the thread waits until the writer has collected some. A slow
 * reader of the log is not waited for, except with block=yes.
 */
#ifndef PV_PROBE_BACKPRESSURE_H
#define PV_PROBE_BACKPRESSURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pvp_backpressure {
	size_t joined;                /* living threads of this session; under the core's lock */
	_Atomic bool crowded;         /* joined threads were more than half as many as chunks */
	_Atomic bool wanted;          /* a thread waits for a chunk */
	_Atomic unsigned waiting;     /* threads, at this moment */
	_Atomic uint64_t slow_until;  /* ns: no thread waits before, the sink took nothing mostly */
	_Atomic uint64_t stuck_since; /* ns: since when the sink takes nothing; 0: it takes bytes */
	_Atomic uint64_t stuck_seen;  /* ns: when the writer last found the sink stuck */
	_Atomic uint64_t writer;      /* the writer's thread id; 0: no writer yet */
	uint64_t last, waited, stuck; /* the writer's: ns of waiting threads, and without a taker */
	uint64_t taken;               /* bytes taken in the time `waited` */
	bool held_up;                 /* the sink took nothing at `last` */
};
extern struct pvp_backpressure pvp_backpressure;

/* Under the core's lock: a session begins; a thread joins the session; a joined thread ends. */
void pvp_backpressure_reset(void);
void pvp_backpressure_joins(void);
void pvp_backpressure_leaves(void);

/* The writer's: the sink takes nothing, or has taken `taken` bytes. */
void pvp_backpressure_sink(bool stuck, size_t taken);

/*
 * Naps until the writer gives a chunk back, however long the writer gets no processor; with the
 * guard and no lock held. False, and the event is lost: nothing to wait for, no reader, recording
 * is over, or the writer makes no progress, since this thread holds a lock (the loader's, for
 * instance).
 */
bool pvp_backpressure_wait(void);

/* All other threads see this thread's earlier stores before the later ones. */
void pvp_backpressure_barrier(void);

#endif
