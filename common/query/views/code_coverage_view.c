/* SPDX-License-Identifier: MIT */
/*
 * Code coverage of data versions 10 to 15: methods, and a tree of assemblies, classes and methods.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/model/names/jit.h"
#include "common/model/model.h"
#include "common/query/groups/specs.h"

/* --- methods; a row's id is the method's index + 1 */

enum {
	V_STATEMENTS,
	V_COVERED,
	V_SHARE,
	V_ASSEMBLY,
	V_CLASS,
	V_FILE,
	V_SIGNATURE,
	V_TOKEN,
	V_NAME
};

static const struct pv_column method_columns[] = {
	[V_STATEMENTS] = { "statements", "STATEMENTS", PV_UNIT_COUNT, 10, 2, .json = 6 },
	[V_COVERED] = { "covered", "COVERED", PV_UNIT_COUNT, 8, 1, .json = 7 },
	[V_SHARE] = { "covered_percent", "COVER%", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	[V_ASSEMBLY] = { "assembly", "ASSEMBLY", PV_UNIT_TEXT, 16, 5, PV_COLUMN_ASCENDING,
		.json = 1 },
	[V_CLASS] = { "class", "CLASS", PV_UNIT_TEXT, 24, 3, PV_COLUMN_ASCENDING, .json = 2 },
	[V_FILE] = { "file", "FILE", PV_UNIT_TEXT, 20, 6, PV_COLUMN_ASCENDING, .json = 5 },
	[V_SIGNATURE] = { "signature", "SIGNATURE", PV_UNIT_TEXT, 20, 7, PV_COLUMN_ASCENDING,
		.json = 4 },
	[V_TOKEN] = { "token", "TOKEN", PV_UNIT_ADDRESS, 10, 8, PV_COLUMN_ASCENDING, .json = 8 },
	[V_NAME] = { "method", "METHOD", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS,
		.json = 3 },
};

static void copy_methods(struct pv_build *b, struct pv_model *m)
{
	const struct pv_intern *text = &m->names.text;
	for (size_t i = 0; i < m->helpers.methods.n; i++) {
		const struct pv_covered_method *v = &m->helpers.methods.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[V_STATEMENTS], v->statements);
		pv_cell_u(&c[V_COVERED], v->covered);
		pv_cell_share(&c[V_SHARE], (double)v->covered, (double)v->statements);
		pv_cell_s(&c[V_ASSEMBLY], pv_intern_text(text, v->assembly));
		pv_cell_s(&c[V_CLASS], pv_intern_text(text, v->class_name));
		pv_cell_s(&c[V_FILE], pv_intern_text(text, v->file));
		pv_cell_s(&c[V_SIGNATURE], pv_intern_text(text, v->signature));
		pv_cell_u(&c[V_TOKEN], v->token);
		pv_cell_s(&c[V_NAME], pv_intern_text(text, v->name));
	}
}

const struct pv_view_spec pv_spec_code_coverage = { .column = method_columns,
	.columns = PV_COUNT_OF(method_columns),
	.name = "method",
	.sort = "assembly",
	.then = "class",
	.copy = copy_methods };

/* --- statements of method row `select` */

static const struct pv_column line_columns[] = {
	{ "line", "LINE", PV_UNIT_EXACT, 7, 0, PV_COLUMN_ASCENDING, .json = 3 },
	{ "column", "COLUMN", PV_UNIT_EXACT, 7, 2, PV_COLUMN_ASCENDING, .json = 4,
		.help = "Column of the source line" },
	{ "il", "IL", PV_UNIT_EXACT, 8, 1, PV_COLUMN_ASCENDING, .json = 1,
		.help = "Place in the method's bytecode" },
	{ "hits", "TIMES", PV_UNIT_COUNT, 9, 0, .json = 2, .help = "How often it ran" },
	{ "state", "", PV_UNIT_TEXT, 12, 0, .flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS },
};

static void copy_lines(struct pv_build *b, struct pv_model *m)
{
	struct pv_helpers *h = &m->helpers;
	if (!pv_covered_link(h)) {
		pv_build_fail(b);
		return;
	}
	uint32_t at = pv_map_get(&h->newest_of, b->query->select - 1);
	for (at = at == PV_MAP_NONE ? 0 : at; at; at = h->linked.v[at - 1]) {
		const struct pv_covered_statement *s = &h->statements.v[at - 1];
		struct pv_cell *c = pv_build_row(b, at);
		pv_cell_u(&c[0], s->line);
		pv_cell_u(&c[1], s->column);
		pv_cell_u(&c[2], s->il);
		pv_cell_u(&c[3], s->hits);
		pv_cell_s(&c[4], s->hits ? "" : "not run");
	}
}

