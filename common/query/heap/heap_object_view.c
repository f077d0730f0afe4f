/* SPDX-License-Identifier: MIT */
/* Objects of a heap: by class, the biggest, and the path from an object to a root. */
#include <stdlib.h>
#include <string.h>

#include "common/heap/heap_paths.h"
#include "common/heap/heap_set.h"
#include "common/query/heap/heap_choose.h"
#include "common/query/heap/heap_rows.h"
#include "common/query/groups/specs.h"

/* --- classes */

enum { C_SHARE, C_RETAINED, C_BYTES, C_OBJECTS, C_AVERAGE, C_NAME };

static const struct pv_column class_columns[] = {
	[C_SHARE] = { "bytes_percent", "BYTES%", PV_UNIT_PERCENT, 6, 3, .flags = PV_COLUMN_ADDS },
	[C_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 1, .json = 4 },
	[C_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 3 },
	[C_OBJECTS] = { "objects", "OBJECTS", PV_UNIT_COUNT, 9, 2, PV_COLUMN_ADDS, .json = 2 },
	[C_AVERAGE] = { "average_bytes", "AVERAGE", PV_UNIT_BYTES, 9, 4, .flags = 0 },
	[C_NAME] = { "name", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 1 },
};

static void run_classes(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	pv_build_heap_stamp(b, m);
	for (size_t i = 0; h && i < h->graph.klass.n; i++) {
		const struct pv_graph_class *k = &h->graph.klass.v[i];
		if (!k->objects)
			continue;
		struct pv_cell *c = pv_build_row(b, k->id);
		pv_cell_share(&c[C_SHARE], (double)k->bytes, (double)h->graph.bytes);
		pv_cell_u_if(&c[C_RETAINED], h->class_retained,
			h->class_retained ? h->class_retained[i] : 0);
		pv_cell_u(&c[C_BYTES], k->bytes);
		pv_cell_u(&c[C_OBJECTS], k->objects);
		pv_cell_u(&c[C_AVERAGE], k->bytes / k->objects);
		pv_cell_s(&c[C_NAME], k->name);
	}
}

const struct pv_view_spec pv_spec_heap_classes = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "name",
	.sort = "retained_bytes",
	.then = "bytes",
	.run = run_classes };

/* --- objects */

enum { O_RETAINED, O_SHARE, O_BYTES, O_ADDRESS, O_DOMINATOR, O_CLASS, O_PREVIEW, O_TEXT, O_LENGTH };

static const struct pv_column object_columns[] = {
	[O_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 0, .json = 4 },
	[O_SHARE] = { "retained_percent", "OF ALL", PV_UNIT_PERCENT, 6, 3,
		.help = "What it retains, as a part of the heap" },
	[O_BYTES] = { "bytes", "BYTES", PV_UNIT_BYTES, 9, 1, PV_COLUMN_ADDS, .json = 3 },
	[O_ADDRESS] = { "address", "ADDRESS", PV_UNIT_ADDRESS, 14, 2, PV_COLUMN_ASCENDING,
		.json = 1 },
	[O_DOMINATOR] = { "dominator", "KEPT BY", PV_UNIT_ADDRESS, 14, 4, PV_COLUMN_ASCENDING,
		.json = 5,
		.help = "Kept by: the one object through which every path from a root goes" },
	[O_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_CLASS, .json = 2 },
	[O_PREVIEW] = { "preview", "STRING", PV_UNIT_TEXT, 24, 1, .flags = PV_COLUMN_ASCENDING },
	[O_TEXT] = { "text", "TEXT", PV_UNIT_TEXT, 24, 0, PV_COLUMN_HIDE_SCREEN, .json = 6 },
	[O_LENGTH] = { "length", "LENGTH", PV_UNIT_EXACT, 9, 0, PV_COLUMN_HIDE_SCREEN, .json = 7 },
};

/* For programs: the text unquoted, and the length of the whole string in characters. */
static void put_string_text(
	struct pv_cell *text, struct pv_cell *length, const struct pv_heap *h, uint32_t node)
{
	const struct pv_graph_string *s = pv_graph_string(&h->graph, node);
	pv_cell_s(text, s ? s->text : NULL);
	pv_cell_u_if(length, s != NULL, s ? s->length : 0);
}

