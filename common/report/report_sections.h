/*
 * Sections of a report, as rows: the view of each, its place in the JSON report and the keys of its
 * objects there, in order. Private to the report layer. One thread makes a report.
 */
#ifndef PV_REPORT_REPORT_SECTIONS_H
#define PV_REPORT_REPORT_SECTIONS_H

#include "common/query/facts.h"
#include "common/query/views.h"
#include "common/report/report.h"

enum { PV_MAX_KEYS = 19 };

struct pv_section {
	const char *name;  /* "gc.pauses": a list inside the group "gc" */
	const char *title; /* of the text report */
	enum pv_view view;
	const char *keys[PV_MAX_KEYS]; /* columns in JSON order; NULL ends */
	unsigned group; /* enum pv_group bits: null unless one of them was recorded or asked for */
	unsigned flags; /* enum pv_section_flags */
};

enum pv_section_flags {
	PV_SECTION_EXTRA = 1,     /* only when asked for by name */
	PV_SECTION_FACT = 2,      /* describes the log: neither cut, filtered nor sorted */
	PV_SECTION_CSV = 4,       /* too long for anything but CSV */
	PV_SECTION_GRAPH = 8,     /* needs the objects of a heap shot; not in "all" */
	PV_SECTION_IDENTITY = 16, /* needs to know which object is which; likewise */
	PV_SECTION_FOLDER = 32,   /* needs a recording of a folder; likewise */
	PV_SECTION_METHOD = 64,   /* is about one method; likewise */
	PV_SECTION_OBJECT = 128,  /* is about one object */
	PV_SECTION_CLASS = 256,   /* is about one class */
	PV_SECTION_SETS = 1024,   /* is about sets of objects */
	PV_SECTION_CHOICE = 512,  /* of an object or class, if one is given: else of all */
	PV_SECTION_SINGLE = 2048, /* follows objects to one shot: a base may be missing */
};

enum { PV_SECTIONS_MAX = 128 };
/* A bit per row of pv_sections. */
struct pv_section_set {
	uint64_t bits[PV_SECTIONS_MAX / 64];
};
/* Whether row i is in it. */
static inline bool pv_section_in(const struct pv_section_set *s, size_t i)
{
	return s->bits[i / 64] >> i % 64 & 1;
}
static inline void pv_section_choose(struct pv_section_set *s, size_t i)
{
	s->bits[i / 64] |= UINT64_C(1) << i % 64;
}

extern const struct pv_section pv_sections[];
extern const size_t pv_section_count;

/* The sections that the options ask for. False: PV_EUSAGE. */
bool pv_sections_chosen(const struct pv_report_options *options, struct pv_section_set *ret,
	struct pv_error *reterr);
/* How many there are; *ret_last: one of them. */
size_t pv_section_set_size(const struct pv_section_set *s, size_t *ret_last);

/* Reads the options group, split and in; false: PV_EUSAGE for other words. */
bool pv_report_grouping(
	const struct pv_report_options *options, struct pv_query *q, struct pv_error *reterr);

/* The row of that name, a constant; NULL when there is none. */
const struct pv_section *pv_section_find(const char *name);

/* One report under way. */
struct pv_report {
	struct pv_model *model;
	const struct pv_report_source *source;
	const struct pv_report_options *options;
	struct pv_section_set chosen;
	struct pv_facts facts;
	struct pv_totals totals;
	const struct pv_heap *heap;               /* NULL: no section needs one */
	const struct pv_heap *judged;             /* the newest shot, for findings; NULL: none */
	uint32_t object;                          /* in it, of --object */
	uint64_t method, heap_class, lived_class; /* rows of --method and --class; 0: none */
	const struct pv_identity *identity;       /* NULL: no section needs them */
	struct pv_model *identity_model;          /* of these */
	struct pv_groups_cache *groups;           /* of all its tables */
	FILE *out;
};

/* Whether the options ask for the section. */
bool pv_report_wants(const struct pv_report *r, const struct pv_section *s);
/* Whether the log can say anything about the section: else it is null. */
bool pv_report_knows(const struct pv_report *r, const struct pv_section *s);

/*
 * A section's table under the options, about the row `select` where its view needs one; the caller
 * destroys it. NULL: PV_ENOMEM.
 */
struct pv_table *pv_report_table(const struct pv_report *r, const struct pv_section *s,
	uint64_t select, struct pv_error *reterr);

/* The report in each format. False: PV_ENOMEM, PV_EUSAGE. Errors of writing stay in the stream. */
bool pv_report_text(struct pv_report *r, struct pv_error *reterr);
bool pv_report_json(struct pv_report *r, struct pv_error *reterr);
bool pv_report_csv(struct pv_report *r, struct pv_error *reterr);
bool pv_report_markdown(struct pv_report *r, struct pv_error *reterr);

/*
 * Text of a cell with every digit, where a pane would round: in `buf` or the cell's own; never
 * NULL.
 */
const char *pv_report_cell(const struct pv_cell *c, enum pv_unit unit, char *buf, size_t size);

#endif
