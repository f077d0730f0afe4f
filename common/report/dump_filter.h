/* SPDX-License-Identifier: MIT */
/*
 * Filters the lines of a dump, and writes them unchanged, as JSON or as CSV. A filter
 * (base/filter.h) asks for events by kind:, thread: and text. Header and damage stay, except in
 * CSV; lines of buffers and blocks go if anything is left out. One thread writes.
 */
#ifndef PV_REPORT_DUMP_FILTER_H
#define PV_REPORT_DUMP_FILTER_H

#include <stdio.h>

#include "common/base/filter/filter.h"

enum pv_dump_form { PV_DUMP_TEXT, PV_DUMP_JSON /* an object a line */, PV_DUMP_CSV };

struct pv_dump_wish {
	const char *filter; /* NULL or "": all */
	const char *kind;   /* "gc,method.jit": these kinds, or all below; NULL: all */
	const char *thread; /* "0x...": only this thread; NULL: all */
	bool ranged;        /* only from_ns to to_ns, half-open, since zero */
	int64_t from_ns, to_ns;
	enum pv_dump_form form;
};

/* Whether the wish changes anything. */
bool pv_dump_wishes(const struct pv_dump_wish *w);

/*
 * A stream that passes whole lines on to `out`, which is borrowed and flushed along; fclose() it.
 * The wish is borrowed until then. NULL with *reterr: the text is no filter, or out of memory.
 */
FILE *pv_dump_filter(FILE *out, const struct pv_dump_wish *w, struct pv_filter_error *reterr);

#endif
