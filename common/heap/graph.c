/* SPDX-License-Identifier: MIT */
/* Look-ups in a heap graph: nodes, roots, fields, strings. */
#include "common/heap/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void pv_graph_finish(struct pv_graph *g)
{
	free(g->address);
	free(g->size);
	free(g->class_of);
	free(g->first);
	free(g->to);
	free(g->offset);
	pv_array_finish(&g->klass);
	pv_array_finish(&g->root);
	pv_array_finish(&g->area);
	pv_array_finish(&g->layout);
	pv_array_finish(&g->field);
	pv_array_finish(&g->static_field);
	pv_array_finish(&g->string);
	pv_arena_finish(&g->text);
	*g = (struct pv_graph){ 0 };
}

uint32_t pv_graph_from(const struct pv_graph *g, uint64_t address)
{
	uint32_t low = 0, high = g->nodes;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (g->address[mid] < address)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t pv_graph_find(const struct pv_graph *g, uint64_t address)
{
	uint32_t at = pv_graph_from(g, address);
	return at < g->nodes && g->address[at] == address ? at : PV_GRAPH_NONE;
}

uint32_t pv_graph_class_of_id(const struct pv_graph *g, uint64_t id)
{
	for (size_t i = 0; i < g->klass.n; i++)
		if (g->klass.v[i].id == id)
			return (uint32_t)i;
	return PV_GRAPH_NONE;
}

size_t pv_graph_roots_of(const struct pv_graph *g, uint32_t node, size_t *ret_first)
{
	size_t low = 0, high = g->root.n, n = 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (g->root.v[mid].node < node)
			low = mid + 1;
		else
			high = mid;
	}
	while (low + n < g->root.n && g->root.v[low + n].node == node)
		n++;
	*ret_first = low;
	return n;
}

/* The first field at exactly this offset; NULL: none. */
static const struct pv_graph_field *field_at(
	const struct pv_graph_fields *f, const struct pv_graph_range *range, uint64_t offset)
{
	size_t low = range->first, end = low + range->n, high = end;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (f->v[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < end && f->v[low].offset == offset ? &f->v[low] : NULL;
}

static const struct pv_graph_field *find_field(
	const struct pv_graph *g, uint32_t klass, uint64_t offset)
{
	const struct pv_graph_field *found = NULL;
	uint32_t at = g->klass.v[klass].layout;
	for (unsigned i = 0; !found && at && i < PV_GRAPH_CLASSES_DEEP; i++) {
		const struct pv_graph_layout *of = &g->layout.v[at - 1];
		found = field_at(&g->field, &of->fields, offset);
		at = of->parent;
	}
	return found;
}

bool pv_graph_element(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, struct pv_graph_element *ret)
{
	const struct pv_graph_class *k = &g->klass.v[klass];
	if (!k->element_size || offset == PV_GRAPH_NONE || offset < k->first_element)
		return false;
	uint32_t from = offset - k->first_element;
	*ret = (struct pv_graph_element){ from / k->element_size, from % k->element_size, NULL };
	ret->field = find_field(g, klass, (uint64_t)k->first_element + ret->inner);
	return true;
}

const struct pv_graph_field *pv_graph_field(
	const struct pv_graph *g, uint32_t klass, uint32_t offset)
{
	const struct pv_graph_class *k = &g->klass.v[klass];
	if (k->element_size && offset >= k->first_element)
		return NULL;
	return find_field(g, klass, offset);
}

const struct pv_graph_field *pv_graph_static_field(
	const struct pv_graph *g, const struct pv_graph_root *r)
{
	const struct pv_graph_area *a = r->area ? &g->area.v[r->area - 1] : NULL;
	if (!a || a->source != PV_ROOT_STATIC || !a->layout)
		return NULL;
	return field_at(&g->static_field, &g->layout.v[a->layout - 1].statics, r->slot - a->start);
}

const char *pv_graph_place(
	const struct pv_graph *g, uint32_t klass, uint32_t offset, char buf[PV_GRAPH_PLACE])
{
	struct pv_graph_element at;
	if (!pv_graph_element(g, klass, offset, &at)) {
		const struct pv_graph_field *f = pv_graph_field(g, klass, offset);
		return f ? f->name : NULL;
	}
	int n = snprintf(buf, PV_GRAPH_PLACE, "[%" PRIu32 "]", at.index);
	if (at.field)
		snprintf(buf + n, PV_GRAPH_PLACE - (size_t)n, ".%s", at.field->name);
	else if (at.inner)
		snprintf(buf + n, PV_GRAPH_PLACE - (size_t)n, "+0x%" PRIx32, at.inner);
	return buf;
}

bool pv_graph_area_is_field(const struct pv_graph_area *a)
{
	return a->source == PV_ROOT_STATIC ||
	       (a->source == PV_ROOT_THREAD_STATIC && !a->key && a->name[0]);
}

/*
 * The field's name, if an area of one slot has the whole name: "Shop.Cache.s_all", of Shop.Cache.
 */
static const char *name_of_slot(const struct pv_graph_area *a)
{
	size_t n = a->owner ? strlen(a->owner) : 0;
	if (a->source != PV_ROOT_STATIC || !n || strncmp(a->name, a->owner, n) != 0)
		return NULL;
	return a->name[n] == '.' && a->name[n + 1] ? a->name + n + 1 : NULL;
}

const char *pv_graph_root_field(const struct pv_graph *g, const struct pv_graph_root *r)
{
	const struct pv_graph_field *f = pv_graph_static_field(g, r);
	if (f)
		return f->name;
	return r->area ? name_of_slot(&g->area.v[r->area - 1]) : NULL;
}

const struct pv_graph_string *pv_graph_string(const struct pv_graph *g, uint32_t node)
{
	size_t low = 0, high = g->string.n;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (g->string.v[mid].address < g->address[node])
			low = mid + 1;
		else
			high = mid;
	}
	bool found = low < g->string.n && g->string.v[low].address == g->address[node];
	return found ? &g->string.v[low] : NULL;
}
