/* The end of a log in words. */
#ifndef PV_QUERY_LOG_END_H
#define PV_QUERY_LOG_END_H

#include <stddef.h>

#include "common/model/ground/ending.h"

struct pv_model;

/*
 * One of "ended", "cut off", "unknown", "not reached", and after a colon the evidence for it.
 * With the model's lock. Returns `buf`, the caller's, never NULL.
 */
const char *pv_log_end_line(const struct pv_model *m, char *buf, size_t size);

#endif
