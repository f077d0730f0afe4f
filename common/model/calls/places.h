/* SPDX-License-Identifier: MIT */
/*
 * Samples, allocations, waits for locks and throws by address: a tree of places next to that of
 * methods, for questions that need more than the method (lines). The tree has only frames whose
 * address is in the log. No name or line is searched when an event is applied. Bounded by
 * PV_PLACES_CAP nodes, of which the last quarter is for samples. Part of the model: written by
 * the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_PLACES_H
#define PV_MODEL_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_PLACES_CAP = 1 << 19, PV_PLACES_OF_EVENTS = PV_PLACES_CAP / 4 * 3 };

struct pv_place {
	uint64_t address;
	uint32_t method; /* id in names, of the function as in the tree of methods */
	uint32_t before; /* another place of this address, 0: none */
};

struct pv_place_node {
	uint64_t samples;       /* met here, without callees */
	uint32_t parent, place; /* parent: the caller's node, always a smaller number; 0: none */
	uint32_t call;          /* node of the call tree where the samples count; 0: none */
	uint32_t same;          /* another node of parent and place, for another call; 0: none */
};

/* Sums of the events whose stacks end at a node, without stacks that go on from there. */
struct pv_place_sum {
	uint32_t node;
	uint64_t allocations, bytes;
	uint64_t waits, wait_ns; /* for locks; ns: of ended waits */
	uint64_t throws;
};

struct pv_places {
	PV_ARRAY(struct pv_place) place;     /* [0] unused */
	PV_ARRAY(struct pv_place_node) node; /* [0]: the root; both at most PV_PLACES_CAP */
	struct pv_map place_of;              /* address -> newest place */
	struct pv_map node_of;               /* parent << 32 | place -> node */
	uint64_t samples, dropped;           /* in the tree; beyond the limit */
	PV_ARRAY(struct pv_place_sum) sum;   /* of nodes with events but samples */
	struct pv_map sum_of;                /* node -> index in sum */
};

struct pv_context;
struct pv_event;
struct pv_model;

/*
 * Private to the model, as all below: the node of a frame of an event's stack, below its caller's
 * node (0: none). Without room PV_PLACE_LOST, as for all frames below one that is lost;
 * PV_MAP_NONE: out of memory.
 */
#define PV_PLACE_LOST (PV_MAP_NONE - 1)
uint32_t pv_places_frame(struct pv_places *p, uint32_t parent, uint32_t method, uint64_t address);
/* Adds to the sums of more->node; 0, lost, or no node: nothing is done. False: out of memory. */
bool pv_places_add(struct pv_places *p, const struct pv_place_sum *more);

/*
 * Private to the model. Adds a sample: frames; `leaf`, the method at the sample's own address (0:
 * none); `call`, the sample's node of the call tree. *ret_node: 0: none. False: out of memory.
 */
bool pv_places_sampled(struct pv_context *x, const struct pv_event *e, uint32_t leaf, uint32_t call,
	uint64_t weight, uint32_t *ret_node);
/* Private to the model. The call tree's nodes got other numbers: `into` by the old ones. */
void pv_places_renumber(struct pv_places *p, const uint32_t *into);
void pv_places_finish(struct pv_places *p);

#endif
