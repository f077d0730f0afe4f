/* SPDX-License-Identifier: MIT */
/* Neighbours of a heap object: references, referrers, dominated objects, merged paths. */
#include <stdlib.h>

#include "common/base/map.h"
#include "common/heap/heap_paths.h"
#include "common/heap/heap_set.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/groups/specs.h"

enum { MOST_ROWS = 10000 };

/* --- references and referrers */

enum { R_OFFSET, R_RETAINED, R_BYTES, R_ADDRESS, R_OWN, R_CLASS, R_PREVIEW };

static const struct pv_column reference_columns[] = {
	[R_OFFSET] = { "offset", "FIELD", PV_UNIT_TEXT, 10, 0, PV_COLUMN_ASCENDING, .json = 1 },
	[R_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 1, .json = 5 },
	[R_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 3, .json = 4 },
	[R_ADDRESS] = { "address", "ADDRESS", PV_UNIT_ADDRESS, 14, 2, PV_COLUMN_ASCENDING,
		.json = 2 },
	[R_OWN] = { "own", "OWN", PV_UNIT_TEXT, 6, 4, PV_COLUMN_ASCENDING, .json = 6,
		.help = "Size of the object itself" },
	[R_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 24, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 3 },
	[R_PREVIEW] = { "preview", "STRING", PV_UNIT_TEXT, 24, 1, PV_COLUMN_ASCENDING, .json = 7 },
};

static void put_end(struct pv_build *b, const struct pv_heap *h, uint32_t node,
	const struct pv_object_ref *ref, const char *own)
{
	uint32_t offset = ref->offset;
	/* Two fields may refer to one object: ids include the field. */
	struct pv_cell *c = pv_build_row(b, pv_object_row(node) | (uint64_t)(offset + 1) << 32);
	pv_cell_s(&c[R_OFFSET], pv_build_field(b, h, ref));
	pv_cell_retained(&c[R_RETAINED], h, node);
	pv_cell_u(&c[R_BYTES], h->graph.size[node]);
	pv_cell_u(&c[R_ADDRESS], h->graph.address[node]);
	pv_cell_s(&c[R_OWN], own);
	pv_cell_s(&c[R_CLASS], pv_class_text(h, node));
	pv_cell_s(&c[R_PREVIEW], pv_build_preview(b, h, node));
}

static void run_references(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	uint32_t node = h ? pv_object_of(h, b->query->select) : PV_GRAPH_NONE;
	if (node == PV_GRAPH_NONE)
		return;
	const struct pv_graph *g = &h->graph;
	uint32_t end = g->first[node + 1];
	for (uint32_t e = g->first[node]; e < end && e - g->first[node] < MOST_ROWS; e++)
		put_end(b, h, g->to[e], &(struct pv_object_ref){ node, g->offset[e] },
			h->idom[g->to[e]] == node ? "own" : "shared");
	if (end - g->first[node] > MOST_ROWS)
		b->left_out = end - g->first[node] - MOST_ROWS;
}

const struct pv_view_spec pv_spec_heap_references = { .column = reference_columns,
	.columns = PV_COUNT_OF(reference_columns),
	.name = "class",
	.sort = "retained_bytes",
	.run = run_references };

static void put_roots(struct pv_build *b, const struct pv_heap *h, uint32_t node)
{
	size_t first, n = pv_graph_roots_of(&h->graph, node, &first);
	for (size_t i = first; i < first + n && i - first < MOST_ROWS; i++) {
		const struct pv_graph_root *r = &h->graph.root.v[i];
		struct pv_cell *c = pv_build_row(b, UINT64_C(1) << 63 | i);
		for (size_t k = 0; k < PV_COUNT_OF(reference_columns); k++)
			pv_cell_null(&c[k]);
		pv_cell_s(&c[R_OFFSET], "root");
		pv_cell_u_if(&c[R_ADDRESS], r->slot, r->slot);
		pv_cell_s(&c[R_CLASS], pv_build_root(b, h, i));
		if (!pv_heap_counts(h, r))
			pv_cell_s(&c[R_OWN], "weak");
	}
}

