/* SPDX-License-Identifier: MIT */
/*
 * From places to source lines. Each row of pv_line_sources answers for one kind of code, and the
 * first with an answer counts. Debug information is only read when asked for. Any thread, with the
 * model's lock; bool functions are false when out of memory.
 */
#ifndef PV_QUERY_LINES_H
#define PV_QUERY_LINES_H

#include "common/base/map.h"
#include "common/base/mem.h"
#include "common/model/model.h"
#include "common/model/names/place_lines.h"

/* The place of a question. */
struct pv_line_place {
	uint32_t index;   /* in places.place */
	uint32_t method;  /* id in names */
	uint64_t address; /* in the memory of the process */
	uint64_t offset;  /* from the start of the method's code; UINT64_MAX: not in its code */
};

struct pv_line_source {
	const char *name;
	/*
	 * The lines at the place, innermost first (pv_line_at), good until the next call. *ret_n:
	 * how many, at most PV_LINES_AT_PLACE; 0: not known here. NULL: out of memory.
	 */
	const struct pv_line_at *(*find)(
		struct pv_model *m, const struct pv_line_place *place, size_t *ret_n);
};

extern const struct pv_line_source *const pv_line_sources[]; /* NULL ends */

/*
 * Asks the line sources in order; likewise, and good until the next call. `place`: an index in
 * places.place.
 */
const struct pv_line_at *pv_lines_of_place(struct pv_model *m, uint32_t place, size_t *ret_n);

/* Events with stacks; bits of `had` in their order. */
enum pv_line_measure {
	PV_LINE_SAMPLES,
	PV_LINE_ALLOCATIONS,
	PV_LINE_BYTES,
	PV_LINE_WAITS, /* for locks, with those that have not ended */
	PV_LINE_WAIT_NS,
	PV_LINE_THROWS,
	PV_LINE_MEASURES
};

/*
 * One line. self: samples at the line; of the other measures, those whose innermost frame with a
 * known line is there, as code that allocates, waits and throws for others mostly has no lines.
 * total: also in code called from there, each sample and event once.
 */
struct pv_line_sum {
	uint32_t file, line; /* interned in names.text; 0: at no known line */
	uint32_t method;     /* the line's method; of several, the most sampled */
	uint32_t next;       /* private */
	uint64_t self[PV_LINE_MEASURES], total[PV_LINE_MEASURES];
	uint64_t most, seen; /* private */
};

struct pv_line_sums {
	PV_ARRAY(struct pv_line_sum) line; /* [0]: at no known line */
	struct pv_map of;                  /* private: file << 32 | line -> newest index */
	uint64_t all[PV_LINE_MEASURES];    /* with those at no known line */
};

/* Sentences of columns. */
#define PV_LINE_HERE             "at the line, or by code without known lines called from there"
#define PV_LINE_ALLOCATIONS_HELP "Objects or blocks allocated " PV_LINE_HERE
#define PV_LINE_BYTES_HELP       "Bytes allocated " PV_LINE_HERE
#define PV_LINE_BYTES_ALL_HELP   "Bytes allocated at the line and in all that it calls"
#define PV_LINE_WAITS_HELP       "Waits for locks " PV_LINE_HERE
#define PV_LINE_WAIT_HELP        "Time of waits for locks " PV_LINE_HERE
#define PV_LINE_WAIT_ALL_HELP    "Time of waits for locks at the line and in all that it calls"
#define PV_LINE_THROWN_HELP      "Exceptions thrown " PV_LINE_HERE
#define PV_LINE_THROWN_ALL_HELP  "Exceptions thrown at the line and in all that it calls"

/* All lines that anything was met at. by_method: a line of two methods is two. */
bool pv_line_sums(struct pv_model *m, bool by_method, struct pv_line_sums *ret);
void pv_line_sums_finish(struct pv_line_sums *s);

/* The first measure that any line has, of samples, bytes, waits and throws. */
enum pv_line_measure pv_line_sums_lead(const struct pv_line_sums *s);
/* Whether the first line has more: by the measure, itself, then with what it calls. */
static inline bool pv_line_sum_is_hotter(
	const struct pv_line_sum *a, const struct pv_line_sum *b, enum pv_line_measure by)
{
	return a->self[by] > b->self[by] ||
	       (a->self[by] == b->self[by] && a->total[by] > b->total[by]);
}

#endif
