/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: single waits for locks with who held them, and cycles of waiting.
 * Under the model's lock. Times are ns on the log's clock.
 */
#ifndef PV_QUERY_LOCK_WAITS_H
#define PV_QUERY_LOCK_WAITS_H

#include "common/model/locks/waited.h"

struct pv_model;

/* How the holder of a lock is known. */
enum pv_holder_from {
	PV_HOLDER_UNKNOWN,
	PV_HOLDER_SAID,  /* the log says who had the lock as the wait began */
	PV_HOLDER_AFTER, /* inferred: got the lock while the other thread waited */
	PV_HOLDER_LAST /* inferred: the last to get the lock before, of threads that had to wait */
};

struct pv_lock_wait {
	struct pv_waited at;   /* an open wait ends with the log's last event */
	bool aside;            /* of a thread not selected: only tells of holders */
	uint32_t holder;       /* index of the thread; 0: not known, or not in the log */
	uint32_t holder_stack; /* of the wait for another lock then, or the last for this lock */
	enum pv_holder_from from;
};

struct pv_lock_waits {
	PV_ARRAY(struct pv_lock_wait) one; /* by thread and start */
	PV_ARRAY(uint32_t) by_lock;        /* private: waits that got their lock, by lock and end */
};

/* A cycle: each wait is for a lock that the next wait's thread had. */
enum { PV_CYCLE_MOST = 16 };
struct pv_lock_cycle {
	uint32_t wait[PV_CYCLE_MOST]; /* indexes of pv_lock_waits.one */
	uint32_t n;
	int64_t start_ns,
		end_ns; /* from the start of the last wait until one gave up, or the log's end */
	bool open;      /* no wait has ended */
	bool said;      /* the log says every holder */
};
struct pv_lock_cycles {
	PV_ARRAY(struct pv_lock_cycle) one; /* in order of their starts */
};

/* False when out of memory; finish is due then too. */
bool pv_lock_waits_make(struct pv_lock_waits *w, const struct pv_model *m);
void pv_lock_waits_finish(struct pv_lock_waits *w);

/* The same; `w` must not change. */
bool pv_lock_cycles_find(struct pv_lock_cycles *c, const struct pv_lock_waits *w);
void pv_lock_cycles_finish(struct pv_lock_cycles *c);

#endif
