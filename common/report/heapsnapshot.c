/* SPDX-License-Identifier: MIT */
/* Writes a heap shot as a .heapsnapshot file for Chrome's developer tools. */
#include "common/report/heapsnapshot.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/base/map.h"
#include "common/base/system/new_file.h"
#include "common/base/text/showable.h"
#include "common/heap/heap.h"
#include "common/query/root_text.h"
#include "common/report/report_sections.h"

/* Numbers in node_types and edge_types of the head below. */
enum { NODE_STRING = 2, NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };
enum { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_WEAK = 6 };
enum { NODE_FIELDS = 7, UNREACHED = PV_ROOT_SOURCES, KINDS = PV_ROOT_SOURCES + 1 };
/* Nodes in front of the objects: the root, "(GC roots)", then the kinds. */
enum { AT_KINDS = 2, AT_OBJECTS = AT_KINDS + KINDS };

struct snapshot {
	const struct pv_heap *h;
	const struct pv_graph *g;
	FILE *out;
	struct pv_error *err;
	uint64_t kind_edges[KINDS], root_edges; /* root_edges: kinds with edges */
	struct pv_map offset_of;                /* byte offset -> index in offset */
	PV_ARRAY(uint32_t) offset;              /* fields to be named */
	uint32_t *array;                        /* [klass.n] 1: elements are numbered */
	uint64_t names;                         /* strings written so far */
};

/*
 * Strings: 0 "", 1 "(GC roots)", then one for each kind, each area, each class, each field with a
 * known name, each static field, each other offset, each string with a known beginning.
 */
static uint64_t kind_string(uint32_t kind)
{
	return AT_KINDS + kind;
}

static uint64_t area_string(uint32_t area) /* index */
{
	return AT_KINDS + KINDS + (uint64_t)area;
}

static uint64_t class_string(const struct snapshot *s, uint32_t klass)
{
	return area_string((uint32_t)s->g->area.n) + klass;
}

static uint64_t field_string(const struct snapshot *s, const struct pv_graph_field *f)
{
	return class_string(s, (uint32_t)s->g->klass.n) + (uint64_t)(f - s->g->field.v);
}

static uint64_t static_string(const struct snapshot *s, const struct pv_graph_field *f)
{
	return class_string(s, (uint32_t)s->g->klass.n) + s->g->field.n +
	       (uint64_t)(f - s->g->static_field.v);
}

static uint64_t offset_string(const struct snapshot *s, uint32_t at)
{
	return class_string(s, (uint32_t)s->g->klass.n) + s->g->field.n + s->g->static_field.n + at;
}

static uint64_t text_string(const struct snapshot *s, size_t at) /* in string */
{
	return offset_string(s, (uint32_t)s->offset.n) + at;
}

static bool is_array(const char *name)
{
	size_t n = strlen(name);
	return n > 1 && name[n - 1] == ']';
}

/* --- offsets and edge counts to write */

static bool note_offsets(struct snapshot *s)
{
	const struct pv_graph *g = s->g;
	for (uint32_t node = 0; node < g->nodes; node++) {
		if (s->array[g->class_of[node]])
			continue;
		for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
			if (g->offset[e] == PV_GRAPH_NONE ||
				pv_map_get(&s->offset_of, g->offset[e]) != PV_MAP_NONE ||
				pv_graph_field(g, g->class_of[node], g->offset[e]))
				continue;
			if (!pv_reserve(&s->offset, 1) ||
				!pv_map_set(&s->offset_of, g->offset[e], (uint32_t)s->offset.n))
				return false;
			s->offset.v[s->offset.n++] = g->offset[e];
		}
	}
	return true;
}

static bool prepare(struct snapshot *s)
{
	const struct pv_graph *g = s->g;
	s->array = calloc(g->klass.n + 1, sizeof *s->array);
	if (!s->array)
		return false;
	for (size_t i = 0; i < g->klass.n; i++)
		s->array[i] = is_array(g->klass.v[i].name);
	for (size_t i = 0; i < g->root.n; i++)
		s->kind_edges[g->root.v[i].source]++;
	s->kind_edges[UNREACHED] = s->h->unreachable;
	for (unsigned i = 0; i < KINDS; i++)
		s->root_edges += s->kind_edges[i] != 0;
	return note_offsets(s);
}

/* --- head */

