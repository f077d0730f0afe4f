/* SPDX-License-Identifier: MIT */
/* Groups equal strings of a heap by sorting. */
#include "common/heap/duplicates.h"

#include <stdlib.h>
#include <string.h>

#include "common/heap/heap.h"

/* A living string of the heap. */
struct text {
	const struct pv_graph_string *string;
	uint32_t node, bytes; /* of the recorded text */
};

static int by_text(const void *a, const void *b)
{
	const struct text *x = a, *y = b;
	if (x->string->length != y->string->length)
		return x->string->length < y->string->length ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	const int order = memcmp(x->string->text, y->string->text, x->bytes);
	return order ? order : (x->node > y->node) - (x->node < y->node);
}

static bool is_same_string(const struct text *x, const struct text *y)
{
	return x->string->length == y->string->length && x->bytes == y->bytes &&
	       memcmp(x->string->text, y->string->text, x->bytes) == 0;
}

/* Strings and nodes are both by address. */
static size_t collect_strings(const struct pv_heap *h, struct text *to)
{
	const struct pv_graph *g = &h->graph;
	size_t n = 0;
	uint32_t node = 0;
	for (size_t i = 0; i < g->string.n; i++) {
		const struct pv_graph_string *s = &g->string.v[i];
		while (node < g->nodes && g->address[node] < s->address)
			node++;
		if (node == g->nodes || g->address[node] != s->address ||
			h->idom[node] == PV_GRAPH_NONE)
			continue;
		to[n++] = (struct text){ s, node, (uint32_t)strlen(s->text) };
	}
	return n;
}

/*
 * True if the whole text was recorded. A character takes three bytes at most for each unit of
 * length.
 */
static bool is_whole(const struct text *t)
{
	uint64_t units = 0;
	for (const char *p = t->string->text; *p; p++)
		units += (*p & 0xc0) != 0x80 ? ((unsigned char)*p >= 0xf0 ? 2 : 1) : 0;
	return units >= t->string->length;
}

static bool add_group(
	const struct pv_heap *h, const struct text *first, size_t n, struct pv_duplicates *ret)
{
	if (n < 2)
		return true;
	if (!pv_reserve(&ret->group, 1))
		return false;
	struct pv_duplicate *d = &ret->group.v[ret->group.n++];
	*d = (struct pv_duplicate){ .node = first->node,
		.count = n,
		.wasted = h->graph.size[first->node] * (n - 1),
		.whole = is_whole(first) };
	ret->wasted += d->wasted;
	return true;
}

static int by_waste(const void *a, const void *b)
{
	const struct pv_duplicate *x = a, *y = b;
	if (x->wasted != y->wasted)
		return x->wasted < y->wasted ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

bool pv_duplicates_find(const struct pv_heap *h, struct pv_duplicates *ret)
{
	*ret = (struct pv_duplicates){ 0 };
	struct text *text = calloc(h->graph.string.n + 1, sizeof *text);
	if (!text)
		return false;
	bool ok = true;
	const size_t n = collect_strings(h, text);
	ret->strings = n;
	qsort(text, n, sizeof *text, by_text);
	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n && is_same_string(&text[i], &text[end]);)
			end++;
		ok = add_group(h, &text[i], end - i, ret);
	}
	free(text);
	if (ok && ret->group.n)
		qsort(ret->group.v, ret->group.n, sizeof *ret->group.v, by_waste);
	return ok;
}

void pv_duplicates_finish(struct pv_duplicates *d)
{
	pv_array_finish(&d->group);
}