const struct pv_view_spec pv_spec_code_coverage_lines = { .column = line_columns,
	.columns = PV_COUNT_OF(line_columns),
	.sort = "il",
	.copy = copy_lines };

/* --- assemblies and classes, as summed up by the log */

enum { A_METHODS, A_FULL, A_PARTIAL, A_SHARE, A_GUID, A_FILE, A_NAME };

static const struct pv_column assembly_columns[] = {
	[A_METHODS] = { "methods", "METHODS", PV_UNIT_COUNT, 8, 2, .json = 4 },
	[A_FULL] = { "full", "FULLY", PV_UNIT_COUNT, 8, 1, .json = 5 },
	[A_PARTIAL] = { "partial", "PARTLY", PV_UNIT_COUNT, 8, 4, .json = 6 },
	[A_SHARE] = { "full_percent", "FULLY%", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	[A_GUID] = { "guid", "GUID", PV_UNIT_TEXT, 36, 5, PV_COLUMN_ASCENDING, .json = 2 },
	[A_FILE] = { "file", "FILE", PV_UNIT_TEXT, 20, 3, PV_COLUMN_ASCENDING, .json = 3 },
	[A_NAME] = { "assembly", "ASSEMBLY", PV_UNIT_TEXT, 24, 0,
		PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 1 },
};

static void copy_assemblies(struct pv_build *b, struct pv_model *m)
{
	const struct pv_intern *text = &m->names.text;
	for (size_t i = 0; i < m->helpers.assemblies.n; i++) {
		const struct pv_covered_assembly *a = &m->helpers.assemblies.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[A_METHODS], a->methods);
		pv_cell_u(&c[A_FULL], a->full);
		pv_cell_u(&c[A_PARTIAL], a->partial);
		pv_cell_share(&c[A_SHARE], (double)a->full, (double)a->methods);
		pv_cell_s(&c[A_GUID], pv_intern_text(text, a->guid));
		pv_cell_s(&c[A_FILE], pv_intern_text(text, a->file));
		pv_cell_s(&c[A_NAME], pv_intern_text(text, a->name));
	}
}

const struct pv_view_spec pv_spec_coverage_assemblies = { .column = assembly_columns,
	.columns = PV_COUNT_OF(assembly_columns),
	.name = "assembly",
	.sort = "assembly",
	.copy = copy_assemblies };

static const struct pv_column class_columns[] = {
	{ "methods", "METHODS", PV_UNIT_COUNT, 8, 2, .json = 3 },
	{ "full", "FULLY", PV_UNIT_COUNT, 8, 1, .json = 4 },
	{ "partial", "PARTLY", PV_UNIT_COUNT, 8, 4, .json = 5 },
	{ "full_percent", "FULLY%", PV_UNIT_PERCENT, 6, 1, .flags = 0 },
	{ "assembly", "ASSEMBLY", PV_UNIT_TEXT, 16, 3, PV_COLUMN_ASCENDING, .json = 1 },
	{ "class", "CLASS", PV_UNIT_TEXT, 30, 0, PV_COLUMN_ASCENDING | PV_COLUMN_GROWS, .json = 2 },
};

static void copy_classes(struct pv_build *b, struct pv_model *m)
{
	const struct pv_intern *text = &m->names.text;
	for (size_t i = 0; i < m->helpers.classes.n; i++) {
		const struct pv_covered_class *k = &m->helpers.classes.v[i];
		struct pv_cell *c = pv_build_row(b, i + 1);
		pv_cell_u(&c[0], k->methods);
		pv_cell_u(&c[1], k->full);
		pv_cell_u(&c[2], k->partial);
		pv_cell_share(&c[3], (double)k->full, (double)k->methods);
		pv_cell_s(&c[4], pv_intern_text(text, k->assembly));
		pv_cell_s(&c[5], pv_intern_text(text, k->name));
	}
}

const struct pv_view_spec pv_spec_coverage_classes = { .column = class_columns,
	.columns = PV_COUNT_OF(class_columns),
	.name = "class",
	.sort = "assembly",
	.then = "class",
	.copy = copy_classes };

/* --- assembly > class > method; a method's id is its row id above */

#define CLASS_ROW    (UINT64_C(1) << 60)
#define ASSEMBLY_ROW (UINT64_C(1) << 61)

