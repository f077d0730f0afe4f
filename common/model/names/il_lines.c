/* SPDX-License-Identifier: MIT */
/* Opens the PDBs of modules, finds lines by IL offset, and remembers the answers. */
#include "common/model/names/il_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/ranges.h"
#include "common/model/ground/model_parts.h"
#include "common/pdb/pdb_find.h"
#include "common/pdb/pdb_image.h"

enum { METHOD_TOKEN = 0x06, TOKEN_ROWS = 24, MVID_TEXT = 37 };

/* A module with a line that was asked for. */
struct il_module {
	struct pv_pdb *pdb; /* NULL: not open */
	bool missing;       /* no PDB on this machine */
	uint64_t used;      /* the turn of its last use */
	uint32_t image;     /* id in names */
};

struct document {
	uint32_t module, row; /* module: an index; row: in its PDB */
};

struct pv_il_lines {
	PV_ARRAY(struct il_module) module;
	PV_ARRAY(struct document) document; /* [0] unused */
	PV_ARRAY(struct pv_line_at) line;   /* [0]: not known */
	struct pv_map module_of;            /* image -> index in module */
	struct pv_map line_of;              /* place -> index in line */
	struct pv_map document_of;          /* interned path -> index in document */
	struct pv_ranges body;              /* code -> index of the map, */
	uint32_t bodies;                    /* of the maps up to this index */
	uint64_t turns;
	size_t kept; /* bytes of open PDBs */
};

/* --- PDBs */

static void close_pdb(struct pv_il_lines *l, struct il_module *x)
{
	l->kept -= x->pdb ? pv_pdb_size(x->pdb) : 0;
	pv_pdb_close(x->pdb);
	x->pdb = NULL;
}

/* Closes the PDBs used longest ago, until the rest with this module's is within the limit. */
static void free_oldest_pdbs(struct pv_il_lines *l, const struct il_module *but)
{
	while (l->kept > PV_IL_LINES_KEPT) {
		struct il_module *oldest = NULL;
		for (size_t i = 0; i < l->module.n; i++) {
			struct il_module *x = &l->module.v[i];
			if (x != but && x->pdb && (!oldest || x->used < oldest->used))
				oldest = x;
		}
		if (!oldest)
			return;
		close_pdb(l, oldest);
	}
}

/* The MVID as logs write it: its first three parts are numbers. */
static void write_mvid(const uint8_t *g, char to[MVID_TEXT])
{
	static const uint8_t order[PV_PDB_GUID] = { 3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13,
		14, 15 };
	char *at = to;
	for (size_t i = 0; i < PV_PDB_GUID; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			*at++ = '-';
		at += snprintf(at, 3, "%02x", g[order[i]]);
	}
}

/* True if the file is the build that was loaded, as far as the log has its id. */
static bool is_that_build(const char *path, const char *mvid)
{
	struct pv_pdb_image image;
	struct pv_error e = { 0 };
	char is[MVID_TEXT];
	if (!pv_pdb_image(path, &image, &e))
		return false;
	bool by_pdb = strncmp(mvid, "pdb ", 4) == 0;
	write_mvid(by_pdb ? image.id : image.mvid, is);
	return !*mvid || strcmp(is, by_pdb ? mvid + 4 : mvid) == 0;
}

static void open_pdb(struct pv_model *m, struct pv_il_lines *l, struct il_module *x)
{
	const struct pv_entity *e = &m->names.entity[PV_ENTITY_IMAGE].v[x->image];
	const char *path = pv_intern_text(&m->names.text, e->name);
	struct pv_error error = { 0 };
	if (is_that_build(path, pv_intern_text(&m->names.text, e->extra)))
		x->pdb = pv_pdb_find(path, NULL, &error);
	x->missing = !x->pdb;
	l->kept += x->pdb ? pv_pdb_size(x->pdb) : 0;
	free_oldest_pdbs(l, x);
}

/* PV_MAP_NONE: out of memory, or too many. */
static uint32_t module_of(struct pv_il_lines *l, uint32_t image)
{
	uint32_t at = pv_map_get(&l->module_of, image);
	if (at != PV_MAP_NONE)
		return at;
	at = (uint32_t)l->module.n;
	if (at >= PV_IL_LINES_MODULES || !pv_reserve(&l->module, 1) ||
		!pv_map_set(&l->module_of, image, at))
		return PV_MAP_NONE;
	l->module.v[l->module.n++] = (struct il_module){ .image = image };
	return at;
}

static const struct pv_pdb *pdb_of(struct pv_model *m, struct pv_il_lines *l, uint32_t module)
{
	struct il_module *x = &l->module.v[module];
	x->used = ++l->turns;
	if (!x->pdb && !x->missing)
		open_pdb(m, l, x);
	return x->pdb;
}

/* --- lines */

/* The document's path as an interned text; 0: none. False: out of memory. */
static bool path_of(
	struct pv_model *m, struct pv_il_lines *l, const struct document *at, uint32_t *ret)
{
	struct pv_pdb_document d;
	*ret = 0;
	if (!pv_pdb_document(l->module.v[at->module].pdb, at->row, &d))
		return true;
	if (!pv_intern_add(&m->names.text, d.name, strlen(d.name), ret))
		return false;
	if (pv_map_get(&l->document_of, *ret) != PV_MAP_NONE)
		return true;
	if (!pv_reserve(&l->document, 1) ||
		!pv_map_set(&l->document_of, *ret, (uint32_t)l->document.n))
		return false;
	l->document.v[l->document.n++] = *at;
	return true;
}

