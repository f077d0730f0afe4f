/*
 * Source lines of methods' code, where a probe wrote them (extension family 7), and the samples
 * that fell on them. Part of the model: written by the ingest thread, read under the lock.
 */
#ifndef PV_MODEL_LINES_H
#define PV_MODEL_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/map.h"
#include "common/base/mem.h"

enum { PV_LINES_CAP = 4 << 20, PV_LINE_HITS_CAP = 1 << 20 };

/* From this offset in the code on, up to the next entry's, it is this line. */
struct pv_line {
	uint32_t offset, line;
};

struct pv_line_table {
	uint32_t method;   /* id in names */
	uint32_t file;     /* interned in names.text */
	uint32_t first, n; /* in line */
};

struct pv_line_hits {
	uint32_t method, file, line;
	uint64_t samples;
};

struct pv_lines {
	PV_ARRAY(struct pv_line_table) table;
	PV_ARRAY(struct pv_line) line;      /* at most PV_LINES_CAP */
	PV_ARRAY(struct pv_line_hits) hits; /* at most PV_LINE_HITS_CAP */
	struct pv_map table_of;             /* method id -> index of its newest table */
	struct pv_map hits_of;              /* method << 32 | line -> index */
	uint64_t samples, dropped; /* counted by line; of tables and lines: beyond the limits */
};

struct pv_context;
struct pv_event;

/* Private to the model. False when out of memory. */
bool pv_lines_apply(struct pv_context *x, const struct pv_event *e);
/* Counts a sample whose innermost managed frame is this method, at this address. False likewise. */
bool pv_lines_sampled(struct pv_context *x, uint32_t method, uint64_t address);
void pv_lines_finish(struct pv_lines *l);

#endif
