/* SPDX-License-Identifier: MIT */
/*
 * A portable PDB: the source lines of offsets in a method's IL. Methods are rows of the module's
 * table MethodDef: the lower 24 bits of a token 0x06nnnnnn. Nothing is decoded before the first
 * request, and a damaged part counts as missing. Any thread, one at a time for pv_pdb_close.
 */
#ifndef PV_PDB_PDB_H
#define PV_PDB_PDB_H

#include "common/base/checksum.h"
#include "common/pdb/pdb_tables.h"

struct pv_pdb;

enum {
	PV_PDB_MOST = 20 << 20,        /* bytes of a PDB, less than this */
	PV_PDB_SOURCE_MOST = 16 << 20, /* of an embedded source */
	PV_PDB_POINTS_MOST = 1 << 20,  /* of one method */
};

/*
 * Takes over `bytes`, to be freed by free(), also on failure. NULL: as pv_pdb_tables_read,
 * PV_ENOMEM.
 */
struct pv_pdb *pv_pdb_open(uint8_t *bytes, size_t n, struct pv_error *reterr);
void pv_pdb_close(struct pv_pdb *p);        /* NULL: nothing */
size_t pv_pdb_size(const struct pv_pdb *p); /* in bytes */
const struct pv_pdb_tables *pv_pdb_tables(const struct pv_pdb *p);

/* A sequence point: from this offset on, up to the next point's. */
struct pv_pdb_point {
	uint32_t offset;       /* in the IL */
	uint32_t document;     /* row */
	uint32_t line, column; /* from 1; line 0: hidden, made by the compiler */
	uint32_t end_line, end_column;
};

/*
 * Gives all points of a method in the order of their offsets to `each`, until `each` returns false.
 * False: damaged after the last one.
 */
bool pv_pdb_points(const struct pv_pdb *p, uint32_t method,
	bool (*each)(void *ctx, const struct pv_pdb_point *at), void *ctx);

/*
 * The visible point of an offset: the last one up to the offset, or the first of the method. False:
 * the method has none.
 */
bool pv_pdb_point_at(
	const struct pv_pdb *p, uint32_t method, uint32_t offset, struct pv_pdb_point *ret);

/*
 * The method as written, for a method that runs its state machine (async, iterator). 0: no such
 * method.
 */
uint32_t pv_pdb_kickoff(const struct pv_pdb *p, uint32_t method);

/* Offsets in the IL of `method` where an await leaves and resumes. */
struct pv_pdb_await {
	uint32_t yield, resume;
};

/* The await of a state (0: the first). False: no such state. */
bool pv_pdb_await(
	const struct pv_pdb *p, uint32_t method, uint32_t state, struct pv_pdb_await *ret);

struct pv_pdb_document {
	char name[4096]; /* path of the source at the build, any bytes but NUL */
	enum pv_checksum algorithm;
	struct pv_pdb_bytes hash; /* of the source's bytes, in the PDB */
};

/* Reads a document. False: no such row, or no name. */
bool pv_pdb_document(const struct pv_pdb *p, uint32_t row, struct pv_pdb_document *ret);

/*
 * The text of an embedded document with a 0 at the end, to free(); *ret_len is without the 0. NULL:
 * not embedded (reterr->code is PV_OK), or PV_ECORRUPT, PV_ENOMEM.
 */
uint8_t *pv_pdb_source(
	const struct pv_pdb *p, uint32_t document, size_t *ret_len, struct pv_error *reterr);

/*
 * The address of a source on the web, by the PDB's SourceLink. False: none, or too long. Only http
 * and https. The caller shows the address and opens nothing.
 */
bool pv_pdb_source_address(const struct pv_pdb *p, const char *name, char *ret, size_t room);

/* Owners of custom debug information: tags of the coded index. */
enum pv_pdb_owner { PV_PDB_OF_METHOD = 0, PV_PDB_OF_MODULE = 7, PV_PDB_OF_DOCUMENT = 22 };

/* The custom information of this kind for a row; empty: none. */
struct pv_pdb_bytes pv_pdb_custom(
	const struct pv_pdb_tables *t, enum pv_pdb_owner owner, uint32_t row, const uint8_t *kind);

#endif
