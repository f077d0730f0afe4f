/* SPDX-License-Identifier: MIT */
/* The end of a log in words. */
#ifndef PV_QUERY_LOG_END_H
#define PV_QUERY_LOG_END_H

#include <stddef.h>

#include "common/model/ground/ending.h"

enum { PV_LOG_END_LINE = 240 };

struct pv_model;
struct pv_thrown;

/*
 * One of "ended", "cut off", "unknown", "not reached", with the evidence after a colon, and an
 * exception without a catch. With the model's lock. Returns `buf`, the caller's, never NULL.
 */
const char *pv_log_end_line(const struct pv_model *m, char *buf, size_t size);

/*
 * The newest throw without a catch, if within 5 s before an unannounced end and so a possible
 * cause. NULL: none, or catches may lie outside of the part read, or seem not to be recorded at
 * all. With the model's lock; lives as long as the model.
 */
const struct pv_thrown *pv_log_end_thrown(const struct pv_model *m);

#endif