static void put_object_row(struct pv_build *b, const struct pv_heap *h, uint32_t node)
{
	struct pv_cell *c = pv_build_row(b, pv_object_row(node));
	pv_cell_retained(&c[O_RETAINED], h, node);
	pv_cell_share(&c[O_SHARE], (double)h->retained[node], (double)h->graph.bytes);
	pv_cell_u(&c[O_BYTES], h->graph.size[node]);
	pv_cell_u(&c[O_ADDRESS], h->graph.address[node]);
	pv_cell_dominator(&c[O_DOMINATOR], h, node);
	pv_cell_s(&c[O_CLASS], pv_class_text(h, node));
	pv_cell_s(&c[O_PREVIEW], pv_build_preview(b, h, node));
	put_string_text(&c[O_TEXT], &c[O_LENGTH], h, node);
}

static bool is_column(const struct pv_query *q, const char *id)
{
	return q->sort && strcmp(q->sort, id) == 0;
}

/* Makes rows only of objects to be shown: a shot may have many millions of objects. */
static void run_objects(struct pv_build *b, struct pv_model *m)
{
	const struct pv_query *q = b->query;
	const struct pv_heap *h = q->heap;
	struct pv_choice choice = { .key = PV_BY_RETAINED,
		.descending = true,
		.filter = q->filter,
		.way = q->filter_way,
		.places = &b->filter.places,
		.klass = q->select,
		.limit = q->onlys ? 0 : q->limit };
	struct pv_chosen chosen;
	pv_build_heap_stamp(b, m);
	if (!h)
		return;
	if (is_column(q, "address") || is_column(q, "dominator"))
		choice.key = PV_BY_ADDRESS;
	else if (is_column(q, "bytes"))
		choice.key = PV_BY_BYTES;
	else if (is_column(q, "class"))
		choice.key = PV_BY_CLASS_NAME;
	else if (is_column(q, "preview") || is_column(q, "text"))
		choice.key = PV_BY_TEXT;
	choice.descending =
		(choice.key == PV_BY_RETAINED || choice.key == PV_BY_BYTES) != q->invert;
	if (q->set) {
		choice.of = q->set->node.n ? q->set->node.v : &(const uint32_t){ 0 };
		choice.of_n = q->set->node.n;
	}
	if (!pv_choose_objects(h, &choice, &chosen)) {
		pv_build_fail(b);
		return;
	}
	for (size_t i = 0; i < chosen.n; i++)
		put_object_row(b, h, chosen.node[i]);
	b->left_out = chosen.left_out;
	b->filtered = true;
	pv_chosen_finish(&chosen);
}

const struct pv_view_spec pv_spec_heap_objects = { .column = object_columns,
	.columns = PV_COUNT_OF(object_columns),
	.name = "class",
	.sort = "retained_bytes",
	.run = run_objects };

/* --- the path to a root */

enum {
	P_OFFSET,
	P_FIELD,
	P_RETAINED,
	P_ADDRESS,
	P_SLOT,
	P_WHAT,
	P_CLASS,
	P_TEXT,
	P_LENGTH,
	P_ROOT,
	P_AREA,
	P_OWNER
};

