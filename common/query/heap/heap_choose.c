#include "common/query/heap/heap_choose.h"

#include <stdlib.h>
#include <string.h>

#include "common/heap/radix.h"
#include "common/query/build.h"
#include "common/query/heap/heap_find.h"
#include "common/query/readable.h"

/* Which classes' names hold the text; NULL when out of memory. */
static bool *matching(const struct pv_graph *g, const char *filter)
{
	bool *match = malloc((g->klass.n + 1) * sizeof *match);
	for (size_t i = 0; match && i < g->klass.n; i++)
		match[i] =
			!filter || !filter[0] || pv_readable_class_has(g->klass.v[i].name, filter);
	return match;
}

/* By node: whether the beginning of a string holds the text. NULL: none does, or no memory. */
static uint8_t *speaking(const struct pv_graph *g, const char *filter, bool *ok)
{
	uint8_t *does = filter && filter[0] && g->string.n ? calloc((size_t)g->nodes + 1, 1) : NULL;
	*ok &= does || !filter || !filter[0] || !g->string.n;
	for (size_t i = 0; does && i < g->string.n; i++) {
		uint32_t node = pv_text_has(g->string.v[i].text, filter)
					? pv_graph_find(g, g->string.v[i].address)
					: PV_GRAPH_NONE;
		if (node != PV_GRAPH_NONE)
			does[node] = 1;
	}
	return does;
}

static bool collect(const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret)
{
	const struct pv_graph *g = &h->graph;
	size_t all = c->of ? c->of_n : g->nodes;
	uint32_t klass = c->klass ? pv_graph_class_of_id(g, c->klass) : PV_GRAPH_NONE;
	struct pv_find find = { 0 };
	bool exact = c->filter && pv_find_parse(c->filter, &find);
	bool *match = matching(g, exact ? NULL : c->filter);
	bool ok = match != NULL;
	uint8_t *does = speaking(g, exact ? NULL : c->filter, &ok);
	ret->node = malloc((all + 1) * sizeof *ret->node);
	if (!ok || !ret->node) {
		free(match);
		free(does);
		return false;
	}
	for (size_t i = 0; i < all; i++) {
		uint32_t node = c->of ? c->of[i] : (uint32_t)i;
		bool named = match[g->class_of[node]] || (does && does[node]);
		if ((c->klass && g->class_of[node] != klass) || !named ||
			(exact && !pv_find_is(&find, h, node)))
			continue;
		ret->node[ret->n++] = node;
	}
	free(match);
	free(does);
	return true;
}

static int by_name(const void *a, const void *b, void *ctx)
{
	const struct pv_graph_class *v = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int c = strcmp(v[x].name, v[y].name);
	return c ? c : (x > y) - (x < y);
}

/* By node: the place of its class among all by name. */
static uint64_t *class_places(const struct pv_graph *g)
{
	uint32_t *order = malloc((g->klass.n + 1) * sizeof *order);
	uint64_t *place = malloc((g->klass.n + 1) * sizeof *place);
	uint64_t *key = malloc(((size_t)g->nodes + 1) * sizeof *key);
	bool ok = order && place && key;
	for (uint32_t i = 0; ok && i < g->klass.n; i++)
		order[i] = i;
	if (ok && g->klass.n)
		qsort_r(order, g->klass.n, sizeof *order, by_name, g->klass.v);
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

/* By node: the place of its text among all; those without one stand at the end. */
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
	bool ok = key && collect(h, c, ret);
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
