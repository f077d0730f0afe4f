/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a portable PDB: streams, tables and heaps of ECMA-335 partition II.24, with the
 * tables of "Portable PDB v1.0: Format Specification". Nothing is copied: everything borrows the
 * bytes of the PDB. Rows are counted from 1, as in tokens. Functions without state: any thread.
 */
#ifndef PV_PDB_TABLES_H
#define PV_PDB_TABLES_H

#include "common/base/cursor.h"
#include "common/base/status.h"

enum { PV_PDB_ID = 20, PV_PDB_GUID = 16, PV_PDB_COLUMNS = 6 };

/* In numeric order; the first is 0x30. */
enum pv_pdb_table_name {
	PV_PDB_DOCUMENT,
	PV_PDB_METHOD, /* a row for each of the module's MethodDef */
	PV_PDB_LOCAL_SCOPE,
	PV_PDB_LOCAL_VARIABLE,
	PV_PDB_LOCAL_CONSTANT,
	PV_PDB_IMPORT_SCOPE,
	PV_PDB_STATE_MACHINE, /* sorted by the running method */
	PV_PDB_CUSTOM,        /* sorted by owner */
	PV_PDB_TABLES,
};

struct pv_pdb_table {
	const uint8_t *at;
	uint32_t rows, row_bytes;
	uint8_t width[PV_PDB_COLUMNS]; /* bytes; 0: no such column */
};

struct pv_pdb_bytes {
	const uint8_t *at;
	size_t n;
};

struct pv_pdb_tables {
	const uint8_t *id; /* PV_PDB_ID bytes */
	struct pv_pdb_bytes guids, blobs;
	struct pv_pdb_table table[PV_PDB_TABLES];
};

/* Finds the tables and heaps. False: PV_EVERSION for another format, else PV_ECORRUPT. */
bool pv_pdb_tables_read(
	const uint8_t *bytes, size_t n, struct pv_pdb_tables *ret, struct pv_error *reterr);

/* A field; 0 without such a row. */
uint32_t pv_pdb_field(
	const struct pv_pdb_tables *t, enum pv_pdb_table_name name, uint32_t row, unsigned column);

/* The blob at an index; empty if none. */
struct pv_pdb_bytes pv_pdb_blob(const struct pv_pdb_tables *t, uint32_t index);

/* A cursor over the bytes; valid for an empty blob too. */
static inline struct pv_cursor pv_pdb_cursor(struct pv_pdb_bytes b)
{
	return (struct pv_cursor){ .at = b.at, .end = b.n ? b.at + b.n : b.at };
}

/* Whether the GUID at an index is `guid`. */
bool pv_pdb_guid_is(const struct pv_pdb_tables *t, uint32_t index, const uint8_t *guid);

/* The first row whose first column is at least `key`, in a sorted table. */
uint32_t pv_pdb_first_row(const struct pv_pdb_tables *t, enum pv_pdb_table_name name, uint32_t key);

/* Integers of one, two or four bytes (II.23.2). */
uint32_t pv_pdb_get(struct pv_cursor *c);
int32_t pv_pdb_get_signed(struct pv_cursor *c);

#endif
