/* SPDX-License-Identifier: MIT */
/*
 * A summary of a recording within a budget of characters, for a ticket, a mail or an assistant:
 * findings first, then each section's main rows, with a command to show more. Text of the profiled
 * program is fenced, in lines that begin with our figures, or escaped. On the caller's thread.
 */
#ifndef PV_REPORT_BRIEF_H
#define PV_REPORT_BRIEF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/base/status.h"

struct pv_heap;
struct pv_model;
struct pv_report_source;

enum { PV_BRIEF_USUAL = 4000, PV_BRIEF_LEAST = 500 };

/*
 * At most `budget` characters, PV_BRIEF_LEAST or more. Takes the model's lock for the time of a
 * table. `heap`: the newest shot, for findings about objects; NULL: no such findings. `waits`:
 * waiting counts, too. `out` is flushed, not closed. PV_ENOMEM, PV_EIO.
 */
bool pv_brief_write(struct pv_model *m, const struct pv_report_source *source,
	const struct pv_heap *heap, bool json, bool waits, size_t budget, FILE *out,
	struct pv_error *reterr);

#endif
