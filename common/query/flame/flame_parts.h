/* SPDX-License-Identifier: MIT */
/*
 * Private to the room: the tree's structure. One thread at a time uses a tree; false: out of
 * memory.
 */
#ifndef PV_QUERY_FLAME_FLAME_PARTS_H
#define PV_QUERY_FLAME_FLAME_PARTS_H

#include "common/query/groups/call_copy.h"
#include "common/query/flame/flame.h"
#include "common/query/groups/groups_kept.h"
#include "common/query/groups/name_filter.h"
#include "common/query/groups/readable.h"

/* Children stand next to each other, the heaviest first; parents before their children. */
struct pv_flame_node {
	uint32_t parent, frame, child, children;
	uint64_t self, total;
};

struct pv_flame_frame {
	const char *name, *shown; /* shown: NULL until first needed */
	uint64_t key;             /* of the name; never 0 */
	uint8_t kind, flags;
	uint8_t usual; /* percent, for frames of usual awaiting (logical.h), not in the name */
};

/* Shared by all shapes of a tree. */
struct pv_flame_frames {
	struct pv_flame_frame *v;
	uint32_t n, own; /* own: the first of PV_FLAME_OWN_FRAMES */
	struct pv_groups methods, classes;
	struct pv_arena arena;
	bool readable;
};

/* The base's part of a node's weights. */
struct pv_flame_part {
	uint64_t self, total;
};

struct pv_flame_shape {
	struct pv_flame_node *node; /* [0] is the root */
	struct pv_flame_part *base; /* by node; NULL but for pairs */
	uint32_t n;
};

struct pv_flame_tree {
	unsigned refs; /* atomic */
	struct pv_model *model;
	struct pv_flame_frames frame;
	struct pv_name_places origins; /* made for the first filter that needs origins */
	bool has_origins;
	struct pv_flame_shape whole; /* as recorded, equal names merged */
	uint64_t generation;
	enum pv_time_of time_of;
	double scale; /* of a pair: the base's factor, see flame.h; 0: no pair */
	uint32_t grain;
	struct pv_flame_tree *of[2]; /* of a pair: base, new */
	const char *coverage;        /* in frame.arena */

	/* left by the last wish, with figures by frame */
	struct pv_flame_shape left;
	uint64_t *everywhere;
	uint32_t *places;
	char *left_filter;
	bool left_fold, left_made, left_all; /* all: `left` is `whole` itself */
	uint64_t left_cuts;
};

/* The sum, UINT64_MAX on overflow. */
static inline uint64_t pv_flame_plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The material of a shape: the call tree's copy, or (of) another shape with other own weights. */
struct pv_flame_source {
	const struct pv_call_copy *copy;
	const struct pv_flame_shape *of;
	const uint64_t *self;
	const uint64_t *base; /* the base's own weights, by node; NULL: none */
	uint32_t root_frame;  /* for the root's own weight */
	bool fold;
};

/* flame_shape.c. False when out of memory; `ret` is empty then. */
bool pv_flame_shape_make(const struct pv_flame_source *s, const struct pv_flame_frames *f,
	struct pv_flame_shape *ret);
/* Likewise, for a shape with other own weights; nodes without weight are left out. */
bool pv_flame_shape_less(
	const struct pv_flame_shape *s, const uint64_t *self, struct pv_flame_shape *ret);
/* By node, 1 below or at a frame with frame[] set; free() the array. NULL: out of memory. */
uint8_t *pv_flame_within(const struct pv_flame_shape *s, const uint8_t *frame);

/* The view with the measure's coverage line. */
enum pv_view pv_flame_view(enum pv_flame_measure m);
/* Frames made here, of no group. */
enum { PV_FLAME_NO_STACK, PV_FLAME_OTHER, PV_FLAME_OLDER, PV_FLAME_OWN_FRAMES };

/* flame_find.c: the name for people, owned by `f`; the log's when out of memory. */
const char *pv_flame_shown(struct pv_flame_frames *f, uint32_t frame);
/* By frame, 1 if the name has the text; free() the array. NULL: out of memory. */
uint8_t *pv_flame_match(struct pv_flame_frames *f, const char *text);
/* Drops the tree left by the last wish; makes the tree for a wish. */
void pv_flame_forget(struct pv_flame_tree *t);
bool pv_flame_prepare(struct pv_flame_tree *t, const struct pv_flame_wish *w);

/* flame_walk.c: a node at the end of a path, and the node of origin of its weight. */
struct pv_flame_member {
	uint32_t node, origin;
	uint64_t weight, base;
};
struct pv_flame_members {
	PV_ARRAY(struct pv_flame_member) v;
};
struct pv_flame_walk {
	const struct pv_flame_tree *t;
	const struct pv_flame_shape *s;
	enum pv_flame_way way;
	bool from_leaves; /* UP from the root: the first step is to the frames with own weight */
	uint64_t steps;
};
/* Functions below add to `ret`; false: out of memory. */
bool pv_flame_begin(
	struct pv_flame_walk *w, const struct pv_flame_path *p, struct pv_flame_members *ret);
/* One step further from all members. */
bool pv_flame_open(
	struct pv_flame_walk *w, const struct pv_flame_members *from, struct pv_flame_members *ret);
/* In place of pv_flame_begin(): follows the path; *ret_n: how many of its keys were found. */
bool pv_flame_walk(struct pv_flame_walk *w, const struct pv_flame_path *p,
	struct pv_flame_members *ret, size_t *ret_n);

#endif
