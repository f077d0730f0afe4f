/*
 * The part of a view's coverage line that a report says once. Any thread.
 */
#ifndef PV_QUERY_COVERAGE_ADVICE_H
#define PV_QUERY_COVERAGE_ADVICE_H

#include <stddef.h>

/*
 * The part of a view's coverage line that says what else could have been recorded, with what divides
 * it from the part before: the table of coverage has it, too. A place in `line`, good as long as that
 * is; *ret_n: its bytes, 0: there is none. Never NULL.
 */
const char *pv_coverage_advice(const char *line, size_t *ret_n);

#endif