static void put_head(const struct snapshot *s)
{
	static const char meta[] =
		"{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
		"\"edge_count\",\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\","
		"\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","
		"\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\","
		"\"bigint\"],\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],"
		"\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\"edge_types\":[["
		"\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\","
		"\"weak\"],\"string_or_number\",\"node\"],\"trace_function_info_fields\":["
		"\"function_id\",\"name\",\"script_name\",\"script_id\",\"line\",\"column\"],"
		"\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\","
		"\"children\"],\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],"
		"\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},";
	uint64_t edges = 1 + s->root_edges + s->g->edges;
	for (unsigned i = 0; i < KINDS; i++)
		edges += s->kind_edges[i];
	fprintf(s->out,
		"%s\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64
		",\"trace_function_count\":0},\n",
		meta, (uint64_t)s->g->nodes + AT_OBJECTS, edges);
}

/* --- nodes */

/* Readers keep these numbers in 32 bits. */
static uint64_t at_most_32_bits(uint64_t v)
{
	return v < UINT32_MAX ? v : UINT32_MAX;
}

static void put_node(const struct snapshot *s, uint64_t index, const uint64_t v[4])
{
	fprintf(s->out, "%s%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",0,0\n",
		index ? "," : "", v[0], v[1], 2 * index + 1, at_most_32_bits(v[2]), v[3]);
}

static void put_nodes(const struct snapshot *s)
{
	const struct pv_graph *g = s->g;
	fputs("\"nodes\":[", s->out);
	put_node(s, 0, (uint64_t[]){ NODE_SYNTHETIC, 0, 0, 1 });
	put_node(s, 1, (uint64_t[]){ NODE_SYNTHETIC, 1, 0, s->root_edges });
	for (uint32_t i = 0; i < KINDS; i++)
		put_node(s, AT_KINDS + i,
			(uint64_t[]){ NODE_SYNTHETIC, kind_string(i), 0, s->kind_edges[i] });
	size_t string = 0; /* sorted by address, as nodes are */
	for (uint32_t i = 0; i < g->nodes && !ferror(s->out); i++) {
		while (string < g->string.n && g->string.v[string].address < g->address[i])
			string++;
		bool text = string < g->string.n && g->string.v[string].address == g->address[i];
		put_node(s, AT_OBJECTS + (uint64_t)i,
			(uint64_t[]){ text ? NODE_STRING : NODE_OBJECT,
				text ? text_string(s, string) : class_string(s, g->class_of[i]),
				g->size[i], g->first[i + 1] - g->first[i] });
	}
	fputs("],\n", s->out);
}

/* --- edges */

static void put_edge(const struct snapshot *s, unsigned type, uint64_t name, uint64_t to)
{
	fprintf(s->out, ",%u,%" PRIu64 ",%" PRIu64 "\n", type, name, to * NODE_FIELDS);
}

static void put_root_edges(const struct snapshot *s, uint32_t kind)
{
	const struct pv_graph *g = s->g;
	for (uint32_t i = 0, n = 0; kind == UNREACHED && i < g->nodes; i++)
		if (s->h->idom[i] == PV_GRAPH_NONE)
			put_edge(s, EDGE_ELEMENT, n++, AT_OBJECTS + (uint64_t)i);
	for (size_t i = 0, n = 0; kind != UNREACHED && i < g->root.n; i++) {
		const struct pv_graph_root *r = &g->root.v[i];
		const struct pv_graph_field *f;
		if (r->source != kind)
			continue;
		if (!pv_heap_counts(s->h, r))
			put_edge(s, EDGE_WEAK, kind_string(kind), AT_OBJECTS + (uint64_t)r->node);
		else if ((f = pv_graph_static_field(g, r)) != NULL)
			put_edge(s, EDGE_PROPERTY, static_string(s, f),
				AT_OBJECTS + (uint64_t)r->node);
		else if (r->area)
			put_edge(s, EDGE_PROPERTY, area_string(r->area - 1),
				AT_OBJECTS + (uint64_t)r->node);
		else
			put_edge(s, EDGE_ELEMENT, n++, AT_OBJECTS + (uint64_t)r->node);
	}
}

static void put_object_edges(const struct snapshot *s, uint32_t node)
{
	const struct pv_graph *g = s->g;
	struct pv_graph_element at;
	for (uint32_t e = g->first[node]; e < g->first[node + 1]; e++) {
		uint64_t to = AT_OBJECTS + (uint64_t)g->to[e];
		const struct pv_graph_field *f = pv_graph_field(g, g->class_of[node], g->offset[e]);
		if (f)
			put_edge(s, EDGE_PROPERTY, field_string(s, f), to);
		else if (g->offset[e] == PV_GRAPH_NONE)
			put_edge(s, EDGE_ELEMENT, e - g->first[node], to);
		else if (pv_graph_element(g, g->class_of[node], g->offset[e], &at) && !at.field &&
			 !at.inner)
			put_edge(s, EDGE_ELEMENT, at.index, to);
		else if (s->array[g->class_of[node]])
			put_edge(s, EDGE_ELEMENT, g->offset[e], to);
		else
			put_edge(s, EDGE_PROPERTY,
				offset_string(s, pv_map_get(&s->offset_of, g->offset[e])), to);
	}
}

