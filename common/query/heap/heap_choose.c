/* SPDX-License-Identifier: MIT */
/* Chooses and sorts the objects of a heap for a list. */
#include "common/query/heap/heap_choose.h"

#include <stdlib.h>
#include <string.h>

#include "common/heap/radix.h"
#include "common/query/groups/build.h"
#include "common/query/heap/heap_find.h"
#include "common/base/map.h"
#include "common/base/status.h"

enum { BYTES, RETAINED, ADDRESS, LENGTH };

static const struct pv_filter_column numbers[] = {
	{ "bytes", PV_FILTER_BYTES, BYTES },
	{ "retained_bytes", PV_FILTER_BYTES, RETAINED },
	{ "address", PV_FILTER_PLAIN, ADDRESS },
	{ "length", PV_FILTER_PLAIN, LENGTH },
};

/* A filter, and by class and string the terms that hold. */
struct asked {
	const struct pv_heap *h;
	struct pv_filter *f;
	uint64_t *of_class;
	struct pv_map of_string; /* node -> index in `string` */
	PV_ARRAY(uint64_t) string;
	bool compares;
};

static void asked_finish(struct asked *a)
{
	pv_filter_free(a->f);
	free(a->of_class);
	pv_map_finish(&a->of_string);
	pv_array_finish(&a->string);
}

/* Terms that hold for the beginning of a string. */
static uint64_t bits_of_text(const struct pv_filter *f, const char *text)
{
	static const struct pv_column plain = { .unit = PV_UNIT_TEXT };
	return pv_name_bits(f, &plain, text, NULL, NULL) & pv_filter_bits_of(f, PV_FILTER_ANY);
}

static bool ask_strings(struct asked *a)
{
	const struct pv_graph *g = &a->h->graph;
	bool any = pv_filter_bits_of(a->f, PV_FILTER_ANY);
	for (size_t i = 0; any && i < g->string.n; i++) {
		uint64_t bits = bits_of_text(a->f, g->string.v[i].text);
		uint32_t node = bits ? pv_graph_find(g, g->string.v[i].address) : PV_GRAPH_NONE;
		if (node == PV_GRAPH_NONE)
			continue;
		if (!pv_reserve(&a->string, 1) ||
			!pv_map_set(&a->of_string, node, (uint32_t)a->string.n))
			return false;
		a->string.v[a->string.n++] = bits;
	}
	return true;
}

/* False when out of memory; an invalid filter leaves `f` NULL, and nothing passes. */
static bool ask_filter(struct asked *a, const struct pv_choice *c)
{
	static const struct pv_column class = { .unit = PV_UNIT_TEXT, .flags = PV_COLUMN_CLASS };
	const struct pv_graph *g = &a->h->graph;
	struct pv_filter_error wrong;
	a->f = pv_filter_make(c->filter, c->way, numbers, PV_COUNT_OF(numbers), &wrong);
	if (!a->f)
		return !wrong.no_memory;
	uint64_t none =
		pv_filter_bits_of(a->f, PV_FILTER_STACK) | pv_filter_bits_of(a->f, PV_FILTER_SITE);
	a->of_class = malloc((g->klass.n + 1) * sizeof *a->of_class);
	for (size_t i = 0; a->of_class && i < g->klass.n; i++)
		a->of_class[i] =
			pv_name_bits(a->f, &class, g->klass.v[i].name, NULL, c->places) & ~none;
	for (size_t i = 0; i < pv_filter_leaves(a->f); i++)
		a->compares |= pv_filter_leaf(a->f, i)->what == PV_FILTER_COMPARES;
	return a->of_class && ask_strings(a);
}

static uint64_t node_number(const struct pv_heap *h, uint32_t node, int place)
{
	const struct pv_graph_string *s = place == LENGTH ? pv_graph_string(&h->graph, node) : NULL;
	return place == BYTES      ? h->graph.size[node]
	       : place == RETAINED ? h->retained[node]
	       : place == ADDRESS  ? h->graph.address[node]
	       : s                 ? s->length
				   : 0;
}

static bool object_passes(const struct asked *a, uint32_t node)
{
	const struct pv_graph *g = &a->h->graph;
	uint64_t bits = a->of_class[g->class_of[node]];
	uint32_t at = a->string.n ? pv_map_get(&a->of_string, node) : PV_MAP_NONE;
	if (at != PV_MAP_NONE)
		bits |= a->string.v[at];
	for (size_t i = 0; a->compares && i < pv_filter_leaves(a->f); i++) {
		const struct pv_filter_leaf *leaf = pv_filter_leaf(a->f, i);
		if (leaf->what != PV_FILTER_COMPARES ||
			(leaf->place == LENGTH && !pv_graph_string(g, node)))
			continue;
		long double v = (long double)node_number(a->h, node, leaf->place);
		bits |= (uint64_t)pv_filter_number_is(leaf, v) << i;
	}
	return pv_filter_passes_bits(a->f, bits);
}