enum { T_SHARE, T_COVERED, T_STATEMENTS, T_METHODS, T_FULL, T_FILE, T_NAME };

static const struct pv_column tree_columns[] = {
	[T_SHARE] = { "covered_percent", "COVER%", PV_UNIT_PERCENT, 6, 0, .flags = 0 },
	[T_COVERED] = { "covered", "COVERED", PV_UNIT_COUNT, 8, 1, .flags = 0 },
	[T_STATEMENTS] = { "statements", "STATEMENTS", PV_UNIT_COUNT, 10, 2, .flags = 0 },
	[T_METHODS] = { "methods", "METHODS", PV_UNIT_COUNT, 8, 4, .flags = 0 },
	[T_FULL] = { "full", "FULLY", PV_UNIT_COUNT, 8, 3, .flags = 0 },
	[T_FILE] = { "file", "FILE", PV_UNIT_TEXT, 20, 5, .flags = PV_COLUMN_ASCENDING },
	[T_NAME] = { "name", "ASSEMBLY, CLASS, METHOD", PV_UNIT_TEXT, 30, 0,
		.flags = PV_COLUMN_ASCENDING | PV_COLUMN_GROWS | PV_COLUMN_TREE },
};

struct holder {
	uint64_t id, parent;
	uint64_t statements, covered;
	uint64_t methods, full; /* counted here */
	uint64_t said_methods, said_full;
	uint32_t name, file;
	bool said;
};

struct tree {
	struct pv_build *b;
	const struct pv_model *m;
	PV_ARRAY(struct holder) holder;
	struct pv_map of;      /* id -> index */
	struct pv_map by_text; /* class_hash() -> interned class name in methods */
	bool ok;
};

static struct holder *holder_of(struct tree *t, struct holder fresh)
{
	uint32_t at = pv_map_get(&t->of, fresh.id);
	if (at != PV_MAP_NONE)
		return &t->holder.v[at];
	if (!pv_reserve(&t->holder, 1) || !pv_map_set(&t->of, fresh.id, (uint32_t)t->holder.n)) {
		t->ok = false;
		return NULL;
	}
	t->holder.v[t->holder.n] = fresh;
	return &t->holder.v[t->holder.n++];
}

static struct holder *assembly_of(struct tree *t, uint32_t name)
{
	return holder_of(t, (struct holder){ .id = ASSEMBLY_ROW | name, .name = name });
}

/* Interned names are far below 2^30. */
static struct holder *class_holder(struct tree *t, uint32_t assembly, uint32_t name)
{
	uint64_t id = CLASS_ROW | (uint64_t)assembly << 30 | name;
	return holder_of(
		t, (struct holder){ .id = id, .parent = ASSEMBLY_ROW | assembly, .name = name });
}

static void add_method(struct holder *h, const struct pv_covered_method *v)
{
	if (!h)
		return;
	h->statements += v->statements;
	h->covered += v->covered;
	h->methods++;
	h->full += v->statements > 0 && v->covered == v->statements;
}

/*
 * The class name as written for methods, from the log's `name`: "Foo<A,B>" becomes "Foo`2", and an
 * empty "<>" is written with entities.
 */
static void name_for_methods(const char *name, char *to, size_t size)
{
	size_t at = 0;
	unsigned members = 1, inside = 0;
	for (const char *p = name; *p && at + 16 < size; p++) {
		if (*p == '<' && p[1] == '>')
			p++, at += (size_t)snprintf(to + at, size - at, "&lt;&gt;");
		else if (*p == '<')
			inside++, members = inside == 1 ? 1 : members;
		else if (*p == '>' && inside && --inside == 0)
			at += (size_t)snprintf(to + at, size - at, "`%u", members);
		else if (*p == ',' && inside)
			members += inside == 1;
		else if (!inside)
			to[at++] = *p;
	}
	to[at] = 0;
}

static uint64_t class_hash(uint32_t assembly, const char *name)
{
	uint64_t h = assembly;
	for (; *name; name++)
		h = pv_hash(h * 31 + (unsigned char)*name);
	return h;
}

static void note_class(struct tree *t, uint32_t assembly, uint32_t name)
{
	const char *text = pv_intern_text(&t->m->names.text, name);
	if (strpbrk(text, "`&") && !pv_map_set(&t->by_text, class_hash(assembly, text), name))
		t->ok = false;
}

static void set_said_sums(struct holder *h, uint64_t methods, uint64_t full)
{
	if (!h)
		return;
	h->said = true;
	h->said_methods += methods;
	h->said_full += full;
}

