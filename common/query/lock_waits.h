/*
 * Private to the query layer: single waits for locks with who held them, and cycles of waiting.
 * Under the model's lock. Times are ns on the log's clock.
 */
#ifndef PV_QUERY_LOCK_WAITS_H
#define PV_QUERY_LOCK_WAITS_H

#include "common/model/objects/waited.h"

struct pv_model;

/* From where it is known who had the lock. */
enum pv_holder_from {
	PV_HOLDER_UNKNOWN,
	PV_HOLDER_SAID,  /* the log says who had it as the wait began */
	PV_HOLDER_AFTER, /* inferred: got it while the other waited */
	PV_HOLDER_LAST /* inferred: of those that had to wait for it, the last that got it before */
};

struct pv_lock_wait {
	struct pv_waited at;   /* the end of one that is open: the log's last event */
	uint32_t holder;       /* index of the thread; 0: not known, or none that the log knows */
	uint32_t holder_stack; /* of a wait of the holder: in which it was then, or for this lock */
	enum pv_holder_from from;
};

struct pv_lock_waits {
	PV_ARRAY(struct pv_lock_wait) one; /* by thread and start */
	PV_ARRAY(uint32_t) by_lock;        /* private: those that got it, by lock and end */
};

/* A cycle: each wait is for a lock that the thread of the next one had. */
enum { PV_CYCLE_MOST = 16 };
struct pv_lock_cycle {
	uint32_t wait[PV_CYCLE_MOST]; /* indexes of pv_lock_waits.one */
	uint32_t n;
	int64_t start_ns,
		end_ns; /* from the last one's start until one gave up, or the log's end */
	bool open;      /* none has ended */
};
struct pv_lock_cycles {
	PV_ARRAY(struct pv_lock_cycle) one; /* in order of their starts */
};

/* False when out of memory; finish is due then too. */
bool pv_lock_waits_make(struct pv_lock_waits *w, const struct pv_model *m);
void pv_lock_waits_finish(struct pv_lock_waits *w);

/* The same; `w` must stay as it is. */
bool pv_lock_cycles_find(struct pv_lock_cycles *c, const struct pv_lock_waits *w);
void pv_lock_cycles_finish(struct pv_lock_cycles *c);

#endif
