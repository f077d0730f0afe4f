/* SPDX-License-Identifier: MIT */
/*
 * The paths of a stream (call_summary.h) as a tree, whose nodes have the paths' numbers, with the
 * order of calls learnt so far: an event that comes as before has known bytes, and needs no
 * decoding. Nodes and expectations change only the time that decoding takes, never the result.
 *
 * Only while a segment is open do nodes hold figures (ns). One thread at a time uses a tree.
 */
#ifndef PV_FORMAT_MLPD_TREE_H
#define PV_FORMAT_MLPD_TREE_H

#include "common/base/mem.h"
#include "common/base/seed.h"
#include "common/format/call_summary.h"

/*
 * The bytes of an expected call event: kind, two bytes for the difference of times, and the first
 * five bytes of the method difference or fewer. The first byte is lowest; unused bytes are 0. In
 * place of the time: bits 16 to 22: length in bits; more than 64: the difference is longer.
 */
struct mlpd_step {
	uint64_t bytes;
	uint32_t to; /* bits 6 to 23: the call that begins, or the caller, in tree.node */
};

/* An expected event, and the node it leads to. */
enum mlpd_way {
	MLPD_FIRST, /* in this call, its first call */
	MLPD_NEXT,
	MLPD_OTHER, /* after this call: the most frequent (NEXT), another frequent one ... */
	MLPD_UP,    /* ... and its caller's end */
	MLPD_WAYS
};

/* One cache line, and aligned so. */
struct mlpd_node {
	uint64_t bytes[MLPD_WAYS]; /* of the expected steps */
	uint32_t to[MLPD_UP];
	uint64_t total_ns;   /* of ended calls */
	uint32_t longest_ns; /* above MLPD_LONG: index in tree.long_ns + MLPD_LONG + 1 */
	uint32_t more_calls; /* ended calls, less one; UINT32_MAX: not in tree.touched */
};

#define MLPD_LONG INT32_MAX /* ns */

/* The part of a node that is read only after an unexpected event. */
struct mlpd_place {
	uint64_t key;         /* method; of the root: none */
	uint32_t parent;      /* smaller than the node's own number; the root's: itself */
	uint32_t spare_to[2]; /* a further expected step, in this call and after it */
	uint64_t spare_bytes[2];
};

/* An open call. */
struct mlpd_open {
	int64_t enter_ns;
	uint32_t at; /* as in a step */
};

struct mlpd_exc {
	uint32_t node; /* left by an exception */
};

enum {
	MLPD_ROOT = PV_PATH_BASE,
	MLPD_TREE_MOST = 1 << 18, /* as many as a step can number */
	/* Offsets in bits. */
	MLPD_STEP_BITS = 16,
	MLPD_STEP_METHOD = 24,
	MLPD_STEP_NODE = 6,
	MLPD_STEP_MOST = 64, /* bits */
	MLPD_STEP_LONG = 8 << MLPD_STEP_BITS,
	MLPD_TAG_BITS = 13, /* of a slot, see mlpd_tree_tag() */
};

struct mlpd_tree {
	struct mlpd_node *node;   /* [0] unused */
	struct mlpd_place *place; /* likewise: one for each node */
	uint32_t n, room;
	uint32_t node_room, place_room; /* as large, or larger */
	uint32_t *slot; /* (parent, key) -> node, 0 = free; above the number a part of the hash */
	size_t slots;
	uint32_t described;              /* nodes whose paths a summary has described */
	PV_ARRAY(uint32_t) touched;      /* nodes with calls, by first end; room for all */
	PV_ARRAY(struct mlpd_open) open; /* of the stream; the first is outermost */
	PV_ARRAY(struct mlpd_exc) exc;
	PV_ARRAY(int64_t) long_ns; /* of nodes whose longest call takes seconds */
};

/* A zeroed tree is valid and empty. False when out of memory, here and below. */
void mlpd_tree_finish(struct mlpd_tree *t);
/* Makes the root, if missing. */
bool mlpd_tree_begin(struct mlpd_tree *t);
/* Empties the tree and its expectations; no segment is open. */
void mlpd_tree_forget(struct mlpd_tree *t);
/* The node's child, made when new; 0 when out of memory, and at MLPD_TREE_MOST nodes. */
uint32_t mlpd_tree_child(struct mlpd_tree *t, uint32_t parent, uint64_t key);

/* A step: `kind` is the event's byte, `bytes` the method difference of `n` bytes, 1 to 5. */
static inline struct mlpd_step mlpd_step(uint8_t kind, uint64_t bytes, unsigned n, uint32_t node)
{
	unsigned bits = MLPD_STEP_METHOD + 8 * n;
	bytes = bytes << (64 - 8 * n) >> (64 - bits); /* NOLINT(clang-analyzer-core.BitwiseShift) */
	bytes |= bits << MLPD_STEP_BITS | 0x8000 | kind;
	return (struct mlpd_step){ bytes, node << MLPD_STEP_NODE };
}

/* Makes a step the expected event at a node in this way. */
static inline void mlpd_expect(struct mlpd_node *n, enum mlpd_way way, struct mlpd_step s)
{
	n->bytes[way] = s.bytes;
	if (way != MLPD_UP)
		n->to[way] = s.to;
}

/* The node that the step leads to; for MLPD_FIRST to MLPD_OTHER. */
static inline uint32_t mlpd_expected(const struct mlpd_node *n, enum mlpd_way way)
{
	return n->to[way] >> MLPD_STEP_NODE;
}

/* The hash of a node, by parent and method. */
static inline uint32_t mlpd_tree_hash(uint32_t parent, uint64_t key)
{
	return pv_hash_spread(pv_hash_sum(key) + parent * pv_secret.parent);
}

/* The part of the hash that is no index in `slot`; stored above a node's number. */
static inline uint32_t mlpd_tree_tag(uint32_t hash)
{
	return hash << (32 - MLPD_TAG_BITS);
}

/* The child of `parent` for a method; 0: none. */
static inline uint32_t mlpd_tree_find(const struct mlpd_tree *t, uint32_t parent, uint64_t key)
{
	uint32_t hash = mlpd_tree_hash(parent, key);
	size_t at = hash >> MLPD_TAG_BITS & (t->slots - 1);
	uint32_t tag = mlpd_tree_tag(hash), most = MLPD_TREE_MOST;
	for (uint32_t s; (s = t->slot[at]) != 0; at = (at + 1) & (t->slots - 1)) {
		const struct mlpd_place *p = &t->place[s & (most - 1)];
		if ((s & ~(most - 1)) == tag && p->key == key && p->parent == parent)
			return s & (most - 1);
	}
	return 0;
}

#endif
