/* SPDX-License-Identifier: MIT */
/*
 * The place of mlpd_summary_calls() in a buffer, and the part of the loop that takes expected
 * events. Nearly every call was made from the same place before: its bytes are not decoded but
 * compared with the last event's at this place, whose length is known, too. One thread at a time
 * uses a loop and its tree. Times are ns.
 *
 * A place is a node of the tree, with `ended` false after the begin of the node's call, true after
 * the end. The method difference counts from the method of the last call event, always the node's
 * method.
 */
#ifndef PV_FORMAT_MLPD_EXPECTED_H
#define PV_FORMAT_MLPD_EXPECTED_H

#include "common/calls/mlpd_tree.h"

/* The loop's variables, kept out of structures that stores might alias. */
struct mlpd_loop {
	struct mlpd_tree *tree;
	struct mlpd_node *node; /* the tree's, while mlpd_take_expected() runs */
	const uint8_t *p, *from;
	const uint8_t *last;          /* after the last byte at which an event may begin */
	const uint8_t *back;          /* a byte before the event at hand, if of short time */
	const struct mlpd_open *room; /* the end of the room for open calls */
	uint64_t now, method, mask;
	int64_t limit;
	uint32_t at;
	bool ended;
	size_t depth;
	uint32_t enters, exceptional;
};

/*
 * Goes on while every event is expected at its place, up to where an event could reach `end`. A
 * segment is open, the place is not the root, and differences count from the place's method;
 * l->method is not touched.
 */
void mlpd_take_expected(struct mlpd_loop *l, const uint8_t *end, uint64_t mask);

/*
 * Expects the event at l->p from now on, if in a usual form: the enter from the place to `child`;
 * the end of `caller`.
 */
void mlpd_expect_enter(const struct mlpd_loop *l, const uint8_t *end, uint32_t child);
void mlpd_expect_leave(const struct mlpd_loop *l, const uint8_t *end, uint32_t caller);

/* Counts an ended call of this node that took `ns`. False when out of memory. */
bool mlpd_end_call(const struct mlpd_loop *l, uint32_t node, int64_t ns);

#endif
