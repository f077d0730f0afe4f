/* SPDX-License-Identifier: MIT */
/* Texts and cells for objects of a heap, and the coverage line of heap views. */
#include "common/query/heap/heap_rows.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/showable.h"

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

static void say_in_stamp(char *line, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void say_in_stamp(char *line, size_t size, const char *format, ...)
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

static const char *s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void describe_graph(const struct pv_heap *h, char *line, size_t size)
{
	const struct pv_graph *g = &h->graph;
	line[0] = 0;
	if (g->torn)
		say_in_stamp(line, size, "the shot's end is missing");
	if (g->inferred)
		say_in_stamp(line, size, "roots inferred: the log lists none");
	if (g->statics_only)
		say_in_stamp(
			line, size, "roots but static fields inferred: the log lists no others");
	if (h->unreachable)
		say_in_stamp(line, size,
			"%" PRIu64 " object%s (%" PRIu64 " byte%s) that no root reaches",
			h->unreachable, s(h->unreachable), h->unreachable_bytes,
			s(h->unreachable_bytes));
	if (g->unlisted)
		say_in_stamp(line, size, "%" PRIu64 " reference%s to objects that are not listed",
			g->unlisted, s(g->unlisted));
	if (g->roots_unlisted)
		say_in_stamp(line, size, "%" PRIu64 " root%s likewise", g->roots_unlisted,
			s(g->roots_unlisted));
	if (g->duplicates || g->strays)
		say_in_stamp(line, size, "%" PRIu64 " object%s listed twice or in part",
			g->duplicates + g->strays, s(g->duplicates + g->strays));
	if (g->unsized)
		say_in_stamp(line, size, "sizes not recorded");
	if (g->strings_left)
		say_in_stamp(line, size,
			"of %" PRIu64 " string%s there was no room for the beginning",
			g->strings_left, s(g->strings_left));
	if (h->class_least)
		say_in_stamp(line, size,
			"retained sizes of classes are lower bounds: too many combinations of "
			"classes");
	if (h->weak)
		say_in_stamp(line, size, "weak references count");
	if (!line[0])
		say_in_stamp(line, size, "complete");
}

void pv_build_heap_stamp(struct pv_build *b, struct pv_model *m)
{
	char line[400] = "no heap shot is open";
	if (!b->table)
		return;
	if (b->query->heap)
		describe_graph(b->query->heap, line, sizeof line);
	const char *kept = pv_build_text(b, line);
	if (!b->table)
		return;
	b->table->coverage = kept;
	b->table->generation = pv_view_generation(m);
}

/* --- roots */

/* --- strings */

bool pv_heap_preview(const struct pv_heap *h, uint32_t node, char *line, size_t size)
{
	enum { MOST = 200, ONE = PV_SHOWN_MAX };
	_Static_assert(PV_PREVIEW_TEXT >= MOST + ONE + 8, "it would be cut");
	const struct pv_graph_string *string = pv_graph_string(&h->graph, node);
	size_t n = 0;
	uint64_t units = 0;
	if (!string || size < PV_PREVIEW_TEXT)
		return false;
	line[n++] = '"';
	struct pv_showable text = pv_showable_begin(string->text, strlen(string->text));
	struct pv_shown c;
	while (n < MOST && pv_showable_next(&text, &c)) {
		if (!c.escaped && (*c.text == '"' || *c.text == '\\'))
			line[n++] = '\\';
		memcpy(line + n, c.text, c.n);
		n += c.n;
		units += c.n == (c.escaped ? PV_SHOWN_MAX : 4) ? 2 : 1; /* beyond U+FFFF */
	}
	snprintf(line + n, size - n, "\"%s", units < string->length ? "..." : "");
	return true;
}

const char *pv_build_preview(struct pv_build *b, const struct pv_heap *h, uint32_t node)
{
	char line[PV_PREVIEW_TEXT];
	return pv_heap_preview(h, node, line, sizeof line) ? pv_build_text(b, line) : NULL;
}

const char *pv_build_field(
	struct pv_build *b, const struct pv_heap *h, const struct pv_object_ref *ref)
{
	const struct pv_graph *g = &h->graph;
	if (ref->offset == PV_GRAPH_NONE)
		return NULL;
	char place[PV_GRAPH_PLACE];
	const char *name = pv_graph_place(g, g->class_of[ref->node], ref->offset, place);
	if (name == place)
		return pv_build_text(b, place);
	return name ? name : pv_build_printf(b, "+0x%x", ref->offset);
}

const char *pv_keeper_text(
	const struct pv_heap *h, const struct pv_keeper *k, char *to, size_t size)
{
	const struct pv_graph *g = &h->graph;
	const struct pv_graph_root *r = k->root == SIZE_MAX ? NULL : &g->root.v[k->root];
	const struct pv_graph_area *a = r && r->area ? &g->area.v[r->area - 1] : NULL;
	const char *field = r ? pv_graph_root_field(g, r) : NULL;
	if (!r)
		snprintf(to, size, "roots that are not listed");
	else if (k->klass == PV_GRAPH_NONE && a && !a->owner && a->name[0])
		snprintf(to, size, "%sstatic %s", /* without the class, missing in the log */
			r->source == PV_ROOT_THREAD_STATIC ? "thread " : "", a->name);
	else if (k->klass == PV_GRAPH_NONE)
		snprintf(to, size, "static %s.%s", a && a->owner ? a->owner : "?",
			field ? field : "*");
	else
		snprintf(to, size, "%s: %s",
			r->flags & PV_GRAPH_INFERRED ? "inferred root"
						     : pv_root_source_text(r->source),
			g->klass.v[k->klass].name);
	return to;
}

const char *pv_build_root(struct pv_build *b, const struct pv_heap *h, size_t root)
{
	const struct pv_graph_root *r = &h->graph.root.v[root];
	const struct pv_graph_area *a = r->area ? &h->graph.area.v[r->area - 1] : NULL;
	if (r->flags & PV_GRAPH_INFERRED)
		return h->by_first[r->node + 1] > h->by_first[r->node]
			       ? "inferred: only what it holds refers to it"
			       : "inferred: nothing refers to it";
	const char *field = pv_graph_root_field(&h->graph, r);
	if (field)
		return pv_build_printf(b, "static %s.%s", a && a->owner ? a->owner : "?", field);
	if (!a && r->source == PV_ROOT_STATIC)
		return "static (unnamed)";
	return pv_build_printf(b, "%s%s%s%s%s%s", r->flags & PV_GRAPH_WEAK ? "weak " : "",
		pv_root_source_text(r->source), a && a->name[0] ? " " : "", a ? a->name : "",
		a && a->owner ? " of " : "", a && a->owner ? a->owner : "");
}
