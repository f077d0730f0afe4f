/* SPDX-License-Identifier: MIT */
/*
 * Source lines of methods' code, where a probe wrote them (extension family 7). Part of the model:
 * written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_LINE_TABLES_H
#define PV_MODEL_LINE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/names/il_maps.h"

enum { PV_LINES_CAP = 4 << 20 };

/* The line of the code from this offset on, up to the offset of the next entry. */
struct pv_line {
	uint32_t offset, line;
};

struct pv_line_table {
	uint32_t method;   /* id in names */
	uint32_t file;     /* interned in names.text */
	uint32_t first, n; /* in line */
};

struct pv_lines {
	PV_ARRAY(struct pv_line_table) table;
	PV_ARRAY(struct pv_line) line; /* at most PV_LINES_CAP */
	struct pv_map table_of;        /* method id -> index of the newest table */
	uint64_t dropped;              /* tables beyond the limit */
	struct pv_il_maps il;          /* of .NET code */
};

struct pv_context;
struct pv_event;

/* Private to the model. False when out of memory. */
bool pv_lines_apply(struct pv_context *x, const struct pv_event *e);
void pv_lines_finish(struct pv_lines *l);

/* Under the lock: the first line of the method's code, 0: not known. */
uint32_t pv_lines_start(const struct pv_lines *l, uint32_t method);

/* Under the lock: the line at an offset in the method's code, 0: not known; *ret_file: interned. */
uint32_t pv_lines_at(
	const struct pv_lines *l, uint32_t method, uint64_t offset, uint32_t *ret_file);

#endif
