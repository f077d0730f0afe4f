/*
 * Private to the query layer: the call tree with its figures as compact arrays, taken under the
 * model's lock and walked without it. In a window only what was active in it is copied. One thread
 * uses a copy. Times are ns.
 */
#ifndef PV_QUERY_CALL_COPY_H
#define PV_QUERY_CALL_COPY_H

#include "common/model/names/thread_state.h"
#include "common/query/groups.h"

struct pv_call_figures {
	uint64_t calls, exc_leaves, samples;
	uint64_t samples_below;            /* of this node and everything below it */
	int64_t self_ns, total_ns, max_ns; /* open calls included; in a window total_ns is the
					    * self time of the subtree and max_ns is not known */
};

/* Node 0 is the root above all threads; parents have smaller numbers than their children. */
struct pv_call_copy {
	size_t n;
	uint32_t *parent, *first_child, *next_sibling, *group;
	struct pv_call_figures *figures;
	uint8_t *ran;    /* private: by node, enum pv_ran of its samples, and WITHIN */
	int64_t self_ns; /* of all nodes: what shares are of */
	uint64_t samples;
	int64_t waited_ns;         /* left out by pv_call_copy_ran() */
	int64_t untold_ns;         /* of calls of which too few samples say whether they waited */
	uint64_t sampled[PV_RANS]; /* all samples, by enum pv_ran */
	const uint8_t *kind;       /* by group, with `my_code`; else NULL. Owned by the grouping */
	bool window, waits;        /* as the query says it */
	bool tells; /* private: waits are sampled, so samples tell how much of a call's time was one */
};

/*
 * False when out of memory; finish is fine then too. Of the query its window counts, and `waits`.
 * Samples at an address that lies in nothing known are those of the frame that called there. The copy
 * is usable after pv_call_copy_link(), which needs no lock.
 */
bool pv_call_copy(struct pv_model *m, const struct pv_groups *g, const struct pv_query *q,
	struct pv_call_copy *ret);
/*
 * Subtracts the time of the probe's own work: about `pair_ns` for each call (or what small methods
 * show it to have been here), half of it in the method called, half in its caller. An estimate;
 * before linking. 0: nothing is subtracted. Returns the ns subtracted.
 */
uint64_t pv_call_copy_net(struct pv_call_copy *c, uint64_t pair_ns);

/*
 * Without `waits`: leaves out what did not run (lanes.h), of samples also what is not known to have,
 * and subtracts the time of waits from their callers; calls stay. Where nothing is known of any
 * sample all stay. After pv_call_copy_net(), before linking. False when out of memory.
 */
bool pv_call_copy_ran(struct pv_call_copy *c);

/*
 * Costs that our probes measured at their start; 0 in other logs, whose header field means another
 * time.
 */
uint32_t pv_call_pair_ns(const struct pv_model *m);

/*
 * With `my_code`: code that is not the user's goes up into the one that called it, with its own
 * time and its samples; its calls are none of the caller's. What nothing of the user's called goes
 * into the outermost one, from which the user's code is taken away to the root, and that of
 * frameworks from native code that starts threads. Sums stay. After pv_call_copy_ran(), before linking (code_fold.c).
 */
void pv_call_copy_fold(struct pv_call_copy *c);

/* After pv_call_copy_ran(), of a whole recording: whether samples of the model's node count. */
bool pv_call_copy_counts(const struct pv_call_copy *c, uint32_t node);
/* And the node that has those that do. */
uint32_t pv_call_copy_at(const struct pv_call_copy *c, uint32_t node);

/* Links nodes to their children, and sums up subtrees. */
void pv_call_copy_link(struct pv_call_copy *c);
/*
 * The part of the time that its figures are of, after linking: `times` of calls, `samples`. False: there
 * is nothing to say. *ret_time is what titles say of it.
 */
enum { PV_TIME_TEXT = 240 };
bool pv_call_copy_time(const struct pv_call_copy *c, bool times, bool samples,
	enum pv_time_of *ret_time, char *buf, size_t size);
/* The same into the table and its coverage line, and the share that was left out. */
void pv_call_copy_say(const struct pv_call_copy *c, bool times, bool samples, struct pv_build *b);
void pv_call_copy_finish(struct pv_call_copy *c);

typedef void pv_call_visit(void *ctx, const struct pv_call_copy *c, uint32_t node);

/* Visits every node but the root, parents before their children; `leave` after the last child. */
void pv_call_walk(
	const struct pv_call_copy *c, pv_call_visit *enter, pv_call_visit *leave, void *ctx);

#endif
