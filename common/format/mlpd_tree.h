/*
 * The paths of a strand (digest.h) as a tree, whose nodes have the paths' numbers, with what the
 * decoder has learnt of the order in which calls come: it says how an event that follows as before is
 * written, so that nothing of it needs to be taken apart. Which nodes there are and what is
 * expected where changes how long decoding takes, and never what it gives.
 *
 * Only while a stretch is open do nodes hold figures.
 */
#ifndef PV_FORMAT_MLPD_TREE_H
#define PV_FORMAT_MLPD_TREE_H

#include "common/base/mem.h"
#include "common/format/digest.h"

/*
 * A call event that came here. Bits 24 to 63: the bytes of its method difference, one to five,
 * shifted left until they end at the top; 6 to 23: the call that began, or the caller; 0 to 5: by how much they were
 * shifted, from where the first of them is at the bottom. Of longer differences the first five bytes:
 * the last of them says, in bit 63, that more follow.
 */
struct mlpd_step {
	uint64_t v;
};

/* One cache line, and aligned so. */
struct mlpd_node {
	uint64_t key;      /* method; of the root: none */
	uint64_t total_ns; /* of calls that ended */
	int64_t max_ns;
	uint32_t more_calls;          /* that ended, less one; UINT32_MAX: it is not in tree.touched */
	uint32_t parent;              /* smaller than the node's own number; the root's: itself */
	struct mlpd_step leave;       /* behind this call, its caller's */
	struct mlpd_step first;       /* the call in this one that came last */
	struct mlpd_step next, other; /* calls behind this one: the last, and the last but that */
};

struct mlpd_exc {
	uint32_t node; /* left by an exception */
};

enum {
	MLPD_ROOT = PV_STRAND_BASE,
	MLPD_TREE_KEPT = 3 << 16,       /* nodes; larger trees are begun anew */
	MLPD_TREE_MOST = 1 << 18,       /* as many as a step can tell apart */
	MLPD_STEP_BYTES = 24, MLPD_STEP_NODE = 6, /* bits where they begin */
};

struct mlpd_tree {
	struct mlpd_node *node; /* [0] unused */
	uint32_t n, room;
	uint32_t *slot; /* (parent, key) -> node, 0 = free; above it some of the hash */
	size_t slots;
	uint32_t told;              /* nodes that a digest has named */
	PV_ARRAY(uint32_t) touched; /* nodes with calls, as they ended first; room for all */
	PV_ARRAY(int64_t) entered;  /* times, of the calls that are open */
	PV_ARRAY(struct mlpd_exc) exc;
};

/* A zeroed tree is valid and empty. False when out of memory, here and below. */
void mlpd_tree_finish(struct mlpd_tree *t);
/* There is a root from here on. */
bool mlpd_tree_begin(struct mlpd_tree *t);
/* Nothing is in it any more, and what it has learnt is lost; no stretch is open. */
void mlpd_tree_forget(struct mlpd_tree *t);
/* The node's child, made when new; 0 when out of memory, and at MLPD_TREE_MOST nodes. */
uint32_t mlpd_tree_child(struct mlpd_tree *t, uint32_t parent, uint64_t key);

/* Of `n` bytes, the first of them lowest. */
static inline struct mlpd_step mlpd_step(uint64_t bytes, unsigned n)
{
	return (struct mlpd_step){ bytes << (64 - 8 * n) | (64 - 8 * n) };
}

/* What looks like no event. */
static inline struct mlpd_step mlpd_no_step(void)
{
	return (struct mlpd_step){ 1 << MLPD_STEP_BYTES | 56 };
}

static inline bool mlpd_step_is_long(struct mlpd_step s)
{
	return (int64_t)s.v < 0;
}

static inline struct mlpd_step mlpd_step_to(struct mlpd_step s, uint32_t node)
{
	return (struct mlpd_step){ s.v | (uint64_t)node << MLPD_STEP_NODE };
}

static inline uint32_t mlpd_step_node(struct mlpd_step s)
{
	return (uint32_t)(s.v >> MLPD_STEP_NODE) & (MLPD_TREE_MOST - 1);
}

static inline unsigned mlpd_tree_shift(const struct mlpd_tree *t)
{
	return 64 - (unsigned)__builtin_ctzll(t->slots);
}

static inline uint64_t mlpd_tree_hash(uint32_t parent, uint64_t key)
{
	return (key + parent * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
}

/* The part of the hash that a slot has, where a node's number leaves room for it. */
static inline uint32_t mlpd_tree_tag(uint64_t hash)
{
	return (uint32_t)(hash >> 11) & ~(uint32_t)(MLPD_TREE_MOST - 1);
}

/* 0: not there. */
static inline uint32_t mlpd_tree_find(const struct mlpd_tree *t, uint32_t parent, uint64_t key)
{
	uint64_t hash = mlpd_tree_hash(parent, key);
	size_t at = (size_t)(hash >> mlpd_tree_shift(t));
	uint32_t tag = mlpd_tree_tag(hash), most = MLPD_TREE_MOST;
	for (uint32_t s; (s = t->slot[at]) != 0; at = (at + 1) & (t->slots - 1)) {
		const struct mlpd_node *n = &t->node[s & (most - 1)];
		if ((s & ~(most - 1)) == tag && n->key == key && n->parent == parent)
			return s & (most - 1);
	}
	return 0;
}

#endif
