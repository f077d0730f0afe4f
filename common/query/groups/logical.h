/* SPDX-License-Identifier: MIT */
/*
 * Private to the query layer: logical callers of the nodes of a tree, where a runtime resumes async
 * methods that had waited. The recorded stack is the wrong way round there: the awaiter is below
 * the awaited method, which is over. Awaiting frames take the place of the recorded callers, by who
 * awaits whom in the log: guesses ("usual"), without time of their own.
 *
 * Nodes are numbered anew: 0 is the root, then come `awaiting` frames, then the nodes of the tree.
 * Parents have smaller numbers than their children. Made and read under the model's lock, by one
 * thread.
 */
#ifndef PV_QUERY_LOGICAL_H
#define PV_QUERY_LOGICAL_H

#include "common/model/calls/stacks.h"
#include "common/query/groups/groups.h"

/* The part of a frame in a stack: a method can have each. */
enum pv_logical_part {
	PV_PART_CALLED,
	PV_PART_USUAL,  /* went on after an await, below its usual awaiter */
	PV_PART_AWAITS, /* a frame that awaits */
	PV_PARTS
};

struct pv_awaiting {
	uint32_t parent, method; /* 0 is the root; a method's id in names */
	uint8_t percent; /* share of the counts of being awaited by `parent`; 0 at the root */
};

struct pv_logical {
	uint32_t awaiting;         /* count of awaiting frames; 0: all callers are as recorded */
	struct pv_awaiting *frame; /* [1..awaiting] */
	uint32_t *caller;          /* by the tree's node, our number; NULL: as in the tree */
	uint8_t *percent;          /* by the tree's node: as above, below awaiting frames */
};

/*
 * Callers in the call tree, or in stacks. Uses the query's `physical` and `groups`. `named` may be
 * a grouping by name, or NULL. False when out of memory; finish is fine then too.
 */
bool pv_logical_calls(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	struct pv_logical *ret);
bool pv_logical_stacks(struct pv_model *m, const struct pv_query *q, const struct pv_groups *named,
	struct pv_logical *ret);
void pv_logical_finish(struct pv_logical *l);

/* Our number of a tree's node. */
static inline uint32_t pv_logical_at(const struct pv_logical *l, uint32_t node)
{
	return node ? node + l->awaiting : 0;
}

/* Our number of the caller of a tree's node, whose parent there is `parent`. */
static inline uint32_t pv_logical_caller(const struct pv_logical *l, uint32_t node, uint32_t parent)
{
	return l->caller ? l->caller[node] : parent;
}

/* In a tree of stacks: our number of a node's caller, and the model's method of a node. */
static inline uint32_t pv_logical_above(
	const struct pv_logical *l, const struct pv_stacks *s, uint32_t at)
{
	if (at <= l->awaiting)
		return l->awaiting ? l->frame[at].parent : 0;
	return pv_logical_caller(l, at - l->awaiting, s->node.v[at - l->awaiting].parent);
}
static inline uint32_t pv_logical_method(
	const struct pv_logical *l, const struct pv_stacks *s, uint32_t at)
{
	if (at <= l->awaiting)
		return l->awaiting ? l->frame[at].method : 0;
	return s->node.v[at - l->awaiting].method;
}
/*
 * A node's part in the stack, and how often the parent is its awaiter, in percent; 0: not awaited.
 */
static inline enum pv_logical_part pv_logical_part(const struct pv_logical *l, uint32_t at)
{
	if (at <= l->awaiting)
		return at ? PV_PART_AWAITS : PV_PART_CALLED;
	return l->percent && l->percent[at - l->awaiting] ? PV_PART_USUAL : PV_PART_CALLED;
}
static inline uint8_t pv_logical_percent(const struct pv_logical *l, uint32_t at)
{
	if (at <= l->awaiting)
		return at ? l->frame[at].percent : 0;
	return l->percent ? l->percent[at - l->awaiting] : 0;
}

/* Whether callers in the call tree differ from the recorded ones. False: out of memory. */
bool pv_logical_differs(
	struct pv_model *m, const struct pv_query *q, const struct pv_groups *named, bool *ret);

/* Follows the name of a method's awaiting frame, where no percent may stand. */
#define PV_AWAITS_MARK " [awaits]"
#define PV_USUAL_MARK  " [usual]" /* follows the name of a method resumed below such a frame */

/*
 * Marks after the name of a method in frames: "", " [usual, 98 %]", " [awaits; usual, 98 %]".
 * Percent 0: no usual awaiter above. In `buf`; never NULL.
 */
enum { PV_PART_TEXT = 40 };
const char *pv_logical_mark(enum pv_logical_part part, uint8_t percent, char buf[PV_PART_TEXT]);

#endif
