/* SPDX-License-Identifier: MIT */
/*
 * Sections of a report: views with a section, and the state of a report being written. Private to
 * the report layer. One thread makes a report.
 */
#ifndef PV_REPORT_REPORT_SECTIONS_H
#define PV_REPORT_REPORT_SECTIONS_H

#include "common/query/facts.h"
#include "common/query/views.h"
#include "common/report/report.h"

enum { PV_MAX_KEYS = 19, PV_SECTIONS_MAX = 128 };
/* A bit per view. */
struct pv_section_set {
	uint64_t bits[PV_SECTIONS_MAX / 64];
};
/* Whether the section is chosen; never fails. */
static inline bool pv_section_in(const struct pv_section_set *s, const struct pv_view_row *row)
{
	return s->bits[row->view / 64] >> row->view % 64 & 1;
}
/* Chooses a section. */
static inline void pv_section_choose(struct pv_section_set *s, const struct pv_view_row *row)
{
	s->bits[row->view / 64] |= UINT64_C(1) << row->view % 64;
}

/* The next section in a report's order; NULL: the first. A constant; NULL ends. */
const struct pv_view_row *pv_section_next(const struct pv_view_row *s);
/* The section's keys: ids of columns in JSON's order; NULL ends, if there is room. */
void pv_section_keys(const struct pv_view_row *s, const char *ret[PV_MAX_KEYS]);

/* The sections that the options ask for. False: PV_EUSAGE. */
bool pv_sections_chosen(const struct pv_report_options *options, struct pv_section_set *ret,
	struct pv_error *reterr);
/* The only section in the set, a constant; NULL: none, or several. */
const struct pv_view_row *pv_section_only(const struct pv_section_set *s);

/* Reads the options group, split and in; false: PV_EUSAGE for other words. */
bool pv_report_grouping(
	const struct pv_report_options *options, struct pv_query *q, struct pv_error *reterr);

/* The row with this section, a constant; NULL: none. */
const struct pv_view_row *pv_section_find(const char *name);

/* A report being written. */
struct pv_report {
	struct pv_model *model;
	const struct pv_report_source *source;
	const struct pv_report_options *options;
	struct pv_section_set chosen;
	struct pv_facts facts;
	struct pv_totals totals;
	const struct pv_heap *heap;               /* NULL: not needed */
	const struct pv_heap *judged;             /* the newest shot, for findings; NULL: none */
	uint32_t object;                          /* node in `heap`, for --object */
	uint64_t method, heap_class, lived_class; /* rows of --method and --class; 0: none */
	const struct pv_identity *identity;       /* NULL: not needed */
	struct pv_model *identity_model;          /* of `identity` */
	struct pv_groups_cache *groups;           /* for all tables */
	FILE *out;
};

/* Whether the options ask for the section. */
bool pv_report_wants(const struct pv_report *r, const struct pv_view_row *s);
/* Whether the log can have anything for the section; else null. */
bool pv_report_knows(const struct pv_report *r, const struct pv_view_row *s);

/*
 * A section's table under the options, about the row `select` if the view needs one; the caller
 * destroys the table. NULL: PV_ENOMEM.
 */
struct pv_table *pv_report_table(const struct pv_report *r, const struct pv_view_row *s,
	uint64_t select, struct pv_error *reterr);

/* The report in each format. False: PV_ENOMEM, PV_EUSAGE. Errors of writing stay in the stream. */
bool pv_report_text(struct pv_report *r, struct pv_error *reterr);
bool pv_report_json(struct pv_report *r, struct pv_error *reterr);
bool pv_report_csv(struct pv_report *r, struct pv_error *reterr);
bool pv_report_markdown(struct pv_report *r, struct pv_error *reterr);
bool pv_report_quickfix(struct pv_report *r, struct pv_error *reterr);

/*
 * Text of a cell with every digit, where a pane would round: in `buf` or the cell's own; never
 * NULL.
 */
const char *pv_report_cell(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size);

#endif