static bool collect_objects(
	const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret)
{
	const struct pv_graph *g = &h->graph;
	size_t all = c->of ? c->of_n : g->nodes;
	uint32_t klass = c->klass ? pv_graph_class_of_id(g, c->klass) : PV_GRAPH_NONE;
	struct pv_find find = { 0 };
	bool exact = c->filter && pv_find_parse(c->filter, &find);
	bool filters = !exact && c->filter && c->filter[0];
	struct asked a = { .h = h };
	bool ok = !filters || ask_filter(&a, c);
	ret->node = malloc((all + 1) * sizeof *ret->node);
	ok = ok && ret->node;
	for (size_t i = 0; ok && i < all && (!filters || a.f); i++) {
		uint32_t node = c->of ? c->of[i] : (uint32_t)i;
		if ((c->klass && g->class_of[node] != klass) ||
			(filters && !object_passes(&a, node)) ||
			(exact && !pv_find_is(&find, h, node)))
			continue;
		ret->node[ret->n++] = node;
	}
	asked_finish(&a);
	return ok;
}

static int by_class_name(const void *a, const void *b, void *ctx)
{
	const struct pv_graph_class *v = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(v[x].name, v[y].name);
	return c ? c : (x > y) - (x < y);
}

/* By node: rank of the class by name. */
static uint64_t *class_places(const struct pv_graph *g)
{
	uint32_t *order = malloc((g->klass.n + 1) * sizeof *order);
	uint64_t *place = malloc((g->klass.n + 1) * sizeof *place);
	uint64_t *key = malloc(((size_t)g->nodes + 1) * sizeof *key);
	bool ok = order && place && key;
	for (uint32_t i = 0; ok && i < g->klass.n; i++)
		order[i] = i;
	if (ok && g->klass.n)
		qsort_r(order, g->klass.n, sizeof *order, by_class_name, g->klass.v);
	for (uint32_t i = 0; ok && i < g->klass.n; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; ok && i < g->nodes; i++)
		key[i] = place[g->class_of[i]];
	free(order);
	free(place);
	if (ok)
		return key;
	free(key);
	return NULL;
}

static int by_text(const void *a, const void *b, void *ctx)
{
	const struct pv_graph_string *v = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(v[x].text, v[y].text);
	return c ? c : (x > y) - (x < y);
}

/* By node: rank of the text; objects without a text are last. */
static uint64_t *text_places(const struct pv_graph *g)
{
	uint32_t n = (uint32_t)g->string.n;
	uint32_t *order = malloc(((size_t)n + 1) * sizeof *order);
	uint64_t *key = malloc(((size_t)g->nodes + 1) * sizeof *key);
	for (uint32_t i = 0; key && i < g->nodes; i++)
		key[i] = n;
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && key && n)
		qsort_r(order, n, sizeof *order, by_text, g->string.v);
	for (uint32_t i = 0; order && key && i < n; i++) {
		uint32_t node = pv_graph_find(g, g->string.v[order[i]].address);
		if (node != PV_GRAPH_NONE)
			key[node] = i;
	}
	if (!order) {
		free(key);
		key = NULL;
	}
	free(order);
	return key;
}

bool pv_choose_objects(const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret)
{
	const struct pv_graph *g = &h->graph;
	*ret = (struct pv_chosen){ 0 };
	uint64_t *places = c->key == PV_BY_CLASS_NAME ? class_places(g)
			   : c->key == PV_BY_TEXT     ? text_places(g)
						      : NULL;
	const uint64_t *key = c->key == PV_BY_RETAINED  ? h->retained
			      : c->key == PV_BY_BYTES   ? g->size
			      : c->key == PV_BY_ADDRESS ? g->address
							: places;
	bool ok = key && collect_objects(h, c, ret);
	uint32_t *spare = ok ? malloc((ret->n + 1) * sizeof *spare) : NULL;
	ok = ok && spare;
	if (ok)
		pv_radix_sort(
			&(struct pv_radix){
				.key = key, .stride = sizeof *key, .descending = c->descending },
			ret->node, spare, ret->n);
	free(spare);
	free(places);
	if (!ok) {
		pv_chosen_finish(ret);
		return false;
	}
	if (c->limit && ret->n > c->limit) {
		ret->left_out = ret->n - c->limit;
		ret->n = c->limit;
	}
	return true;
}

void pv_chosen_finish(struct pv_chosen *c)
{
	free(c->node);
	*c = (struct pv_chosen){ 0 };
}
