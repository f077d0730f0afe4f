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

/* One line. self: samples at the line; total: also in code called from there, each sample once. */
struct pv_line_sum {
	uint32_t file, line; /* interned in names.text; 0: samples at no known line */
	uint32_t method;     /* the line's method; of several, the most sampled */
	uint32_t next;       /* private */
	uint64_t self, total;
	uint64_t most, seen; /* private */
};

struct pv_line_sums {
	PV_ARRAY(struct pv_line_sum) line; /* [0]: samples at no known line */
	struct pv_map of;                  /* private: file << 32 | line -> newest index */
};

/* All lines with samples. by_method: a line of two methods is two. */
bool pv_line_sums(struct pv_model *m, bool by_method, struct pv_line_sums *ret);
void pv_line_sums_finish(struct pv_line_sums *s);

#endif
