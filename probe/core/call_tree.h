/* SPDX-License-Identifier: MIT */
/*
 * Calls summed up in the process: each thread has a tree of all paths taken so far, with calls and
 * times in each node, and once a second the writer reports the growth. Only the tree grows, up to a
 * bound; a call without room counts for its caller, and as lost.
 *
 * Only the tree's own thread changes the tree, except for fields marked as the writer's. The writer
 * reads figures while they change, and corrects early reads the next time.
 */
#ifndef PV_PROBE_CALL_TREE_H
#define PV_PROBE_CALL_TREE_H

#include "probe/core/emit.h"

struct pvp_node {
	uint64_t key; /* method; of the tree's root: 0 */
	struct pvp_node *parent;
	struct pvp_node *child, *next; /* used last first */
	uint64_t enter_ns;             /* start of the open call; a path has at most one */
	_Atomic uint64_t calls, exc_leaves, self_ns, max_ns;
	_Atomic uint64_t user_ns, kernel_ns; /* if asked for */
	uint32_t depth;

	/* the writer's */
	uint32_t place, page; /* place in page, from 1 */
	struct {
		uint64_t calls, exc_leaves, self_ns, max_ns, user_ns, kernel_ns;
	} written;
};

enum { PVP_TREE_SLAB = 62 << 10, PVP_TREE_DEPTH = 4000 };

struct pvp_tree_slab {
	struct pvp_tree_slab *_Atomic next;
	_Atomic size_t n;
	struct pvp_node node[PVP_TREE_SLAB / sizeof(struct pvp_node)];
};

struct pvp_tree {
	struct pvp_node *_Atomic top;
	_Atomic uint64_t last_ns;          /* time is paid up to here */
	uint64_t deeper;                   /* open calls above top without a node */
	uint32_t session;                  /* last_ns is of this session */
	_Atomic bool quiet;                /* a pause: the path is followed, nothing is counted */
	bool plain;                        /* call_tree_hot.h may count in the tree */
	uint64_t user_ns, kernel_ns;       /* of the thread, when they were read last */
	struct pvp_tree_slab *last, first; /* first.node[0] is the root */
};

/* Set before a session: events of calls go to trees. cpu: processor time of each call as well. */
void pvp_tree_use(bool on, bool cpu, size_t most_bytes);

/* With the guard held. */
void pvp_tree_enter(uint64_t method);
void pvp_tree_leave(uint64_t method, bool exceptional);

/* The writer's, or under the core's lock when no writer runs: the thread is gone. NULL is fine. */
void pvp_tree_destroy(struct pvp_tree *t);

struct pvp_writer;
/*
 * The writer's: writes the growth of the tree up to `now` into buffers of the thread. False: not
 * written; reported later.
 */
bool pvp_tree_tell(struct pvp_writer *w, struct pvp_thread *t, uint64_t now);

#endif
