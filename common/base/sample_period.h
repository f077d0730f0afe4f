/* SPDX-License-Identifier: MIT */
/* The clock of samples, from the profiler's options in a log's header. */
#ifndef PV_BASE_SAMPLE_PERIOD_H
#define PV_BASE_SAMPLE_PERIOD_H

#include <stdbool.h>
#include <stdint.h>

/* profview-outside's reason for inexact waits. */
#define PV_WAITS_SAMPLED "waits sampled while it switched more than 20,000 times a second"

/*
 * The ns between two samples of a thread by "sample", "sample=100" or "sample-real=50"; 0: samples
 * were not asked for, or count something else than time ("sample=branches/9"). Where a number is
 * missing the profilers' own is 100 a second. *ret_wall: they follow wall time. Pure.
 */
uint64_t pv_sample_period(const char *args, bool *ret_wall);

#endif
