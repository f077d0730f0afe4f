/* Private to the room: the tree itself. One thread at a time uses one; false: out of memory. */
#ifndef PV_QUERY_FLAME_FLAME_PARTS_H
#define PV_QUERY_FLAME_FLAME_PARTS_H

#include "common/query/call_copy.h"
#include "common/query/flame/flame.h"
#include "common/query/groups_kept.h"
#include "common/query/name_filter.h"
#include "common/query/readable.h"

/* Children stand next to each other, the heaviest first; parents before their children. */
struct pv_flame_node {
	uint32_t parent, frame, child, children;
	uint64_t self, total;
};

struct pv_flame_frame {
	const char *name, *shown; /* shown: NULL until it is asked for */
	uint64_t key;             /* of the name; never 0 */
	uint8_t kind, flags;
};

/* Shared by all shapes of a tree. */
struct pv_flame_frames {
	struct pv_flame_frame *v;
	uint32_t n;
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
	struct pv_name_places origins; /* made for the first filter that asks */
	bool has_origins;
	struct pv_flame_shape whole; /* as it was recorded, equal names merged */
	uint64_t generation;
	enum pv_time_of time_of;
	double scale; /* of a pair: the base's, see flame.h; 0: it is none */
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

/* The sum, UINT64_MAX where it is beyond. */
static inline uint64_t pv_flame_plus(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The material of a shape: the call tree's copy, or (of) another shape with other own weights. */
struct pv_flame_source {
	const struct pv_call_copy *copy;
	const struct pv_flame_shape *of;
	const uint64_t *self;
	const uint64_t *base; /* own weight of the base, by node; NULL: there is none */
	uint32_t root_frame;  /* of the root's own weight */
	bool fold;
};

/* flame_shape.c. False when out of memory; `ret` is empty then. */
bool pv_flame_shape_make(const struct pv_flame_source *s, const struct pv_flame_frames *f,
	struct pv_flame_shape *ret);
/* Likewise, of a shape with other own weights; nodes that weigh nothing now are left out. */
bool pv_flame_shape_less(
	const struct pv_flame_shape *s, const uint64_t *self, struct pv_flame_shape *ret);
/* By node, 1 where one of `frame[]` is on the way to it; free() it. NULL: out of memory. */
uint8_t *pv_flame_within(const struct pv_flame_shape *s, const uint8_t *frame);

/* The view whose coverage line holds for the measure, too. */
enum pv_view pv_flame_view(enum pv_flame_measure m);
/* Frames made here, of no group. */
enum { PV_FLAME_NO_STACK, PV_FLAME_OTHER, PV_FLAME_OLDER, PV_FLAME_OWN_FRAMES };

/* flame_find.c: the name for people, owned by `f`; that of the log when out of memory. */
const char *pv_flame_shown(struct pv_flame_frames *f, uint32_t frame);
/* By frame, 1 where its name has the text; free() it. NULL: out of memory. */
uint8_t *pv_flame_match(struct pv_flame_frames *f, const char *text);
/* Forgets what the last wish left; makes that anew for a wish. */
void pv_flame_forget(struct pv_flame_tree *t);
bool pv_flame_prepare(struct pv_flame_tree *t, const struct pv_flame_wish *w);

/* flame_walk.c: nodes met at the end of a way, and those that their weight comes from. */
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
	bool from_leaves; /* UP from the root: the first step is to the frames that have weight */
	uint64_t steps;
};
/* These add to `ret`; false: out of memory. */
bool pv_flame_begin(
	struct pv_flame_walk *w, const struct pv_flame_path *p, struct pv_flame_members *ret);
/* One step further from all of them. */
bool pv_flame_open(
	struct pv_flame_walk *w, const struct pv_flame_members *from, struct pv_flame_members *ret);
/* Instead of begin: along the path; *ret_n: how many of its keys were found. */
bool pv_flame_walk(struct pv_flame_walk *w, const struct pv_flame_path *p,
	struct pv_flame_members *ret, size_t *ret_n);

#endif
