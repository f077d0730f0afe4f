/*
 * Lanes of threads: of each thread the samples by state, in cells of one width, which doubles
 * when the recording outgrows them. A model of a range begins at the range, so its cells are finer.
 * Memory is bounded: threads beyond a number share one lane, and cells come page by page.
 * Part of the model: written by the ingest thread, read under the lock. Times are ns on the log's
 * clock.
 *
 * Where only names say whether a thread waited, its samples wait in a list until they are asked
 * for, as names may come later.
 */
#ifndef PV_MODEL_LANES_H
#define PV_MODEL_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/mem.h"
#include "common/model/names/thread_state.h"

enum {
	PV_LANE_CELLS = 2048,
	PV_LANE_PAGE = 32,          /* cells */
	PV_LANES_CAP = 256,         /* threads that have a lane of their own */
	PV_LANES_UNNAMED = 1 << 18, /* samples that wait for names, in runs of equal ones */
};
#define PV_LANE_FIRST_WIDTH INT64_C(1000000) /* ns */
/* Samples of waiting threads are reported so long after their time, at most; ns. */
#define PV_WAITED_NS INT64_C(300000000)

struct pv_model;
struct pv_thread;

struct pv_lane_page {
	uint32_t samples[PV_LANE_PAGE][PV_STATES];
};

struct pv_lane {
	uint32_t thread; /* index in threads; 0: of all that have no lane of their own */
	struct pv_lane_page *page[PV_LANE_CELLS / PV_LANE_PAGE]; /* owned; NULL: nothing there */
};

/* Samples whose state their node says: its methods may get their names still. */
struct pv_lane_unnamed {
	uint32_t node; /* in calls */
	uint32_t lane, cell, samples;
};

struct pv_lane_state {
	uint8_t state; /* enum pv_thread_state */
	uint8_t within; /* likewise: the wait in which a call of this node is, by names; RUNNING: none */
	bool logged;  /* by the log, else by a name */
	bool unnamed; /* a name that is not known yet may change it */
	bool asked;   /* the log leaves it to names: the frame says no more than its caller */
	/* Private. By names on the way to the node, the innermost of each kind. */
	uint8_t managed, symbol; /* enum pv_thread_state: of the runtime's methods, of functions */
	bool idle;               /* below a wait that spins (pv_state_spins_idle()) */
	bool nameless;           /* nothing is known of the innermost frame */
	bool again;              /* to be judged when another name is known */
};

/* Private: states by method and by node, as far as they were judged. */
struct pv_lane_judged {
	struct pv_lane_state *method, *node; /* owned */
	size_t methods, method_room, nodes, node_room;
	bool by_name;    /* that they rest on */
	bool any;        /* some node waits, or may */
	bool renumbered; /* nodes have got other numbers since */
};

struct pv_lanes {
	int64_t origin_ns; /* cell i covers origin + i * width, half-open; earlier ones are in 0 */
	int64_t width_ns;  /* 0: no sample yet */
	uint32_t used;     /* cells up to the latest sample */
	int64_t period_ns; /* between samples of waiting threads; 0: not known */
	PV_ARRAY(struct pv_lane) lane; /* [0]: of threads without one; pages stay */
	PV_ARRAY(uint32_t) of;         /* private: lane of a thread index, 0: none yet */
	PV_ARRAY(struct pv_lane_unnamed) unnamed;
	struct pv_lane_judged *judged; /* owned; NULL: none yet */
	uint64_t shared;               /* samples in lane 0 */
	uint64_t nowhere;              /* samples that name no thread */
	uint64_t guessed;              /* judged by the names that were known then */
	uint32_t cap, unnamed_cap;     /* PV_LANES_CAP, PV_LANES_UNNAMED, less in tests */
};

/* Samples by state in a cell of a lane; NULL: none. The lane's. */
static inline const uint32_t *pv_lane_at(const struct pv_lane *l, uint32_t cell)
{
	const struct pv_lane_page *p = l->page[cell / PV_LANE_PAGE];
	return p ? p->samples[cell % PV_LANE_PAGE] : NULL;
}

/*
 * By node, the state of a thread at samples that end there: the one rule of what ran. What the log
 * says comes first; then the innermost wait of the runtime's methods; then the innermost one of
 * functions. Else it runs, but for frames of which nothing is known where only names tell. Each node
 * is judged once, and again when names come. The caller holds the lock; the lanes' until the model
 * changes. NULL: out of memory.
 */
const struct pv_lane_state *pv_lane_states(struct pv_model *m);
/* Whether threads at this method wait, or may, whatever calls it. */
bool pv_lane_method_waits(const struct pv_model *m, uint32_t method);
/* After it: whether any node waits, or may. */
bool pv_lane_states_differ(const struct pv_model *m);

/* Whether the log's plain samples may be of waiting threads. Under the lock, as the next one. */
bool pv_call_samples_wait(const struct pv_model *m);
/* Whether a sampled address lies in nothing that has a name: it counts for the frame that calls it. */
bool pv_call_is_nameless(const struct pv_model *m, uint32_t method);
/* The node that samples at this one count for. */
uint32_t pv_call_counted_at(const struct pv_model *m, uint32_t node);

/* Private to the model, from here on; false when out of memory. */
void pv_lanes_init(struct pv_lanes *l);
void pv_lanes_finish(struct pv_lanes *l);
/* Samples of a thread at a node at a time; NULL: no thread is known. */
bool pv_lanes_sample(struct pv_model *m, const struct pv_thread *th, uint32_t node,
	uint64_t samples, int64_t time);
/*
 * Of a thread that waited up to that time: those of the samples that are in the range; the second
 * says how many that are.
 */
bool pv_lanes_waited(struct pv_model *m, const struct pv_thread *th, enum pv_thread_state state,
	uint32_t samples, int64_t time);
bool pv_lanes_clip(struct pv_model *m, uint32_t *samples, int64_t time);
/* Before nodes get other numbers: all is judged by the names there are. */
bool pv_lanes_judge_all(struct pv_model *m);
/* They got them: `into` by the old ones. */
void pv_lanes_renumber(struct pv_model *m, const uint32_t *into);
/* That lane, by its number, is its thread's; one cell of one lane: as they were saved. */
bool pv_lanes_own(struct pv_lanes *l, uint32_t lane);
bool pv_lanes_put(struct pv_lanes *l, uint32_t lane, uint32_t cell, enum pv_thread_state state,
	uint32_t samples);

#endif
