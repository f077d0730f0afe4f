/*
 * The place of mlpd_summary_calls() in a buffer, and the part of it that takes expected events.
 * Nearly every call is one that was made from the same place before: so its bytes are not decoded
 * but compared with those that came here the last time, which also say how long the event is. One
 * thread at a time uses a loop and its tree. Times are ns.
 *
 * A place is a node of the tree and whether its call has begun (`ended` false) or has ended. The
 * method difference counts from the method of the last call event, which is always that node's.
 */
#ifndef PV_FORMAT_MLPD_EXPECTED_H
#define PV_FORMAT_MLPD_EXPECTED_H

#include "common/calls/mlpd_tree.h"

/* The loop's variables, kept out of structures that stores might alias. */
struct mlpd_loop {
	struct mlpd_tree *tree;
	struct mlpd_node *node; /* its; while mlpd_take_expected() is at work */
	const uint8_t *p, *from;
	const uint8_t *last;          /* after the last byte where an event is looked at */
	const uint8_t *back;          /* a byte before the event at hand, if its time is short */
	const struct mlpd_open *room; /* the end of that for open calls */
	uint64_t now, method, mask;
	int64_t limit;
	uint32_t at;
	bool ended;
	size_t depth;
	uint32_t enters, exceptional;
};

/*
 * Goes on for as long as every event is one that came here before, up to where an event could reach
 * `end`. There is an open segment, and the method that differences count from is that of the place,
 * which is not the root; l->method is not touched.
 */
void mlpd_take_expected(struct mlpd_loop *l, const uint8_t *end, uint64_t mask);

/*
 * Expects the event at l->p from now on, if its form is a usual one: the enter that leads from the
 * place to `child`; the end of the caller that leads to `caller`.
 */
void mlpd_expect_enter(const struct mlpd_loop *l, const uint8_t *end, uint32_t child);
void mlpd_expect_leave(const struct mlpd_loop *l, const uint8_t *end, uint32_t caller);

/* A call of this node has ended that took `ns`. False when out of memory. */
bool mlpd_end_call(const struct mlpd_loop *l, uint32_t node, int64_t ns);

#endif