static void put_edges(const struct snapshot *s)
{
	fprintf(s->out, "\"edges\":[%u,1,%u\n", (unsigned)EDGE_ELEMENT, (unsigned)NODE_FIELDS);
	for (uint32_t i = 0, n = 1; i < KINDS; i++)
		if (s->kind_edges[i])
			put_edge(s, EDGE_ELEMENT, n++, AT_KINDS + i);
	for (uint32_t i = 0; i < KINDS; i++)
		put_root_edges(s, i);
	for (uint32_t i = 0; i < s->g->nodes && !ferror(s->out); i++)
		put_object_edges(s, i);
	fputs("],\n\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[],"
	      "\n",
		s->out);
}

/* --- strings */

static bool put_snapshot_string(struct snapshot *s, const char *text)
{
	char *json = pv_showable_json(text, strlen(text));
	if (!json)
		return false;
	fputs(s->names++ ? ",\n" : "", s->out);
	fputs(json, s->out);
	free(json);
	return true;
}

static bool put_area(struct snapshot *s, const struct pv_graph_area *a)
{
	char text[400];
	snprintf(text, sizeof text, "%s%s%s", PV_FIT(a->name, 150), a->owner ? " of " : "",
		PV_FIT(a->owner ? a->owner : "", 200));
	return put_snapshot_string(s, text);
}

static bool put_static(struct snapshot *s, const struct pv_graph_field *f)
{
	char text[400];
	const char *owner = s->g->layout.v[f->layout].owner;
	snprintf(
		text, sizeof text, "%s.%s", PV_FIT(owner ? owner : "?", 200), PV_FIT(f->name, 150));
	return put_snapshot_string(s, text);
}

static bool put_strings(struct snapshot *s)
{
	const struct pv_graph *g = s->g;
	char text[64];
	fputs("\"strings\":[", s->out);
	bool ok = put_snapshot_string(s, "") && put_snapshot_string(s, "(GC roots)");
	for (unsigned i = 0; ok && i < PV_ROOT_SOURCES; i++) {
		snprintf(text, sizeof text, "(%s)",
			g->inferred && i == PV_ROOT_UNKNOWN
				? "inferred roots"
				: pv_root_source_text((enum pv_root_source)i));
		ok = put_snapshot_string(s, text);
	}
	ok = ok && put_snapshot_string(s, "(no root reaches these)");
	for (size_t i = 0; ok && i < g->area.n; i++)
		ok = put_area(s, &g->area.v[i]);
	for (size_t i = 0; ok && i < g->klass.n; i++)
		ok = put_snapshot_string(s, g->klass.v[i].name);
	for (size_t i = 0; ok && i < g->field.n; i++)
		ok = put_snapshot_string(s, g->field.v[i].name);
	for (size_t i = 0; ok && i < g->static_field.n; i++)
		ok = put_static(s, &g->static_field.v[i]);
	for (size_t i = 0; ok && i < s->offset.n; i++) {
		snprintf(text, sizeof text, "+0x%" PRIx32, s->offset.v[i]);
		ok = put_snapshot_string(s, text);
	}
	for (size_t i = 0; ok && i < g->string.n; i++)
		ok = put_snapshot_string(s, g->string.v[i].text);
	fputs("]}\n", s->out);
	return ok;
}

/* --- the whole file */

bool pv_heapsnapshot_write(const struct pv_heap *h, FILE *out, struct pv_error *reterr)
{
	struct snapshot s = { .h = h, .g = &h->graph, .out = out, .err = reterr };
	bool ok = prepare(&s);
	if (ok) {
		put_head(&s);
		put_nodes(&s);
		put_edges(&s);
		ok = put_strings(&s);
	}
	free(s.array);
	pv_map_finish(&s.offset_of);
	pv_array_finish(&s.offset);
	if (!ok)
		return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (fflush(out) != 0 || ferror(out))
		return pv_fail(reterr, PV_EOUTPUT, 0, "cannot write: %s",
			errno ? strerror(errno) : "the output failed");
	return true;
}

bool pv_heapsnapshot_file(const struct pv_heap *h, const char *path, struct pv_error *reterr)
{
	struct pv_new_file f;
	return pv_new_file_begin(&f, path, reterr) &&
	       pv_new_file_finish(&f, pv_heapsnapshot_write(h, f.out, reterr), reterr);
}
