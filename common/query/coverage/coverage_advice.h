/* SPDX-License-Identifier: MIT */
/* The part of a view's coverage line that a report prints once. Any thread. */
#ifndef PV_QUERY_COVERAGE_ADVICE_H
#define PV_QUERY_COVERAGE_ADVICE_H

#include <stddef.h>

/*
 * Finds in a view's coverage line the advice on recording more, with the separator before. The
 * table of coverage has the advice, too. Points into `line`, never NULL; *ret_n: its bytes, 0:
 * none.
 */
const char *pv_coverage_advice(const char *line, size_t *ret_n);

#endif
