/* SPDX-License-Identifier: MIT */
/* The end of a log, and of the program, with the evidence. */
#ifndef PV_MODEL_ENDING_H
#define PV_MODEL_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct pv_model;

enum pv_log_end {
	PV_LOG_OPEN,    /* the end has not been reached: reading goes on, or was stopped, or the
			 * log is still being written */
	PV_LOG_UNKNOWN, /* no farewell from this profiler (stock Mono): only the last event is
			 * known */
	PV_LOG_ENDED,   /* a farewell, an END block of 2007, or the exit of our own child */
	PV_LOG_CUT_OFF, /* inside a buffer, or without the farewell that this probe writes */
};

/* How the process itself ended, if it was our own child. */
enum pv_child_end { PV_CHILD_UNKNOWN, PV_CHILD_EXITED, PV_CHILD_KILLED };

struct pv_ending {
	bool promised;  /* by the header, or a description of the counter "ended": this probe writes
			 * a farewell */
	bool said;      /* the farewell, or a block END, is in the log */
	bool abrupt;    /* the process exited before its runtime had announced the end */
	bool quiet;     /* no growth for a while, and the writer is unknown */
	bool written;   /* somebody still writes the file that was read */
	bool inside;    /* the input ends inside a buffer */
	bool unsealed;  /* compressed data ends without its trailer */
	bool full;      /* maxsize= was reached: nothing later is in the log */
	uint8_t child;  /* enum pv_child_end */
	uint8_t signal; /* the signal that killed the child */
};

/* With the model's lock. */
enum pv_log_end pv_model_log_end(const struct pv_model *m);

/* Whether more of the log is to come: reading goes on, or writing does. With the model's lock. */
bool pv_model_goes_on(const struct pv_model *m);

/* "not reached", "unknown", "ended", "cut off": literals, never NULL. Any thread. */
const char *pv_log_end_text(enum pv_log_end end);

#endif
