/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> the events of one buffer -> the graph of its first heap shot and all that is worked out
 * of it. Whatever was listed, the graph hangs together, its sums agree, and its memory is bounded
 * by the bytes.
 *
 * The first byte chooses the data version, the second whether weak handles count; then the events.
 */
#include <stdlib.h>
#include <string.h>

#include "common/format/mlpd/mlpd.h"
#include "common/heap/graph_build.h"
#include "common/heap/heap_paths.h"
#include "common/heap/heap_set.h"
#include "tests/kit/graph_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool ok)
{
	if (!ok)
		abort();
}

static void check_graph(const struct pv_graph *g, size_t n)
{
	enum { FOR_A_BYTE = 400, FOR_NOTHING = 1 << 16 };
	for (uint32_t i = 0; i < g->nodes; i++) {
		must(i == 0 || g->address[i - 1] < g->address[i]);
		must(g->first[i] <= g->first[i + 1] && g->class_of[i] < g->klass.n);
		must(pv_graph_find(g, g->address[i]) == i);
	}
	must(g->nodes == 0 || g->first[g->nodes] == g->edges);
	for (uint32_t e = 0; e < g->edges; e++)
		must(g->to[e] < g->nodes);
	for (size_t i = 0; i < g->root.n; i++)
		must(g->root.v[i].node < g->nodes && g->root.v[i].source < PV_ROOT_SOURCES);
	must(graph_bytes(g) < n * FOR_A_BYTE + FOR_NOTHING);
}

/* Sizes are hostile too: sums wrap, but wrap alike. */
static void check_heap(const struct pv_heap *h)
{
	const struct pv_graph *g = &h->graph;
	uint64_t reached = 0, kept = 0, classes = 0;
	for (uint32_t i = 0; i < g->nodes; i++) {
		must(h->idom[i] < g->nodes || h->idom[i] >= PV_HEAP_ROOTS);
		must((h->idom[i] == PV_GRAPH_NONE) == (h->up[i] == PV_GRAPH_NONE));
		reached += h->idom[i] == PV_GRAPH_NONE ? 0 : g->size[i];
		kept += h->idom[i] == PV_HEAP_ROOTS ? h->retained[i] : 0;
	}
	must(kept == reached && reached + h->unreachable_bytes == g->bytes);
	for (size_t i = 0; i < g->klass.n; i++)
		classes += g->klass.v[i].bytes;
	must(classes == g->bytes);
	must(h->kept_first[g->nodes + 1] == g->nodes - h->unreachable);
}

static void walk(const struct pv_heap *h)
{
	struct pv_merged all;
	struct pv_heap_set set;
	struct pv_path p;
	for (uint32_t i = 0; i < h->graph.nodes && i < 8; i++) {
		must(pv_path_find(h, i, &p));
		must((p.step.n == 0) == (h->up[i] == PV_GRAPH_NONE));
		pv_path_finish(&p);
	}
	for (uint32_t k = 0; k < h->graph.klass.n && k < 4; k++) {
		must(pv_heap_set_class(h, k, &set));
		must(set.node.n == h->graph.klass.v[k].objects);
		must(pv_merged_paths(h, set.node.v, set.node.n, &all));
		pv_merged_finish(&all);
		pv_heap_set_finish(&set);
	}
}

static void build(const struct pv_batch *batch, const struct pv_graph_build_options *o, size_t n)
{
	struct pv_graph_build *b = pv_graph_build_create(o);
	struct pv_error err = { 0 };
	struct pv_graph g;
	struct pv_heap h;
	must(b && pv_graph_build_add(b, batch, &err));
	must(pv_graph_build_finish(b, NULL, NULL, &g, &err));
	pv_graph_build_destroy(b);
	check_graph(&g, n);
	must(pv_heap_init(&h, &g, o->handles, true, NULL, &err));
	check_heap(&h);
	walk(&h);
	pv_heap_finish(&h);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pv_batch batch = { 0 };
	struct mlpd_bases bases = { .ptr = 0x4000, .obj = 0x1000 >> 3 };
	size_t used;
	if (n < 2)
		return 0;
	const struct mlpd_format f = { (uint8_t)(1 + bytes[0] % MLPD_NEWEST), 3, 8, 0 };
	if (pv_reserve(&batch.bytes, n)) {
		memcpy(batch.bytes.v, bytes + 2, n - 2);
		batch.bytes.n = n - 2;
		if (mlpd_decode_batch(&batch, &bases, &f, false, &used))
			build(&batch,
				&(struct pv_graph_build_options){
					.rules = f.data_version, .handles = bytes[1] & 1 },
				n);
	}
	pv_batch_finish(&batch);
	return 0;
}
