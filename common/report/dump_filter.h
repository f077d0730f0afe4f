/*
 * The lines of a dump that a filter (base/filter.h) lets through: events by kind:, thread: and what
 * their line says. Header and damage stay, lines of buffers and blocks go. One thread writes.
 */
#ifndef PV_REPORT_DUMP_FILTER_H
#define PV_REPORT_DUMP_FILTER_H

#include <stdio.h>

#include "common/base/filter.h"

/*
 * A stream that passes whole lines on to `out`, which is borrowed and flushed with it; fclose() it.
 * NULL with *reterr: the text is no filter, or out of memory.
 */
FILE *pv_dump_filter(FILE *out, const char *text, struct pv_filter_error *reterr);

#endif