static void run_referrers(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	uint32_t node = h ? pv_object_of(h, b->query->select) : PV_GRAPH_NONE;
	if (node == PV_GRAPH_NONE)
		return;
	const struct pv_graph *g = &h->graph;
	uint32_t from = h->by_first[node], end = h->by_first[node + 1];
	put_roots(b, h, node);
	for (uint32_t i = from; i < end && i - from < MOST_ROWS; i++) {
		uint32_t by = h->by[i];
		if (i > from && h->by[i - 1] == by)
			continue; /* further fields came with the first */
		for (uint32_t e = g->first[by], n = 0; e < g->first[by + 1] && n < 100; e++) {
			if (g->to[e] != node)
				continue;
			put_end(b, h, by, &(struct pv_object_ref){ by, g->offset[e] },
				h->idom[node] == by ? "keeps" : "shares");
			n++;
		}
	}
	if (end - from > MOST_ROWS)
		b->left_out = end - from - MOST_ROWS;
}

const struct pv_view_spec pv_spec_heap_referrers = { .column = reference_columns,
	.columns = PV_COUNT_OF(reference_columns),
	.name = "class",
	.sort = "retained_bytes",
	.run = run_referrers };

/* --- the dominator tree, a level at a time */

enum { K_RETAINED, K_SHARE, K_BYTES, K_KEEPS, K_ADDRESS, K_FIELD, K_CLASS, K_PREVIEW };

