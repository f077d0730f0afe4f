/* SPDX-License-Identifier: MIT */
/*
 * Source lines of .NET's code: from the place in the method's IL (il_maps.h) by the portable PDB of
 * the module, of the very build that ran (its MVID), found on this machine when a line is first
 * asked for (pdb_find.h). Answers are remembered; at most PV_IL_LINES_KEPT bytes of PDBs are, the
 * rest are read again when needed. Any thread, with the model's lock.
 */
#ifndef PV_MODEL_IL_LINES_H
#define PV_MODEL_IL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/checksum.h"
#include "common/model/names/place_lines.h"

struct pv_il_lines; /* the answers so far */

enum { PV_IL_LINES_KEPT = 20 << 20, PV_IL_LINES_MODULES = 4096 };

/* The line at a place (an index in places.place). ret->line 0: not known. False: out of memory. */
bool pv_il_lines_at(struct pv_model *m, uint32_t place, struct pv_line_at *ret);

/* A source file by its entry in the PDB. Plain data. */
struct pv_il_source {
	enum pv_checksum algorithm; /* of the checksum; PV_CHECKSUM_NONE: no known checksum */
	uint8_t hash[PV_CHECKSUM_MOST];
	char *text; /* the source within the PDB, and a 0 after it, owned; NULL: none */
	size_t len;
	char address[1024]; /* on the web, by SourceLink, to be shown; "": not known */
};

/* The source of the file of such a line; all empty where nothing is known. False: out of memory. */
bool pv_il_lines_source(struct pv_model *m, uint32_t file, struct pv_il_source *ret);
void pv_il_source_finish(struct pv_il_source *s);

/* NULL: nothing. */
void pv_il_lines_free(struct pv_il_lines *l);

#endif
