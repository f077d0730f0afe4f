/* SPDX-License-Identifier: MIT */
#ifndef PV_TESTS_GRAPH_BYTES_H
#define PV_TESTS_GRAPH_BYTES_H

#include "common/heap/graph.h"

/* Bytes that a graph takes, its tables' spare room included. */
static inline uint64_t graph_bytes(const struct pv_graph *g)
{
	uint64_t node =
		sizeof *g->address + sizeof *g->size + sizeof *g->class_of + sizeof *g->first;
	return g->nodes * node + g->edges * (sizeof *g->to + sizeof *g->offset) +
	       g->klass.room * sizeof *g->klass.v + g->root.room * sizeof *g->root.v +
	       g->area.room * sizeof *g->area.v + g->layout.room * sizeof *g->layout.v +
	       (g->field.room + g->static_field.room) * sizeof *g->field.v +
	       g->string.room * sizeof *g->string.v + g->text.bytes;
}

#endif
