/* Values and rows of a JSON report. Private to the report layer. One thread uses a structure. */
#ifndef PV_REPORT_JSON_ROW_H
#define PV_REPORT_JSON_ROW_H

#include "common/base/mem.h"
#include "common/query/readable.h"
#include "common/report/report_sections.h"

struct cJSON;

/*
 * A value that the caller owns and frees by cJSON_Delete(); NULL when out of memory. Numbers are
 * raw text to cJSON: it would print 10^15 as 1e+15.
 */
struct cJSON *pv_json_text(const char *text);
struct cJSON *pv_json_unsigned(uint64_t v);
struct cJSON *pv_json_address(uint64_t v);
struct cJSON *pv_json_cell(const struct pv_cell *c, const struct pv_column *column);

/*
 * Rows of one table. A method's or class's name is the log's; after it come "readable", as a
 * programmer writes it, and "canonical", without numbers that a compiler gives anew at each build;
 * after a stack "readable_stack". A row that is one object has none of these: there are very many.
 *
 * A report has tens of thousands of them, so they are written as text; cJSON
 * makes what is more than a number or plain ASCII.
 */
struct pv_json_rows {
	const struct pv_table *table;
	const char *const *key; /* up to PV_MAX_KEYS; NULL ends */
	int column[PV_MAX_KEYS];
	int named; /* the key whose name is given in readable and canonical words; -1 */
	struct pv_frames frames;
	/* Private: names that were met and the members made of each, by id; and the text of one row. */
	struct pv_intern names;
	PV_ARRAY(const char *) forms;
	struct pv_arena arena;
	PV_ARRAY(char) text;
};

/* The table is borrowed; pv_json_rows_finish() frees the rest. */
void pv_json_rows_begin(struct pv_json_rows *r, const struct pv_table *t, const char *const *key);
void pv_json_rows_finish(struct pv_json_rows *r);

/*
 * The members of row `i` after `lead`, which is "{" or begins an object with others; the object is
 * not closed. False when out of memory.
 */
bool pv_json_row(struct pv_json_rows *r, const char *lead, size_t i, FILE *out);

#endif
