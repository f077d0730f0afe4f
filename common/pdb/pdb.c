/* SPDX-License-Identifier: MIT */
/* Sequence points and state machines of a portable PDB. */
#include "common/pdb/pdb.h"

#include <stdlib.h>

enum { OWNER_BITS = 5, MOST_OF_AN_OWNER = 256 };
#define HIDDEN_LINE 0xfeefeeu /* from older compilers */

/* 54fd2ac5-e925-401a-9c2a-f94f171072f8 */
static const uint8_t stepping[PV_PDB_GUID] = { 0xc5, 0x2a, 0xfd, 0x54, 0x25, 0xe9, 0x1a, 0x40, 0x9c,
	0x2a, 0xf9, 0x4f, 0x17, 0x10, 0x72, 0xf8 };

struct pv_pdb {
	uint8_t *bytes;
	size_t n;
	struct pv_pdb_tables tables;
};

struct pv_pdb *pv_pdb_open(uint8_t *bytes, size_t n, struct pv_error *reterr)
{
	struct pv_pdb *p = calloc(1, sizeof *p);
	if (!p)
		pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
	if (!p || !pv_pdb_tables_read(bytes, n, &p->tables, reterr)) {
		free(bytes);
		free(p);
		return NULL;
	}
	p->bytes = bytes;
	p->n = n;
	return p;
}

size_t pv_pdb_size(const struct pv_pdb *p)
{
	return p->n;
}

void pv_pdb_close(struct pv_pdb *p)
{
	if (p)
		free(p->bytes);
	free(p);
}

const struct pv_pdb_tables *pv_pdb_tables(const struct pv_pdb *p)
{
	return &p->tables;
}

struct pv_pdb_bytes pv_pdb_custom(
	const struct pv_pdb_tables *t, enum pv_pdb_owner owner, uint32_t row, const uint8_t *kind)
{
	const uint32_t key = row << OWNER_BITS | (uint32_t)owner;
	const uint32_t first = pv_pdb_first_row(t, PV_PDB_CUSTOM, key);
	for (uint32_t i = first; i - first < MOST_OF_AN_OWNER; i++) {
		if (i > t->table[PV_PDB_CUSTOM].rows || pv_pdb_field(t, PV_PDB_CUSTOM, i, 0) != key)
			break;
		if (pv_pdb_guid_is(t, pv_pdb_field(t, PV_PDB_CUSTOM, i, 1), kind))
			return pv_pdb_blob(t, pv_pdb_field(t, PV_PDB_CUSTOM, i, 2));
	}
	return (struct pv_pdb_bytes){ NULL, 0 };
}

/* Reading position among the points of a method. */
struct walk {
	struct pv_cursor c;
	struct pv_pdb_point at;
	uint32_t line, column; /* of the last visible point; line 0: none yet */
	bool began;
};

static bool start_points(const struct pv_pdb *p, uint32_t method, struct walk *w)
{
	const struct pv_pdb_bytes blob =
		pv_pdb_blob(&p->tables, pv_pdb_field(&p->tables, PV_PDB_METHOD, method, 1));
	*w = (struct walk){ .c = pv_pdb_cursor(blob) };
	if (blob.n == 0)
		return false;
	pv_pdb_get(&w->c); /* signature of the locals */
	w->at.document = pv_pdb_field(&p->tables, PV_PDB_METHOD, method, 0);
	if (w->at.document == 0)
		w->at.document = pv_pdb_get(&w->c);
	return pv_cursor_ok(&w->c);
}

/* Moves a line or column; malformed if out of range. */
static uint32_t moved_position(struct pv_cursor *c, uint32_t from, int64_t by)
{
	const int64_t to = (int64_t)from + by;
	if (to < 0 || to > INT32_MAX)
		c->malformed = true;
	return c->malformed ? 0 : (uint32_t)to;
}