/* One column for people; programs get the parts. */
static const struct pv_column path_columns[] = {
	[P_OFFSET] = { "offset", "OFFSET", PV_UNIT_EXACT, 7, 1, PV_COLUMN_ASCENDING, .json = 3 },
	[P_FIELD] = { "field", "FIELD", PV_UNIT_TEXT, 14, 0, PV_COLUMN_HIDE_SCREEN, .json = 4 },
	[P_RETAINED] = { "retained_bytes", "RETAINED", PV_UNIT_BYTES, 9, 2, .flags = 0 },
	[P_ADDRESS] = { "address", "ADDRESS", PV_UNIT_ADDRESS, 14, 3, PV_COLUMN_ASCENDING,
		.json = 1 },
	[P_SLOT] = { "slot", "SLOT", PV_UNIT_ADDRESS, 14, 4, PV_COLUMN_ASCENDING, .json = 8,
		.help = "Field or element that leads on" },
	[P_WHAT] = { "what", "OBJECT, THEN WHAT REFERS TO IT", PV_UNIT_TEXT, 30, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
	[P_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 30, 0,
		PV_COLUMN_HIDE_SCREEN | PV_COLUMN_CLASS, .json = 2 },
	[P_TEXT] = { "text", "TEXT", PV_UNIT_TEXT, 24, 0, PV_COLUMN_HIDE_SCREEN, .json = 9 },
	[P_LENGTH] = { "length", "LENGTH", PV_UNIT_EXACT, 9, 0, PV_COLUMN_HIDE_SCREEN, .json = 10 },
	[P_ROOT] = { "root", "ROOT", PV_UNIT_TEXT, 14, 0, PV_COLUMN_HIDE_SCREEN, .json = 5 },
	[P_AREA] = { "area", "AREA", PV_UNIT_TEXT, 20, 0, PV_COLUMN_HIDE_SCREEN, .json = 6 },
	[P_OWNER] = { "owner", "OF", PV_UNIT_TEXT, 24, 0, PV_COLUMN_HIDE_SCREEN, .json = 7 },
};

static void nothing(struct pv_cell *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pv_cell_null(&c[i]);
}

static void put_root(struct pv_build *b, const struct pv_heap *h, const struct pv_path *p)
{
	const struct pv_graph_root *r = &h->graph.root.v[p->root];
	const struct pv_graph_area *a = r->area ? &h->graph.area.v[r->area - 1] : NULL;
	struct pv_cell *c = pv_build_row(b, p->step.n + 1);
	nothing(c, PV_COUNT_OF(path_columns));
	pv_cell_s(&c[P_ROOT], r->flags & PV_GRAPH_INFERRED ? "inferred"
			      : r->flags & PV_GRAPH_WEAK   ? "weak handle"
							   : pv_root_source_text(r->source));
	if (a)
		pv_cell_s(&c[P_AREA], a->name);
	if (a)
		pv_cell_s(&c[P_OWNER], a->owner);
	pv_cell_s(&c[P_FIELD], pv_graph_root_field(&h->graph, r));
	pv_cell_u_if(&c[P_SLOT], r->slot, r->slot);
	pv_cell_s(&c[P_WHAT], pv_build_root(b, h, p->root));
}

/* "items", "[3]"; NULL: not known. */
static const char *known_place(
	struct pv_build *b, const struct pv_heap *h, uint32_t node, uint32_t offset)
{
	char place[PV_GRAPH_PLACE];
	const char *name = pv_graph_place(&h->graph, h->graph.class_of[node], offset, place);
	return name == place ? pv_build_text(b, place) : name;
}

/* "List .items", `String "a label"`, "Node". */
static const char *step_text(
	struct pv_build *b, const struct pv_heap *h, uint32_t node, const char *field)
{
	const char *class = pv_class_text(h, node), *preview = pv_build_preview(b, h, node);
	if (field)
		return pv_build_printf(b, "%s %s%s", class, *field == '[' ? "" : ".", field);
	return preview ? pv_build_printf(b, "%s %s", class, preview) : class;
}

/* Rows stand in the order of the path: ids count the steps. */
static void run_path(struct pv_build *b, struct pv_model *m)
{
	const struct pv_heap *h = b->query->heap;
	struct pv_path p;
	pv_build_heap_stamp(b, m);
	uint32_t node = h ? pv_object_of(h, b->query->select) : PV_GRAPH_NONE;
	if (node == PV_GRAPH_NONE)
		return;
	if (!pv_path_find(h, node, &p)) {
		pv_build_fail(b);
		return;
	}
	for (size_t i = 0; i < p.step.n; i++) {
		uint32_t at = p.step.v[i].node, offset = i ? p.step.v[i - 1].offset : PV_GRAPH_NONE;
		struct pv_cell *c = pv_build_row(b, i + 1);
		nothing(c, PV_COUNT_OF(path_columns));
		pv_cell_u(&c[P_ADDRESS], h->graph.address[at]);
		pv_cell_u_if(&c[P_OFFSET], offset != PV_GRAPH_NONE, offset);
		pv_cell_retained(&c[P_RETAINED], h, at);
		pv_cell_s(&c[P_CLASS], pv_class_text(h, at));
		const char *field = known_place(b, h, at, offset);
		pv_cell_s(&c[P_FIELD], field);
		put_string_text(&c[P_TEXT], &c[P_LENGTH], h, at);
		pv_cell_s(&c[P_WHAT], step_text(b, h, at, field));
	}
	if (p.root != SIZE_MAX)
		put_root(b, h, &p);
	pv_path_finish(&p);
}

const struct pv_view_spec pv_spec_heap_path = { .column = path_columns,
	.columns = PV_COUNT_OF(path_columns),
	.name = "what",
	.run = run_path };
