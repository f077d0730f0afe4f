/* SPDX-License-Identifier: MIT */
/*
 * The process that empties a pipe into a spool, whatever its viewer is busy with. Only the drainer
 * holds the pipe and the pipe's lock; it has a session of its own, and ends with its viewer.
 * Private to common/io; one thread, except where said.
 */
#ifndef PV_IO_DRAINER_H
#define PV_IO_DRAINER_H

#include "common/base/status.h"

struct pv_drainer;
struct pv_spool;

struct pv_drainer_input {
	int read_fd;     /* for reading */
	int hold_fd;     /* another open end, with the lock, or -1 */
	bool named_pipe; /* a next writer may come */
	bool patient;    /* no reading without room */
	bool had_writer; /* even an end without a byte before counts as an end */
};

/*
 * Forks. The child's code is async-signal-safe, so other threads may run by then. Closes the
 * input's descriptors here, also on failure. The spool is borrowed and used by both from then on.
 * NULL: PV_EIO or PV_ENOMEM; pv_drainer_stop() frees the result.
 */
struct pv_drainer *pv_drainer_start(
	struct pv_spool *spool, struct pv_drainer_input *input, struct pv_error *reterr);
void pv_drainer_stop(struct pv_drainer *d); /* and reaps it; NULL is fine */

/* A descriptor of the drainer's, readable when the spool has news or the drainer died. */
int pv_drainer_socket(const struct pv_drainer *d);
void pv_drainer_socket_clear(int socket, bool *ret_died); /* any thread */

/* Whether the drainer has exited, without reaping as pv_drainer_died() does. */
bool pv_drainer_gone(const struct pv_drainer *d);
/* Makes the drainer check the spool: a record was asked for. */
void pv_drainer_nudge(struct pv_drainer *d);

/* Whether the drainer has exited; then it is reaped. */
bool pv_drainer_died(struct pv_drainer *d);

#endif
