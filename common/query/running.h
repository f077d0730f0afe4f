/* SPDX-License-Identifier: MIT */
/*
 * Processors that a program keeps busy, by counters of processor time (Mono's and our probe's for
 * .NET: "User Time" and "System Time", in 100 ns). Under the model's lock. Never fails.
 */
#ifndef PV_QUERY_RUNNING_H
#define PV_QUERY_RUNNING_H

#include <stdbool.h>

struct pv_model;

struct pv_running {
	bool known;      /* there are two or more readings: `mean` and `now` are valid */
	double mean;     /* processors, over all readings */
	double now;      /* likewise, over the last seconds of the log */
	unsigned usable; /* processors allowed to the program, by our probes; 0: not known */
};

/* Fills *ret, with zeros where nothing is known. */
void pv_running_of(const struct pv_model *m, struct pv_running *ret);

#endif
