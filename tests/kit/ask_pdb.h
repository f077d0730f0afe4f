/* SPDX-License-Identifier: MIT */
/* Every question to a PDB of any bytes: each must end, and no answer lies outside it. */
#ifndef PV_TESTS_ASK_PDB_H
#define PV_TESTS_ASK_PDB_H

#include <stdlib.h>
#include <string.h>

#include "common/pdb/pdb.h"

static inline void pdb_must(bool ok)
{
	if (!ok)
		abort();
}

static inline bool pdb_point(void *ctx, const struct pv_pdb_point *at)
{
	uint32_t *n = ctx;
	pdb_must(++*n <= PV_PDB_POINTS_MOST);
	pdb_must(at->line > 0 || at->column == 0);
	return true;
}

static inline void ask_pdb_method(const struct pv_pdb *p, uint32_t row)
{
	struct pv_pdb_point at;
	struct pv_pdb_await await;
	uint32_t n = 0;
	pv_pdb_points(p, row, pdb_point, &n);
	if (pv_pdb_point_at(p, row, 40, &at))
		pdb_must(at.line > 0);
	pv_pdb_kickoff(p, row);
	pv_pdb_await(p, row, 1, &await);
}

static inline void ask_pdb_document(const struct pv_pdb *p, uint32_t row)
{
	struct pv_pdb_document d;
	char address[256];
	size_t n;
	if (pv_pdb_document(p, row, &d)) {
		pdb_must(strlen(d.name) > 0 && strlen(d.name) < sizeof d.name);
		if (pv_pdb_source_address(p, d.name, address, sizeof address))
			pdb_must(strlen(address) < sizeof address);
	}
	free(pv_pdb_source(p, row, &n, NULL));
}

/* Rows beyond the first few hundred are like these. */
static inline void ask_pdb(const uint8_t *bytes, size_t n)
{
	enum { ROWS = 300 };
	uint8_t *own = malloc(n ? n : 1); /* exactly as long: a sanitizer sees what reads on */
	pdb_must(own);
	if (n)
		memcpy(own, bytes, n);
	struct pv_pdb *p = pv_pdb_open(own, n, NULL);
	if (!p)
		return;
	const struct pv_pdb_tables *t = pv_pdb_tables(p);
	for (uint32_t i = 0; i <= t->table[PV_PDB_METHOD].rows + 1 && i < ROWS; i++)
		ask_pdb_method(p, i);
	for (uint32_t i = 0; i <= t->table[PV_PDB_DOCUMENT].rows + 1 && i < ROWS; i++)
		ask_pdb_document(p, i);
	pv_pdb_close(p);
}

#endif
