/* SPDX-License-Identifier: MIT */
/* Streams, tables and heaps of a portable PDB: layout, and reading of fields. */
#include "common/pdb/pdb_tables.h"

enum {
	FIRST_TABLE = 0x30,
	BITS = 64,
	WIDE_STRINGS = 1,
	WIDE_GUIDS = 2,
	WIDE_BLOBS = 4,
	EXTRA = 0x40
};
enum {
	METHOD_DEF = 0x06,
	MOST_ROWS = 0xffffff,
	MOST_NARROW = 0xffff,
	OWNER_BITS = 5,
	MOST_STREAMS = 64
};
#define SIGNATURE 0x424a5342u /* "BSJB" */
#define WINDOWS   "Microsoft C/C++ MSF"

/* Streams of the metadata's root. */
struct streams {
	struct pv_cursor pdb, tables;
	struct pv_pdb_bytes guids, blobs;
};

/* Rows of every table, the module's tables included: they determine the width of indexes. */
struct widths {
	uint32_t rows[BITS];
	uint8_t heaps;
};

static bool damaged(const char *what, struct pv_error *reterr)
{
	return pv_fail(reterr, PV_ECORRUPT, 0, "the PDB is damaged: %s", what);
}

uint32_t pv_pdb_get(struct pv_cursor *c)
{
	uint32_t v = pv_get_u8(c);
	if (v < 0x80)
		return v;
	if (v < 0xc0)
		return (v & 0x3f) << 8 | pv_get_u8(c);
	if (v >= 0xe0) {
		c->malformed = true;
		return 0;
	}
	v = (v & 0x1f) << 8 | pv_get_u8(c);
	v = v << 8 | pv_get_u8(c);
	return v << 8 | pv_get_u8(c);
}

int32_t pv_pdb_get_signed(struct pv_cursor *c)
{
	const uint8_t first = c->at == c->end ? 0 : *c->at;
	const int32_t beyond = first < 0x80 ? 1 << 6 : first < 0xc0 ? 1 << 13 : 1 << 28;
	const uint32_t v = pv_pdb_get(c);
	return (int32_t)(v >> 1) - (v & 1 ? beyond : 0);
}

/* Notes a stream of the root; its name is padded to four bytes. */
static bool stream(struct pv_cursor *c, const uint8_t *bytes, size_t n, struct streams *s)
{
	const uint32_t at = pv_get_u32(c), size = pv_get_u32(c);
	size_t len;
	const char *name = pv_get_cstr(c, &len);
	pv_get_bytes(c, (4 - (len + 1) % 4) % 4);
	if (!pv_cursor_ok(c) || at > n || size > n - at)
		return false;
	const struct pv_cursor within = { .at = bytes + at, .end = bytes + at + size };
	if (strcmp(name, "#Pdb") == 0)
		s->pdb = within;
	else if (strcmp(name, "#~") == 0)
		s->tables = within;
	else if (strcmp(name, "#GUID") == 0)
		s->guids = (struct pv_pdb_bytes){ within.at, size };
	else if (strcmp(name, "#Blob") == 0)
		s->blobs = (struct pv_pdb_bytes){ within.at, size };
	return true;
}

static bool root(const uint8_t *bytes, size_t n, struct streams *s, struct pv_error *reterr)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	if (n >= sizeof WINDOWS - 1 && memcmp(bytes, WINDOWS, sizeof WINDOWS - 1) == 0)
		return pv_fail(reterr, PV_EVERSION, 0,
			"it is a PDB of Windows: only portable ones are read (DebugType portable)");
	if (pv_get_u32(&c) != SIGNATURE)
		return pv_fail(reterr, PV_EVERSION, 0, "it is no portable PDB");
	pv_get_bytes(&c, 8); /* version, reserved */
	pv_get_bytes(&c, pv_get_u32(&c));
	pv_get_u16(&c);
	const uint16_t streams = pv_get_u16(&c);
	bool ok = pv_cursor_ok(&c) && streams <= MOST_STREAMS;
	for (uint16_t i = 0; ok && i < streams; i++)
		ok = stream(&c, bytes, n, s);
	if (!ok || !s->pdb.at || !s->tables.at)
		return damaged("its streams", reterr);
	return true;
}

static bool read_counts(struct pv_cursor *c, uint64_t present, uint32_t *rows)
{
	for (unsigned i = 0; i < BITS; i++) {
		if (!(present >> i & 1))
			continue;
		rows[i] = pv_get_u32(c);
		if (rows[i] > MOST_ROWS)
			return false;
	}
	return pv_cursor_ok(c);
}

static bool counts(struct streams *s, struct pv_pdb_tables *ret, struct widths *w)
{
	struct pv_cursor *c = &s->pdb;
	ret->id = pv_get_bytes(c, PV_PDB_ID);
	pv_get_u32(c); /* the entry point */
	uint64_t present = pv_get_u64(c);
	if (!ret->id || !pv_cursor_ok(c) || present >> FIRST_TABLE ||
		!read_counts(c, present, w->rows))
		return false;
	c = &s->tables;
	pv_get_bytes(c, 6); /* reserved, version */
	w->heaps = pv_get_u8(c);
	pv_get_u8(c);
	present = pv_get_u64(c);
	pv_get_u64(c); /* the sorted tables */
	/* Tables of the module itself are in its own file. */
	if (!pv_cursor_ok(c) || present << (BITS - FIRST_TABLE) ||
		!read_counts(c, present, w->rows))
		return false;
	if (w->heaps & EXTRA)
		pv_get_u32(c);
	return pv_cursor_ok(c);
}

