/*
 * `profview dump` of a log of the 2007 logging profiler: a line a header, event and damage. One
 * thread uses a dump.
 */
#ifndef PV_REPORT_DUMP07_H
#define PV_REPORT_DUMP07_H

#include <stdio.h>

#include "common/format/families/family.h"
#include "common/report/dump.h"

struct pv_dump07;

/*
 * Of an input of that family, which is not PV_FAMILY_MLPD. NULL when out of memory. `out` and
 * `totals` are borrowed; events and damages are counted.
 */
struct pv_dump07 *pv_dump07_create(FILE *out, struct pv_dump_totals *totals, enum pv_family family);
/* A line of its own for damage of either family; counted. */
void pv_dump_damage(FILE *out, struct pv_dump_totals *totals, uint64_t offset, uint64_t bytes,
	const char *reason);
void pv_dump07_destroy(struct pv_dump07 *d); /* NULL is fine */

/* As pv_dump_push(), pv_dump_gap() and pv_dump_end(). */
bool pv_dump07_push(struct pv_dump07 *d, const void *bytes, size_t n, struct pv_error *reterr);
bool pv_dump07_gap(struct pv_dump07 *d, uint64_t bytes, struct pv_error *reterr);
bool pv_dump07_end(struct pv_dump07 *d, struct pv_error *reterr);

#endif