static bool look_up_il_line(
	struct pv_model *m, const struct pv_il_map *map, uint64_t address, struct pv_line_at *ret)
{
	struct pv_il_lines *l = m->lines.il.lines;
	struct pv_pdb_point point;
	uint32_t module = module_of(l, map->image);
	if (module == PV_MAP_NONE)
		return l->module.n >= PV_IL_LINES_MODULES;
	const struct pv_pdb *pdb = pdb_of(m, l, module);
	const uint32_t row = map->token & ((1u << TOKEN_ROWS) - 1);
	uint32_t offset;
	if (!pdb || map->token >> TOKEN_ROWS != METHOD_TOKEN ||
		!pv_il_offset(&m->lines.il, map, address, &offset) ||
		!pv_pdb_point_at(pdb, row, offset, &point))
		return true;
	const struct document at = { module, point.document };
	if (!path_of(m, l, &at, &ret->file))
		return false;
	ret->line = ret->file ? point.line : 0;
	if (pv_pdb_point_at(pdb, row, 0, &point) && point.document == at.row)
		ret->start = point.line;
	return true;
}

static struct pv_il_lines *begin_il_lines(void)
{
	struct pv_il_lines *l = calloc(1, sizeof *l);
	if (!l || !pv_reserve(&l->line, 1) || !pv_reserve(&l->document, 1)) {
		pv_il_lines_free(l);
		return NULL;
	}
	l->line.v[l->line.n++] = (struct pv_line_at){ 0 };
	l->document.v[l->document.n++] = (struct document){ 0 };
	return l;
}

/* The newest body at an address, of any method. */
static uint32_t body_at(const struct pv_model *m, struct pv_il_lines *l, uint64_t address)
{
	const struct pv_il_maps *il = &m->lines.il;
	for (; l->bodies < il->map.n; l->bodies++) {
		const struct pv_il_map *map = &il->map.v[l->bodies];
		if (map->size && !pv_ranges_add(&l->body, map->code, map->size, l->bodies))
			return PV_MAP_NONE;
	}
	return pv_ranges_find(&l->body, address);
}

/* A sample from before the log named the method has a method with the address as key. */
static bool map_at(const struct pv_model *m, struct pv_il_lines *l, const struct pv_place *p,
	const struct pv_il_map **ret)
{
	*ret = pv_il_map_at(&m->lines.il, p->method, p->address);
	if (*ret || m->names.method.v[p->method].key != p->address)
		return true;
	uint32_t body = body_at(m, l, p->address);
	*ret = body && body != PV_MAP_NONE ? &m->lines.il.map.v[body] : NULL;
	return body != PV_MAP_NONE;
}

bool pv_il_lines_at(struct pv_model *m, uint32_t place, struct pv_line_at *ret)
{
	const struct pv_place *p = &m->places.place.v[place];
	struct pv_il_lines *l = m->lines.il.lines;
	uint32_t known = l ? pv_map_get(&l->line_of, place) : PV_MAP_NONE;
	*ret = known != PV_MAP_NONE ? l->line.v[known] : (struct pv_line_at){ 0 };
	if (known != PV_MAP_NONE)
		return true;
	if (!m->lines.il.map.n)
		return true;
	if (!l)
		l = m->lines.il.lines = begin_il_lines();
	const struct pv_il_map *map;
	if (!l || !map_at(m, l, p, &map))
		return false;
	if (!map || !map->image)
		return true;
	if (!look_up_il_line(m, map, p->address, ret) || !pv_reserve(&l->line, 1) ||
		!pv_map_set(&l->line_of, place, ret->line ? (uint32_t)l->line.n : 0))
		return false;
	if (ret->line)
		l->line.v[l->line.n++] = *ret;
	return true;
}

bool pv_il_lines_source(struct pv_model *m, uint32_t file, struct pv_il_source *ret)
{
	struct pv_il_lines *l = m->lines.il.lines;
	uint32_t at = l ? pv_map_get(&l->document_of, file) : PV_MAP_NONE;
	const struct document *of = at == PV_MAP_NONE ? NULL : &l->document.v[at];
	const struct pv_pdb *pdb = of ? pdb_of(m, l, of->module) : NULL;
	struct pv_pdb_document d;
	struct pv_error e = { 0 };
	*ret = (struct pv_il_source){ 0 };
	if (!pdb || !pv_pdb_document(pdb, of->row, &d))
		return true;
	if (d.hash.n && d.hash.n == pv_checksum_bytes(d.algorithm)) {
		ret->algorithm = d.algorithm;
		memcpy(ret->hash, d.hash.at, d.hash.n);
	}
	if (!pv_pdb_source_address(pdb, d.name, ret->address, sizeof ret->address))
		*ret->address = 0;
	ret->text = (char *)pv_pdb_source(pdb, of->row, &ret->len, &e);
	return ret->text || e.code != PV_ENOMEM;
}

void pv_il_source_finish(struct pv_il_source *s)
{
	free(s->text);
	*s = (struct pv_il_source){ 0 };
}

void pv_il_lines_free(struct pv_il_lines *l)
{
	if (!l)
		return;
	for (size_t i = 0; i < l->module.n; i++)
		pv_pdb_close(l->module.v[i].pdb);
	pv_array_finish(&l->module);
	pv_array_finish(&l->document);
	pv_array_finish(&l->line);
	pv_map_finish(&l->module_of);
	pv_map_finish(&l->line_of);
	pv_map_finish(&l->document_of);
	pv_ranges_finish(&l->body);
	free(l);
}
