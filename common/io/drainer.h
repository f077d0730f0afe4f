/*
 * The process that empties a pipe into a spool, whatever its viewer is busy with. It holds the
 * pipe and its lock alone, is in a session of its own, and ends when its viewer does. Internal to
 * common/io; one thread, except where said.
 */
#ifndef PV_IO_DRAINER_H
#define PV_IO_DRAINER_H

#include "common/base/status.h"

struct pv_drainer;
struct pv_spool;

struct pv_drainer_input {
	int read_fd;     /* bytes are read here */
	int hold_fd;     /* another open end that has the lock, or -1 */
	bool named_pipe; /* there may be a next writer */
	bool patient;    /* nothing is read while there is no room */
	bool had_writer; /* an end without a byte before it is an end too */
};

/*
 * Forks. What it does in the child is async-signal-safe, so other threads may run by then. Closes
 * the input's descriptors here, also on failure. The spool is used by both from then on.
 */
struct pv_drainer *pv_drainer_start(
	struct pv_spool *spool, struct pv_drainer_input *input, struct pv_error *reterr);
void pv_drainer_stop(struct pv_drainer *d); /* and reaps it; NULL is fine */

int pv_drainer_socket(const struct pv_drainer *d); /* readable: the spool has news, or it died */
void pv_drainer_socket_clear(int socket, bool *ret_died); /* any thread */

bool pv_drainer_gone(const struct pv_drainer *d); /* as died(), and leaves it to be reaped */
void pv_drainer_nudge(struct pv_drainer *d);      /* look at the spool: a record was asked for */

/* Whether it has exited; it is reaped then. */
bool pv_drainer_died(struct pv_drainer *d);

#endif
