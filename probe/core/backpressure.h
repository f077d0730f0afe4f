/*
 * A thread that finds no room waits while all that is missing is a processor for the writer: it
 * would else fill the machine with events that are lost, and keep the writer from it. Where most
 * chunks are in the hands of threads that hardly use them, it waits until the writer has taken some
 * back. Not for a slow reader of the log: only block=yes waits for that.
 */
#ifndef PV_PROBE_BACKPRESSURE_H
#define PV_PROBE_BACKPRESSURE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pvp_backpressure {
	size_t joined;                /* living threads of this session; under the core's lock */
	_Atomic bool crowded;         /* they were more than half as many as there are chunks */
	_Atomic bool wanted;          /* a thread waits for a chunk */
	_Atomic unsigned waiting;     /* threads, at this moment */
	_Atomic uint64_t slow_until;  /* ns: no thread waits before, the sink took nothing mostly */
	_Atomic uint64_t stuck_since; /* the sink takes nothing; ns, 0: it does */
	_Atomic uint64_t stuck_seen;  /* when the writer found that last */
	_Atomic uint64_t writer;      /* its thread; 0: it has not begun yet */
	uint64_t last, waited, stuck; /* the writer's: ns of waiting threads, and without a taker */
	uint64_t taken;               /* bytes in that time */
	bool held_up;                 /* the sink took nothing at `last` */
};
extern struct pvp_backpressure pvp_backpressure;

/* Under the lock: a session begins; a thread has joined it; such a thread ends. */
void pvp_backpressure_reset(void);
void pvp_backpressure_joins(void);
void pvp_backpressure_leaves(void);

/* The writer's: its sink takes nothing, or has taken so many bytes. */
void pvp_backpressure_sink(bool stuck, size_t taken);

/*
 * Naps until the writer gives a chunk back, with the guard and no lock held; also if it gets no
 * processor for long. False: there is nothing to wait for, no reader, or recording is over; or
 * the writer does not come to it, since it waits for something that this thread holds, a lock of
 * the loader's for instance: then the event is lost after all.
 */
bool pvp_backpressure_wait(void);

/* Stores of this thread are seen by all others before its later ones. */
void pvp_backpressure_barrier(void);

#endif
