#include "common/query/heap_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/heap/radix.h"
#include "common/model/model.h"
#include "common/query/heap_find.h"

uint32_t pv_object_of(const struct pv_heap *h, uint64_t row)
{
	return row > 0 && row <= h->graph.nodes ? (uint32_t)(row - 1) : PV_GRAPH_NONE;
}

const char *pv_class_text(const struct pv_heap *h, uint32_t node)
{
	return h->graph.klass.v[h->graph.class_of[node]].name;
}

void pv_cell_retained(struct pv_cell *c, const struct pv_heap *h, uint32_t node)
{
	pv_cell_u_if(c, h->idom[node] != PV_GRAPH_NONE, h->retained[node]);
}

void pv_cell_dominator(struct pv_cell *c, const struct pv_heap *h, uint32_t node)
{
	uint32_t by = h->idom[node];
	bool known = by < h->graph.nodes;
	pv_cell_u_if(c, known, known ? h->graph.address[by] : 0);
}

/* --- the coverage line */

static void say(char *line, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say(char *line, size_t size, const char *format, ...)
{
	size_t at = strlen(line);
	va_list args;
	if (at && at + 3 < size)
		at += (size_t)snprintf(line + at, size - at, "; ");
	va_start(args, format);
	if (at < size)
		vsnprintf(line + at, size - at, format, args);
	va_end(args);
}

static void describe(const struct pv_heap *h, char *line, size_t size)
{
	const struct pv_graph *g = &h->graph;
	line[0] = 0;
	if (g->torn)
		say(line, size, "the shot's end is missing");
	if (g->inferred)
		say(line, size, "roots inferred: the log lists none");
	if (h->unreachable)
		say(line, size, "%" PRIu64 " objects (%" PRIu64 " bytes) that no root reaches",
			h->unreachable, h->unreachable_bytes);
	if (g->unlisted)
		say(line, size, "%" PRIu64 " references to objects that are not listed",
			g->unlisted);
	if (g->roots_unlisted)
		say(line, size, "%" PRIu64 " roots likewise", g->roots_unlisted);
	if (g->duplicates || g->strays)
		say(line, size, "%" PRIu64 " objects listed twice or in part",
			g->duplicates + g->strays);
	if (g->unsized)
		say(line, size, "sizes not recorded");
	if (h->class_least)
		say(line, size, "retained sizes of classes are lower bounds");
	if (h->weak)
		say(line, size, "weak references count");
	if (!line[0])
		say(line, size, "complete");
}

void pv_build_heap_stamp(struct pv_build *b, struct pv_model *m)
{
	char line[400] = "no heap shot is open";
	if (!b->table)
		return;
	if (b->query->heap)
		describe(b->query->heap, line, sizeof line);
	const char *kept = pv_build_text(b, line);
	if (!b->table)
		return;
	b->table->coverage = kept;
	b->table->generation = pv_model_generation(m);
}

/* --- roots */

const char *pv_build_root(struct pv_build *b, const struct pv_heap *h, size_t root)
{
	const struct pv_graph_root *r = &h->graph.root.v[root];
	const struct pv_graph_area *a = r->area ? &h->graph.area.v[r->area - 1] : NULL;
	if (r->flags & PV_GRAPH_INFERRED)
		return "inferred: nothing refers to it";
	return pv_build_printf(b, "%s%s%s%s%s%s", r->flags & PV_GRAPH_WEAK ? "weak " : "",
		pv_root_source_text(r->source), a && a->name[0] ? " " : "", a ? a->name : "",
		a && a->owner ? " of " : "", a && a->owner ? a->owner : "");
}

/* --- choosing objects */

/* Which classes' names hold the text; NULL when out of memory. */
static bool *matching(const struct pv_graph *g, const char *filter)
{
	bool *match = malloc((g->klass.n + 1) * sizeof *match);
	for (size_t i = 0; match && i < g->klass.n; i++)
		match[i] = !filter || !filter[0] || pv_text_has(g->klass.v[i].name, filter);
	return match;
}

static bool collect(const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret)
{
	const struct pv_graph *g = &h->graph;
	size_t all = c->of ? c->of_n : g->nodes;
	uint32_t klass = c->klass ? pv_graph_class_of_id(g, c->klass) : PV_GRAPH_NONE;
	struct pv_find find = { 0 };
	bool exact = c->filter && pv_find_parse(c->filter, &find);
	bool *match = matching(g, exact ? NULL : c->filter);
	ret->node = malloc((all + 1) * sizeof *ret->node);
	if (!match || !ret->node) {
		free(match);
		return false;
	}
	for (size_t i = 0; i < all; i++) {
		uint32_t node = c->of ? c->of[i] : (uint32_t)i;
		if ((c->klass && g->class_of[node] != klass) || !match[g->class_of[node]] ||
			(exact && !pv_find_is(&find, h, node)))
			continue;
		ret->node[ret->n++] = node;
	}
	free(match);
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

bool pv_choose_objects(const struct pv_heap *h, const struct pv_choice *c, struct pv_chosen *ret)
{
	const struct pv_graph *g = &h->graph;
	*ret = (struct pv_chosen){ 0 };
	uint64_t *places = c->key == PV_BY_CLASS_NAME ? class_places(g) : NULL;
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
