/* SPDX-License-Identifier: MIT */
/* All that a module's PDB says, one fact a line, as tests/real/pdb_points.cs says it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/pdb/pdb_find.h"

/* Of a text whose bytes need not be shown. */
static uint32_t hash_of(const uint8_t *bytes, size_t n)
{
	uint32_t h = 2166136261;
	for (size_t i = 0; i < n; i++)
		h = (h ^ bytes[i]) * 16777619;
	return h;
}

static void print_document(const struct pv_pdb *p, uint32_t row)
{
	static const char *const names[] = { "none", "md5", "sha1", "sha256" };
	struct pv_pdb_document d;
	size_t n;
	if (!pv_pdb_document(p, row, &d))
		return;
	printf("document %" PRIu32 " %s ", row, names[d.algorithm]);
	for (size_t i = 0; i < d.hash.n; i++)
		printf("%02x", d.hash.at[i]);
	printf(" %s\n", d.name);
	uint8_t *text = pv_pdb_source(p, row, &n, NULL);
	if (text)
		printf("source %" PRIu32 " %zu %" PRIu32 "\n", row, n, hash_of(text, n));
	free(text);
}

static bool print_point(void *ctx, const struct pv_pdb_point *at)
{
	const uint32_t *method = ctx;
	printf("point %" PRIu32 " %" PRIu32 " %" PRIu32, *method, at->offset, at->document);
	if (at->line)
		printf(" %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", at->line, at->column,
			at->end_line, at->end_column);
	else
		puts(" hidden");
	return true;
}

static void print_method(const struct pv_pdb *p, uint32_t row)
{
	struct pv_pdb_await await;
	if (!pv_pdb_points(p, row, print_point, &row))
		printf("damaged %" PRIu32 "\n", row);
	if (pv_pdb_kickoff(p, row))
		printf("kickoff %" PRIu32 " %" PRIu32 "\n", row, pv_pdb_kickoff(p, row));
	for (uint32_t i = 0; pv_pdb_await(p, row, i, &await); i++)
		printf("await %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", row, i,
			await.yield, await.resume);
}

int main(int argc, char **argv)
{
	struct pv_error e;
	struct pv_pdb *p = pv_pdb_find(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : NULL, &e);
	if (!p) {
		fprintf(stderr, "%s\n", e.what);
		return 1;
	}
	const struct pv_pdb_tables *t = pv_pdb_tables(p);
	for (uint32_t i = 1; i <= t->table[PV_PDB_DOCUMENT].rows; i++)
		print_document(p, i);
	for (uint32_t i = 1; i <= t->table[PV_PDB_METHOD].rows; i++)
		print_method(p, i);
	pv_pdb_close(p);
	return 0;
}
