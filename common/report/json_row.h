/* SPDX-License-Identifier: MIT */
/* Values and rows of a JSON report. Private to the report layer. One thread uses a structure. */
#ifndef PV_REPORT_JSON_ROW_H
#define PV_REPORT_JSON_ROW_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/query/groups/readable.h"
#include "common/report/report_sections.h"

struct cJSON;

/*
 * A value, owned by the caller and freed by cJSON_Delete(); NULL when out of memory. Numbers are
 * raw text for cJSON, which would print 10^15 as 1e+15.
 */
struct cJSON *pv_json_text(const char *text);
struct cJSON *pv_json_unsigned(uint64_t v);
struct cJSON *pv_json_address(uint64_t v);
struct cJSON *pv_json_cell(const struct pv_cell *c, const struct pv_column *column);

/* A name as JSON, followed by the members "readable" and "canonical". */
struct pv_json_made {
	const char *text; /* in pv_json_names; NULL: not made yet */
	size_t len;
};

/* For methods or classes: names met, their JSON forms by id, frames of stacks. */
struct pv_json_forms {
	struct pv_intern names;
	PV_ARRAY(struct pv_json_made) made;
	struct pv_frames frames;
};

/* Names in all forms, each made once for all tables of a report. Empty when zeroed. */
struct pv_json_names {
	struct pv_json_forms method, class;
	struct pv_arena arena;
};
void pv_json_names_finish(struct pv_json_names *n);

enum {
	PV_JSON_MUCH = 1 << 15, /* bytes of text worth a write */
	PV_JSON_WORD = 32,      /* bytes of a text common to many rows */
};

/* A short text of plain ASCII, in the table. */
struct pv_json_word {
	const char *text;
	size_t len;
};

/*
 * Rows of one table. A method's or class's name is the log's, followed by "readable", as a
 * programmer writes the name, and "canonical", without numbers that vary by build; a stack is
 * followed by "readable_stack". Rows of single objects have none of these: there are very many. A
 * report has hundreds of thousands of rows, so rows are collected as text; cJSON makes anything but
 * numbers and plain ASCII.
 */
struct pv_json_rows {
	const struct pv_table *table;
	struct pv_json_names *names; /* borrowed */
	const char *const *key;      /* up to PV_MAX_KEYS; NULL ends */
	int column[PV_MAX_KEYS];
	int named;                    /* the key with readable and canonical names; -1: none */
	PV_ARRAY(char) text;          /* not written yet */
	PV_ARRAY(char) heads;         /* private: ",\"key\":" of each key, in order */
	size_t head_end[PV_MAX_KEYS]; /* private: in heads */
	struct pv_json_word last[PV_MAX_KEYS]; /* private: by key, the last different word */
	struct pv_map met;                     /* private: address of a name -> its id in names */
};

/*
 * Table and names are borrowed; pv_json_rows_finish() frees the rest, also after false: out of
 * memory.
 */
bool pv_json_rows_begin(struct pv_json_rows *r, const struct pv_table *t, const char *const *key,
	struct pv_json_names *names);
void pv_json_rows_finish(struct pv_json_rows *r);

/*
 * Adds text, digits, or the members of row `i`, with a comma before the first unless after a '{'.
 * False: out of memory.
 */
bool pv_json_put(struct pv_json_rows *r, const char *text);
bool pv_json_put_unsigned(struct pv_json_rows *r, uint64_t v);
bool pv_json_row(struct pv_json_rows *r, size_t i);

/* Writes the text if it is longer than `most` bytes. Errors stay in the stream. */
void pv_json_flush(struct pv_json_rows *r, size_t most, FILE *out);

#endif
