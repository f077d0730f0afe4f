/*
 * How many processors a program keeps busy, by its counters of processor time (Mono's and our probe's
 * for .NET: "User Time" and "System Time", in 100 ns). Under the model's lock. Fails never.
 */
#ifndef PV_QUERY_RUNNING_H
#define PV_QUERY_RUNNING_H

#include <stdbool.h>

struct pv_model;

struct pv_running {
	bool known;      /* there are two readings at least: the next two figures are good */
	double mean;     /* processors, over all readings */
	double now;      /* likewise, over the last seconds of the log */
	unsigned usable; /* processors that it may run on, as our probes say; 0: not known */
};

/* Fills *ret, with zeros where nothing is known. */
void pv_running_of(const struct pv_model *m, struct pv_running *ret);

#endif