static const struct pv_column kept_columns[] = {
	[K_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 0, .json = 5 },
	[K_SHARE] = { "share_percent", "SHARE", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	[K_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 3, .json = 4 },
	[K_KEEPS] = { "keeps", "KEEPS", PV_UNIT_COUNT, 8, 4, .json = 6,
		.help = "How many objects it keeps directly" },
	[K_ADDRESS] = { "address", "ADDRESS", PV_UNIT_ADDRESS, 14, 2, PV_COLUMN_ASCENDING,
		.json = 1 },
	[K_FIELD] = { "field", "FIELD", PV_UNIT_TEXT, 20, 3, PV_COLUMN_ASCENDING, .json = 3 },
	[K_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 2 },
	[K_PREVIEW] = { "preview", "STRING", PV_UNIT_TEXT, 24, 1, PV_COLUMN_ASCENDING, .json = 7 },
};

/* The first reference from an object to each other object, by node. */
static bool note_references(const struct pv_graph *g, uint32_t node, struct pv_map *ret)
{
	for (uint32_t e = g->first[node + 1]; e > g->first[node]; e--)
		if (!pv_map_set(ret, g->to[e - 1], e - 1))
			return false;
	return true;
}

/* The keeper's field that refers to the object, if any; for roots: the kind. */
static const char *kept_in(struct pv_build *b, const struct pv_heap *h, uint32_t by,
	const struct pv_map *at, uint32_t node)
{
	if (by < h->graph.nodes) {
		uint32_t e = pv_map_get(at, node);
		return e == PV_MAP_NONE
			       ? NULL
			       : pv_build_field(
					 b, h, &(struct pv_object_ref){ by, h->graph.offset[e] });
	}
	size_t root = pv_heap_best_root(h, node);
	if (root == SIZE_MAX)
		return NULL;
	const struct pv_graph_root *r = &h->graph.root.v[root];
	if (r->flags & PV_GRAPH_INFERRED)
		return "inferred";
	return pv_graph_root_field(&h->graph, r) ? pv_build_root(b, h, root)
						 : pv_root_source_text(r->source);
}

/* Objects dominated by `select`; 0: only by roots. Sorted by size already. */
static void run_kept(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	const struct pv_graph *g = &h->graph;
	uint32_t by = b->query->select ? pv_object_of(h, b->query->select) : g->nodes;
	if (by == PV_GRAPH_NONE)
		return;
	uint32_t from = h->kept_first[by], end = h->kept_first[by + 1];
	uint64_t whole = by < g->nodes ? h->retained[by] : g->bytes - h->unreachable_bytes;
	struct pv_map at = { 0 };
	if (by < g->nodes && !note_references(g, by, &at))
		pv_build_fail(b);
	for (uint32_t i = from; i < end && i - from < MOST_ROWS; i++) {
		uint32_t node = h->kept[i];
		struct pv_cell *c = pv_build_row(b, pv_object_row(node));
		pv_cell_retained(&c[K_RETAINED], h, node);
		pv_cell_share(&c[K_SHARE], (double)h->retained[node], (double)whole);
		pv_cell_u(&c[K_BYTES], g->size[node]);
		pv_cell_u(&c[K_KEEPS], h->kept_first[node + 1] - h->kept_first[node]);
		pv_cell_u(&c[K_ADDRESS], g->address[node]);
		pv_cell_s(&c[K_FIELD], kept_in(b, h, by, &at, node));
		pv_cell_s(&c[K_CLASS], pv_class_text(h, node));
		pv_cell_s(&c[K_PREVIEW], pv_build_preview(b, h, node));
	}
	pv_map_finish(&at);
	if (end - from > MOST_ROWS)
		b->left_out = end - from - MOST_ROWS;
}

const struct pv_view_spec pv_spec_heap_kept = { .column = kept_columns,
	.columns = PV_COUNT_OF(kept_columns),
	.name = "class",
	.sort = "retained_bytes",
	.then = "bytes",
	.run = run_kept };

/* --- merged paths of a set, a class or an object */

enum { M_BYTES, M_THROUGH, M_OBJECTS, M_ENDS, M_TEXT };

static const struct pv_column merged_columns[] = {
	[M_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 0, .json = 2 },
	[M_THROUGH] = { "through", "OF THE SET", PV_UNIT_COUNT, 10, 1, .json = 3,
		.help = "Objects of the set that are reached this way" },
	[M_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 8, 2, .json = 4 },
	[M_ENDS] = { "ends", "ENDS", PV_UNIT_COUNT, 8, 3, .json = 5 },
	[M_TEXT] = { "name", "KEPT BY", PV_UNIT_TEXT, 40, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_TREE | PV_COLUMN_GROWS, .json = 1 },
};

static const char *merged_place_text(
	struct pv_build *b, const struct pv_graph *g, const struct pv_merged_row *r)
{
	const struct pv_graph_area *a = r->area ? &g->area.v[r->area - 1] : NULL;
	if (r->parent == PV_GRAPH_NONE && r->field)
		return pv_build_printf(b, "static %s.%s", a && a->owner ? a->owner : "?", r->field);
	if (r->parent == PV_GRAPH_NONE)
		return pv_build_printf(b, "%s%s%s%s%s",
			g->inferred ? "inferred root" : pv_root_source_text(r->source),
			a && a->name[0] ? " " : "", a ? a->name : "", a && a->owner ? " of " : "",
			a && a->owner ? a->owner : "");
	if (r->offset == PV_GRAPH_NONE)
		return g->klass.v[r->klass].name;
	if (r->field)
		return pv_build_printf(b, ".%s %s", r->field, g->klass.v[r->klass].name);
	return pv_build_printf(b, "+0x%x %s", r->offset, g->klass.v[r->klass].name);
}

static void put_merged(struct pv_build *b, const struct pv_graph *g, const struct pv_merged *all)
{
	for (size_t i = 0; i < all->row.n; i++) {
		const struct pv_merged_row *r = &all->row.v[i];
		uint64_t parent = r->parent == PV_GRAPH_NONE ? 0 : (uint64_t)r->parent + 1;
		struct pv_cell *c = pv_build_child(b, i + 1, parent, 0);
		pv_cell_u(&c[M_BYTES], r->bytes);
		pv_cell_u(&c[M_THROUGH], r->through);
		pv_cell_u(&c[M_OBJECTS], r->objects);
		pv_cell_u(&c[M_ENDS], r->ends);
		pv_cell_s(&c[M_TEXT], merged_place_text(b, g, r));
	}
}

static void run_merged(struct pv_build *b, struct pv_model *m)
{
	const struct pv_query *q = b->query;
	struct pv_heap_set set = { 0 };
	struct pv_merged all = { 0 };
	pv_build_heap_stamp(b, m);
	if (!q->heap)
		return;
	const struct pv_heap_set *of = q->set ? q->set : &set;
	uint32_t klass = q->set ? 0 : pv_graph_class_of_id(&q->heap->graph, q->select);
	if ((q->set || pv_heap_set_class(q->heap, klass, &set)) &&
		pv_merged_paths(q->heap, of->node.v, of->node.n, &all))
		put_merged(b, &q->heap->graph, &all);
	else
		pv_build_fail(b);
	pv_merged_finish(&all);
	pv_heap_set_finish(&set);
}

const struct pv_view_spec pv_spec_heap_merged = { .column = merged_columns,
	.columns = PV_COUNT_OF(merged_columns),
	.name = "name",
	.sort = "bytes",
	.then = "through",
	.tree = true,
	.run = run_merged };