static void visible(struct walk *w, uint32_t lines, int32_t columns)
{
	const bool first = w->line == 0;
	struct pv_pdb_point *at = &w->at;
	at->line = moved_position(
		&w->c, w->line, first ? (int64_t)pv_pdb_get(&w->c) : pv_pdb_get_signed(&w->c));
	at->column = moved_position(
		&w->c, w->column, first ? (int64_t)pv_pdb_get(&w->c) : pv_pdb_get_signed(&w->c));
	at->end_line = moved_position(&w->c, at->line, lines);
	at->end_column = moved_position(&w->c, at->column, columns);
	if (at->line == 0)
		w->c.malformed = true;
	w->line = at->line;
	w->column = at->column;
}

static void hide(struct pv_pdb_point *at)
{
	at->line = at->column = at->end_line = at->end_column = 0;
}

/* Reads the next point. False at the end and at damage. */
static bool next_point(struct walk *w)
{
	struct pv_cursor *c = &w->c;
	while (pv_cursor_ok(c) && c->at < c->end) {
		const uint32_t step = pv_pdb_get(c);
		if (w->began && step == 0) {
			w->at.document = pv_pdb_get(c);
			continue;
		}
		w->at.offset = moved_position(c, w->at.offset, step);
		w->began = true;
		const uint32_t lines = pv_pdb_get(c);
		const int32_t columns = lines ? pv_pdb_get_signed(c) : (int32_t)pv_pdb_get(c);
		if (lines || columns)
			visible(w, lines, columns);
		if ((lines == 0 && columns == 0) || w->at.line == HIDDEN_LINE)
			hide(&w->at);
		return pv_cursor_ok(c);
	}
	return false;
}

bool pv_pdb_points(const struct pv_pdb *p, uint32_t method,
	bool (*each)(void *ctx, const struct pv_pdb_point *at), void *ctx)
{
	struct walk w;
	if (!start_points(p, method, &w))
		return pv_cursor_ok(&w.c);
	for (uint32_t n = 0; n < PV_PDB_POINTS_MOST && next_point(&w); n++)
		if (!each(ctx, &w.at))
			return true;
	return pv_cursor_ok(&w.c);
}

struct search {
	uint32_t offset;
	struct pv_pdb_point found;
};

static bool search_point(void *ctx, const struct pv_pdb_point *at)
{
	struct search *s = ctx;
	if (at->offset > s->offset && s->found.line)
		return false;
	if (at->line)
		s->found = *at;
	return true;
}

bool pv_pdb_point_at(
	const struct pv_pdb *p, uint32_t method, uint32_t offset, struct pv_pdb_point *ret)
{
	struct search s = { .offset = offset };
	pv_pdb_points(p, method, search_point, &s);
	*ret = s.found;
	return s.found.line > 0;
}

uint32_t pv_pdb_kickoff(const struct pv_pdb *p, uint32_t method)
{
	const struct pv_pdb_tables *t = &p->tables;
	const uint32_t row = pv_pdb_first_row(t, PV_PDB_STATE_MACHINE, method);
	if (method == 0 || pv_pdb_field(t, PV_PDB_STATE_MACHINE, row, 0) != method)
		return 0;
	return pv_pdb_field(t, PV_PDB_STATE_MACHINE, row, 1);
}

bool pv_pdb_await(const struct pv_pdb *p, uint32_t method, uint32_t state, struct pv_pdb_await *ret)
{
	const struct pv_pdb_bytes b = pv_pdb_custom(&p->tables, PV_PDB_OF_METHOD, method, stepping);
	struct pv_cursor c = pv_pdb_cursor(b);
	if (b.n == 0)
		return false;
	pv_get_u32(&c); /* offset of the handler for exceptions of an async void method */
	for (uint32_t i = 0; pv_cursor_ok(&c) && i <= state; i++) {
		ret->yield = pv_get_u32(&c);
		ret->resume = pv_get_u32(&c);
		pv_pdb_get(&c); /* the resuming method, always this one */
	}
	return pv_cursor_ok(&c);
}
