/*
 * So many threads that most chunks may be in their hands, and each of them hardly used: there a
 * thread that finds no chunk waits until the writer has taken back those that nobody is writing
 * into just now. Not if the log's reader is slow: nobody waits for that but with block=yes.
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
	_Atomic uint64_t stuck_since; /* the sink takes nothing; ns, 0: it does */
	_Atomic uint64_t stuck_seen;  /* when the writer found that last */
	_Atomic uint64_t writer;      /* its thread; 0: it has not begun yet */
};
extern struct pvp_backpressure pvp_backpressure;

/* Under the lock: a session begins; a thread has joined it; such a thread ends. */
void pvp_backpressure_reset(void);
void pvp_backpressure_joins(void);
void pvp_backpressure_leaves(void);

/* The writer's: its sink takes something, or nothing. */
void pvp_backpressure_stuck(bool stuck);

/*
 * Naps until the writer gives a chunk back, with the guard and no lock held; also if it gets no
 * processor for long. False: there is nothing to wait for, nobody reads, or recording is over; or
 * the writer does not come to it, since it waits for something that this thread holds, a lock of
 * the loader's for instance: then the event is lost after all.
 */
bool pvp_backpressure_wait(void);

/* Stores of this thread are seen by all others before its later ones. */
void pvp_backpressure_barrier(void);

#endif
