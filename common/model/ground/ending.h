/* The end of a log, and of the program, and what that is known from. */
#ifndef PV_MODEL_ENDING_H
#define PV_MODEL_ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct pv_model;

enum pv_log_end {
	PV_LOG_OPEN,    /* its end has not been reached */
	PV_LOG_UNKNOWN, /* its profiler writes no farewell (stock Mono): only the last event is
			   known */
	PV_LOG_ENDED,   /* a farewell, an END block of 2007, or the exit of our own child */
	PV_LOG_CUT_OFF, /* inside a buffer, or without the farewell that this probe writes */
};

/* How the process itself ended, if it was our own child. */
enum pv_child_end { PV_CHILD_UNKNOWN, PV_CHILD_EXITED, PV_CHILD_KILLED };

struct pv_ending {
	bool promised;  /* by the header, or as the counter "ended" is described: it is the probe's,
			 * which says when it ends */
	bool said;      /* and did, or a block END stands in the log */
	bool abrupt;    /* the process exited although its runtime had not announced its end */
	bool quiet;     /* it has not grown for a while, and who writes it is not known */
	bool inside;    /* the input ends inside a buffer */
	bool unsealed;  /* compressed data ends without its trailer */
	bool full;      /* maxsize= was reached: nothing later is in the log */
	uint8_t child;  /* enum pv_child_end */
	uint8_t signal; /* that killed it */
};

/* With the model's lock. */
enum pv_log_end pv_model_log_end(const struct pv_model *m);

/* "not reached", "unknown", "ended", "cut off": literals, never NULL. Any thread. */
const char *pv_log_end_text(enum pv_log_end end);

#endif
