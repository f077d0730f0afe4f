/* SPDX-License-Identifier: MIT */
/* Beginnings of a shot's strings, where the log has them: as many as there is room for. */
#include <stdlib.h>

#include "common/heap/graph_parts.h"

bool pv_raw_string_add(struct pv_raw *r, const struct pv_event *e)
{
	const struct pv_text *text = &e->string.text;
	uint64_t taken = r->text.bytes + r->string.n * sizeof *r->string.v;
	if (taken + text->len + 1 + sizeof *r->string.v > PV_GRAPH_STRING_BYTES) {
		r->strings_left++;
		return true;
	}
	const char *copy = pv_arena_copy(&r->text, text->at, text->len);
	if (!copy || !pv_reserve(&r->string, 1))
		return false;
	r->string.v[r->string.n] = (struct pv_graph_string){ .address = e->string.object,
		.text = copy,
		.length = e->string.length < UINT32_MAX ? (uint32_t)e->string.length : UINT32_MAX,
		.order = (uint32_t)r->string.n };
	r->string.n++;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct pv_graph_string *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

void pv_raw_strings_give(struct pv_raw *r, struct pv_graph *g)
{
	if (r->string.n)
		qsort(r->string.v, r->string.n, sizeof *r->string.v, by_address);
	size_t n = 0; /* repetitions for an address do not count */
	for (size_t i = 0; i < r->string.n; i++)
		if (!n || r->string.v[n - 1].address != r->string.v[i].address)
			r->string.v[n++] = r->string.v[i];
	g->string.v = r->string.v;
	g->string.n = n;
	g->string.room = r->string.room;
	g->text = r->text;
	g->strings_left = r->strings_left;
	r->string.v = NULL;
	r->string.n = r->string.room = 0;
	r->text = (struct pv_arena){ 0 };
}