static void add_class(struct tree *t, const struct pv_covered_class *k)
{
	const char *name = pv_intern_text(&t->m->names.text, k->name);
	uint32_t as_methods = k->name;
	char buf[400];
	if (strpbrk(name, "<>")) {
		name_for_methods(name, buf, sizeof buf);
		uint32_t known = pv_map_get(&t->by_text, class_hash(k->assembly, buf));
		as_methods = known == PV_MAP_NONE ? k->name : known;
	}
	assembly_of(t, k->assembly);
	set_said_sums(class_holder(t, k->assembly, as_methods), k->methods, k->full);
}

static void gather_holders(struct tree *t)
{
	const struct pv_helpers *h = &t->m->helpers;
	for (size_t i = 0; t->ok && i < h->assemblies.n; i++) {
		struct holder *a = assembly_of(t, h->assemblies.v[i].name);
		set_said_sums(a, h->assemblies.v[i].methods, h->assemblies.v[i].full);
		if (a)
			a->file = h->assemblies.v[i].file;
	}
	for (size_t i = 0; t->ok && i < h->methods.n; i++) {
		const struct pv_covered_method *v = &h->methods.v[i];
		add_method(assembly_of(t, v->assembly), v);
		add_method(class_holder(t, v->assembly, v->class_name), v);
		note_class(t, v->assembly, v->class_name);
	}
	for (size_t i = 0; t->ok && i < h->classes.n; i++)
		add_class(t, &h->classes.v[i]);
}

static void put_holder(struct tree *t, const struct holder *h)
{
	struct pv_cell *c = pv_build_child(
		t->b, h->id, h->parent, h->parent == 0 || h->methods ? PV_ROW_HAS_CHILDREN : 0);
	pv_cell_share(&c[T_SHARE], (double)h->covered, (double)h->statements);
	pv_cell_u(&c[T_COVERED], h->covered);
	pv_cell_u(&c[T_STATEMENTS], h->statements);
	pv_cell_u(&c[T_METHODS], h->said ? h->said_methods : h->methods);
	pv_cell_u(&c[T_FULL], h->said ? h->said_full : h->full);
	pv_cell_s(&c[T_FILE], h->file ? pv_intern_text(&t->m->names.text, h->file) : NULL);
	pv_cell_s(&c[T_NAME], pv_intern_text(&t->m->names.text, h->name));
}

static void put_covered_method(struct tree *t, const struct pv_covered_method *v, size_t i)
{
	const struct pv_intern *text = &t->m->names.text;
	uint64_t class_id = CLASS_ROW | (uint64_t)v->assembly << 30 | v->class_name;
	struct pv_cell *c = pv_build_child(t->b, i + 1, class_id, 0);
	pv_cell_share(&c[T_SHARE], (double)v->covered, (double)v->statements);
	pv_cell_u(&c[T_COVERED], v->covered);
	pv_cell_u(&c[T_STATEMENTS], v->statements);
	pv_cell_null(&c[T_METHODS]);
	pv_cell_null(&c[T_FULL]);
	pv_cell_s(&c[T_FILE], pv_intern_text(text, v->file));
	pv_cell_s(&c[T_NAME], pv_build_printf(t->b, "%s %s", pv_intern_text(text, v->name),
				      pv_intern_text(text, v->signature)));
}

static void copy_tree(struct pv_build *b, struct pv_model *m)
{
	struct tree t = { .b = b, .m = m, .ok = true };
	gather_holders(&t);
	for (size_t i = 0; t.ok && i < t.holder.n; i++)
		if (t.holder.v[i].parent == 0 || pv_build_wants_children(b, t.holder.v[i].parent))
			put_holder(&t, &t.holder.v[i]);
	for (size_t i = 0; t.ok && i < m->helpers.methods.n; i++) {
		const struct pv_covered_method *v = &m->helpers.methods.v[i];
		uint64_t class_id = CLASS_ROW | (uint64_t)v->assembly << 30 | v->class_name;
		if (pv_build_wants_children(b, class_id))
			put_covered_method(&t, v, i);
	}
	if (!t.ok)
		pv_build_fail(b);
	pv_array_finish(&t.holder);
	pv_map_finish(&t.of);
	pv_map_finish(&t.by_text);
}

const struct pv_view_spec pv_spec_coverage_tree = { .column = tree_columns,
	.columns = PV_COUNT_OF(tree_columns),
	.name = "name",
	.sort = "name",
	.tree = true,
	.copy = copy_tree };
