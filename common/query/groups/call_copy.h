/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: the call tree with its figures as compact arrays, taken under the
 * model's lock and walked without. With a window only active nodes are copied. One thread uses a
 * copy. Times are ns.
 */
#ifndef PV_QUERY_CALL_COPY_H
#define PV_QUERY_CALL_COPY_H

#include "common/model/names/thread_state.h"
#include "common/query/groups/groups.h"
#include "common/query/groups/logical.h"

struct pv_call_figures {
	uint64_t calls, exc_leaves, samples;
	uint64_t samples_below;            /* of the node and all below */
	int64_t self_ns, total_ns, max_ns; /* open calls included; in a window total_ns is the
					    * self time of the subtree and max_ns is not known */
};

/* Node 0 is the root above all threads; parents have smaller numbers than their children. */
struct pv_call_copy {
	size_t n;
	uint32_t *parent, *first_child, *next_sibling, *group;
	uint32_t awaiting; /* frames that await (logical.h), nodes 1 on; the model's nodes follow */
	struct pv_awaiting *frame; /* by awaiting node, as in logical.h; NULL: none */
	uint8_t *usual;            /* by node, percent as in logical.h; NULL: as recorded */
	struct pv_call_figures *figures;
	uint8_t *ran;    /* private: by node, enum pv_ran of the samples, and flags */
	int64_t self_ns; /* of all nodes: the whole of shares */
	uint64_t samples;
	int64_t waited_ns;         /* left out by pv_call_copy_ran() */
	int64_t untold_ns;         /* of calls with too few samples to judge whether they waited */
	uint64_t sampled[PV_RANS]; /* all samples, by enum pv_ran */
	const uint8_t *kind;       /* by group, with `my_code`; else NULL. Owned by the grouping */
	bool window, waits;        /* as in the query */
	bool tells;                /* private: samples show how much of a call's time was waiting */
};

/*
 * Uses the query's window, `waits`, `physical` and `groups`. False when out of memory; finish is
 * fine then too. A frame that awaits has no figures. Samples at an address in no known code count
 * for the calling frame. The copy is usable after pv_call_copy_link(), which needs no lock.
 */
bool pv_call_copy(struct pv_model *m, const struct pv_groups *g, const struct pv_query *q,
	struct pv_call_copy *ret);
/*
 * Subtracts the time of the probe's own work: about `pair_ns` for each call (or the cost that small
 * methods show in this log), half in the callee, half in the caller. An estimate; before linking.
 * 0: nothing is subtracted. Returns the ns subtracted.
 */
uint64_t pv_call_copy_net(struct pv_call_copy *c, uint64_t pair_ns);

/*
 * Without `waits`: leaves out samples that did not run (lanes.h) or are of unknown state, and
 * subtracts the time of waits from the callers; calls stay. All samples stay where no state is
 * known. After pv_call_copy_net(), before linking. False when out of memory.
 */
bool pv_call_copy_ran(struct pv_call_copy *c);

/*
 * Cost of an enter and leave in ns, measured by our probes at their start; 0 in other logs, whose
 * header field means another time.
 */
uint32_t pv_call_pair_ns(const struct pv_model *m);

/*
 * With `my_code`: folds foreign code into the calling node, with self time and samples, not with
 * calls. Foreign code without a user caller goes into the outermost frame; user code there, and
 * framework code under native thread starts, moves to the root. Sums stay. After
 * pv_call_copy_ran(), before linking (code_fold.c).
 */
void pv_call_copy_fold(struct pv_call_copy *c);

/* After pv_call_copy_ran(), of a whole recording: whether samples of the model's node count. */
bool pv_call_copy_counts(const struct pv_call_copy *c, uint32_t node);
/* The copy's node for the samples of the model's node. */
uint32_t pv_call_copy_at(const struct pv_call_copy *c, uint32_t node);

/* Whether every sample is of unknown state, so that none can be left out. */
static inline bool pv_call_copy_is_wall(const struct pv_call_copy *c)
{
	return !c->sampled[PV_RAN] && !c->sampled[PV_WAITED] && c->sampled[PV_RAN_UNSURE];
}

/* Links nodes to their children, and sums up subtrees. */
void pv_call_copy_link(struct pv_call_copy *c);
/*
 * Describes the time covered by the figures, after linking: `times` of calls, `samples`. False:
 * there is nothing to say. *ret_time is for titles.
 */
enum { PV_TIME_TEXT = 240 };
bool pv_call_copy_time(const struct pv_call_copy *c, bool times, bool samples,
	enum pv_time_of *ret_time, char *buf, size_t size);
/* The same into the table and its coverage line, with the share left out. */
void pv_call_copy_say(const struct pv_call_copy *c, bool times, bool samples, struct pv_build *b);
void pv_call_copy_finish(struct pv_call_copy *c);

typedef void pv_call_visit(void *ctx, const struct pv_call_copy *c, uint32_t node);

/*
 * A node's part in the stack, and how often the parent is its awaiter, in percent; 0: not awaited.
 */
static inline enum pv_logical_part pv_call_copy_part(const struct pv_call_copy *c, uint32_t node)
{
	if (node && node <= c->awaiting)
		return PV_PART_AWAITS;
	return c->usual && c->usual[node] ? PV_PART_USUAL : PV_PART_CALLED;
}
static inline uint8_t pv_call_copy_usual(const struct pv_call_copy *c, uint32_t node)
{
	return c->usual ? c->usual[node] : 0;
}

/* Visits every node but the root, parents before their children; `leave` after the last child. */
void pv_call_walk(
	const struct pv_call_copy *c, pv_call_visit *enter, pv_call_visit *leave, void *ctx);

#endif
