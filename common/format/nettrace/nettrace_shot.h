/* SPDX-License-Identifier: MIT */
/* The state of a heap shot while it is read. Private to this folder. */
#ifndef PV_FORMAT_NETTRACE_SHOT_H
#define PV_FORMAT_NETTRACE_SHOT_H

#include "common/base/map.h"
#include "common/base/mem.h"

struct nt_node { /* an object of a shot */
	uint64_t object, type;
	uint32_t left; /* references still to come */
};

struct nt_shot {
	bool open, broken;
	uint64_t time;                 /* ns, of its beginning */
	uint64_t lost;                 /* nettrace.lost at the beginning */
	PV_ARRAY(struct nt_node) node; /* waiting for references, from node_at on */
	PV_ARRAY(uint64_t) edge;       /* waiting for objects, likewise */
	size_t node_at, edge_at;
	uint32_t nodes, edges, root_events; /* expected numbers of the next events */
	uint64_t roots;
	struct pv_map area_of,
		type_of; /* of all shots: areas, and names of classes, already given out */
};

#endif