static uint8_t index_width(const struct widths *w, unsigned table)
{
	return w->rows[table] > MOST_NARROW ? 4 : 2;
}

/* Width of the coded index HasCustomDebugInformation. */
static uint8_t owner_width(const struct widths *w)
{
	static const uint8_t owners[] = { METHOD_DEF, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00,
		0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23, 0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b,
		0x30, 0x32, 0x33, 0x34, 0x35 };
	for (size_t i = 0; i < PV_COUNT_OF(owners); i++)
		if (w->rows[owners[i]] > MOST_NARROW >> OWNER_BITS)
			return 4;
	return 2;
}

static void lay_out(const struct widths *w, struct pv_pdb_tables *t)
{
	const uint8_t string = w->heaps & WIDE_STRINGS ? 4 : 2,
		      guid = w->heaps & WIDE_GUIDS ? 4 : 2;
	const uint8_t blob = w->heaps & WIDE_BLOBS ? 4 : 2, method = index_width(w, METHOD_DEF);
	const uint8_t document = index_width(w, FIRST_TABLE + PV_PDB_DOCUMENT);
	const uint8_t import = index_width(w, FIRST_TABLE + PV_PDB_IMPORT_SCOPE);
	const uint8_t columns[PV_PDB_TABLES][PV_PDB_COLUMNS] = {
		[PV_PDB_DOCUMENT] = { blob, guid, blob, guid },
		[PV_PDB_METHOD] = { document, blob },
		[PV_PDB_LOCAL_SCOPE] = { method, import,
			index_width(w, FIRST_TABLE + PV_PDB_LOCAL_VARIABLE),
			index_width(w, FIRST_TABLE + PV_PDB_LOCAL_CONSTANT), 4, 4 },
		[PV_PDB_LOCAL_VARIABLE] = { 2, 2, string },
		[PV_PDB_LOCAL_CONSTANT] = { string, blob },
		[PV_PDB_IMPORT_SCOPE] = { import, blob },
		[PV_PDB_STATE_MACHINE] = { method, method },
		[PV_PDB_CUSTOM] = { owner_width(w), guid, blob },
	};
	for (unsigned i = 0; i < PV_PDB_TABLES; i++) {
		struct pv_pdb_table *table = &t->table[i];
		table->rows = w->rows[FIRST_TABLE + i];
		memcpy(table->width, columns[i], sizeof table->width);
		for (unsigned k = 0; k < PV_PDB_COLUMNS; k++)
			table->row_bytes += columns[i][k];
	}
}

bool pv_pdb_tables_read(
	const uint8_t *bytes, size_t n, struct pv_pdb_tables *ret, struct pv_error *reterr)
{
	struct streams s = { .guids = { 0 } };
	struct widths w = { .heaps = 0 };
	*ret = (struct pv_pdb_tables){ .id = NULL };
	if (!root(bytes, n, &s, reterr))
		return false;
	if (!counts(&s, ret, &w))
		return damaged("the sizes of its tables", reterr);
	ret->guids = s.guids;
	ret->blobs = s.blobs;
	lay_out(&w, ret);
	for (unsigned i = 0; i < PV_PDB_TABLES; i++) {
		struct pv_pdb_table *table = &ret->table[i];
		table->at = pv_get_bytes(&s.tables, (size_t)table->rows * table->row_bytes);
	}
	return pv_cursor_ok(&s.tables) || damaged("it ends within its tables", reterr);
}

uint32_t pv_pdb_field(
	const struct pv_pdb_tables *t, enum pv_pdb_table_name name, uint32_t row, unsigned column)
{
	const struct pv_pdb_table *table = &t->table[name];
	if (row == 0 || row > table->rows)
		return 0;
	const uint8_t *at = table->at + (size_t)(row - 1) * table->row_bytes;
	for (unsigned i = 0; i < column; i++)
		at += table->width[i];
	struct pv_cursor c = { .at = at, .end = at + table->width[column] };
	return table->width[column] == 4 ? pv_get_u32(&c) : pv_get_u16(&c);
}

struct pv_pdb_bytes pv_pdb_blob(const struct pv_pdb_tables *t, uint32_t index)
{
	if (index == 0 || index >= t->blobs.n)
		return (struct pv_pdb_bytes){ NULL, 0 };
	struct pv_cursor c = { .at = t->blobs.at + index, .end = t->blobs.at + t->blobs.n };
	const uint32_t n = pv_pdb_get(&c);
	const uint8_t *at = pv_get_bytes(&c, n);
	return (struct pv_pdb_bytes){ pv_cursor_ok(&c) ? at : NULL, pv_cursor_ok(&c) ? n : 0 };
}

bool pv_pdb_guid_is(const struct pv_pdb_tables *t, uint32_t index, const uint8_t *guid)
{
	if (index == 0 || index > t->guids.n / PV_PDB_GUID)
		return false;
	return memcmp(t->guids.at + (size_t)(index - 1) * PV_PDB_GUID, guid, PV_PDB_GUID) == 0;
}

uint32_t pv_pdb_first_row(const struct pv_pdb_tables *t, enum pv_pdb_table_name name, uint32_t key)
{
	uint32_t low = 1, high = t->table[name].rows + 1;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (pv_pdb_field(t, name, middle, 0) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
