/* SPDX-License-Identifier: MIT */
/*
 * Lanes of threads: the samples of each thread by state, in cells of one width, which doubles when
 * the recording outgrows them. A model of a range begins at the range, so its cells are finer.
 * Memory is bounded: threads beyond a number share one lane, and cells come page by page. Part of
 * the model: written by the ingest thread, read under the lock. Times are ns on the log's clock.
 *
 * Where only names decide whether a thread waited, its samples wait in a list until the lanes are
 * asked for, as names may come later.
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
	PV_LANES_CAP = 256,         /* threads with their own lane */
	PV_LANES_UNNAMED = 1 << 18, /* samples that wait for names, in runs of equal ones */
};
#define PV_LANE_FIRST_WIDTH INT64_C(1000000) /* ns */
/* Longest time from a sample of a waiting thread to its report; ns. */
#define PV_WAITED_NS INT64_C(300000000)

struct pv_model;
struct pv_thread;

struct pv_lane_page {
	uint32_t samples[PV_LANE_PAGE][PV_STATES];
};

struct pv_lane {
	uint32_t thread; /* index in threads; 0: all threads without their own lane */
	struct pv_lane_page *page[PV_LANE_CELLS / PV_LANE_PAGE]; /* owned; NULL: nothing there */
};

/* Samples whose state depends on their node: its methods may still get their names. */
struct pv_lane_unnamed {
	uint32_t node; /* in calls */
	uint32_t lane, cell, samples;
};

struct pv_lane_state {
	uint8_t state;  /* enum pv_thread_state */
	uint8_t within; /* likewise: the wait around a call of this node, by names; RUNNING: none */
	bool logged;    /* by the log, else by a name */
	bool unnamed;   /* a name still to come may change the state */
	bool asked; /* the log leaves the state to names: the frame adds nothing to its caller */
	/* Private. By names on the way to the node, the innermost of each kind. */
	uint8_t managed, symbol; /* enum pv_thread_state: of the runtime's methods, of functions */
	bool idle;               /* below a wait that spins (pv_state_spins_idle()) */
	bool nameless;           /* the innermost frame has no name */
	bool again;              /* to be judged when another name is known */
};

/* Private: states by method and by node, as far as judged. */
struct pv_lane_judged {
	struct pv_lane_state *method, *node; /* owned */
	size_t methods, method_room, nodes, node_room;
	bool by_name;    /* whether names count, too (pv_call_samples_wait()) */
	bool ran;        /* the log says that plain samples ran: only a known wait says other */
	bool any;        /* some node waits, or may */
	bool renumbered; /* nodes have other numbers since */
};

struct pv_lanes {
	int64_t origin_ns; /* cell i covers origin + i * width, half-open; earlier times are in 0 */
	int64_t width_ns;  /* 0: no sample yet */
	uint32_t used;     /* cells up to the latest sample */
	int64_t period_ns; /* between samples of waiting threads; 0: not known */
	PV_ARRAY(struct pv_lane) lane; /* [0]: threads without one; pages stay */
	PV_ARRAY(uint32_t) of;         /* private: lane of a thread index, 0: none yet */
	PV_ARRAY(struct pv_lane_unnamed) unnamed;
	struct pv_lane_judged *judged; /* owned; NULL: none yet */
	uint64_t shared;               /* samples in lane 0 */
	uint64_t nowhere;              /* samples without a thread */
	uint64_t guessed;              /* judged with a name missing */
	uint32_t cap, unnamed_cap;     /* PV_LANES_CAP, PV_LANES_UNNAMED, less in tests */
};

/* Samples by state in a cell of a lane; NULL: none. The lane's. */
static inline const uint32_t *pv_lane_at(const struct pv_lane *l, uint32_t cell)
{
	const struct pv_lane_page *p = l->page[cell / PV_LANE_PAGE];
	return p ? p->samples[cell % PV_LANE_PAGE] : NULL;
}

/*
 * The state of a thread at samples that end at a node, by node: the only rule for running and
 * waiting. The log's own state comes first; then the innermost wait of the runtime's methods; then
 * the innermost wait of functions. Else the thread runs, but is unsure in frames without a name
 * where only names decide. Each node is judged once, and again when names come. The caller holds
 * the lock; owned by the lanes, valid until the model changes. NULL: out of memory.
 */
const struct pv_lane_state *pv_lane_states(struct pv_model *m);
/* True if threads at this method wait, or may, whatever calls the method. */
bool pv_lane_method_waits(const struct pv_model *m, uint32_t method);
/* After pv_lane_states(): whether any node waits, or may. */
bool pv_lane_states_differ(const struct pv_model *m);

/*
 * True if the log's plain samples may be of waiting threads. Under the lock, as the next function.
 */
bool pv_call_samples_wait(const struct pv_model *m);
/*
 * True if a sampled address lies in nothing with a name: its samples count for the calling frame.
 */
bool pv_call_is_nameless(const struct pv_model *m, uint32_t method);
/* The node for which samples at a node count. */
uint32_t pv_call_counted_at(const struct pv_model *m, uint32_t node);

/* Private to the model, from here on; false when out of memory. */
void pv_lanes_init(struct pv_lanes *l);
void pv_lanes_finish(struct pv_lanes *l);
/* Samples of a thread at a node at a time; NULL: no thread is known. */
bool pv_lanes_sample(struct pv_model *m, const struct pv_thread *th, uint32_t node,
	uint64_t samples, int64_t time);
/*
 * Adds samples of a thread that waited up to a time: only the samples in the range, to which
 * pv_lanes_clip() sets *samples.
 */
bool pv_lanes_waited(struct pv_model *m, const struct pv_thread *th, enum pv_thread_state state,
	uint32_t samples, int64_t time);
bool pv_lanes_clip(struct pv_model *m, uint32_t *samples, int64_t time);
/* Before nodes get other numbers: judges all waiting samples by the names known so far. */
bool pv_lanes_judge_all(struct pv_model *m);
/* Nodes got other numbers: `into` by old number. */
void pv_lanes_renumber(struct pv_model *m, const uint32_t *into);
/* Loading: a lane by number for its thread; adds to one cell of a lane. */
bool pv_lanes_own(struct pv_lanes *l, uint32_t lane);
bool pv_lanes_put(struct pv_lanes *l, uint32_t lane, uint32_t cell, enum pv_thread_state state,
	uint32_t samples);

#endif
