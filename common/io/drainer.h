/*
 * The process that empties a pipe into a spool, whatever its viewer is busy with. Only it holds the
 * pipe and its lock; it is in a session of its own, and ends when its viewer does. Private to
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
 * the input's descriptors here, also on failure. The spool is borrowed and used by
 * both from then on. NULL: PV_EIO or PV_ENOMEM; pv_drainer_stop() frees what is returned.
 */
struct pv_drainer *pv_drainer_start(
	struct pv_spool *spool, struct pv_drainer_input *input, struct pv_error *reterr);
void pv_drainer_stop(struct pv_drainer *d); /* and reaps it; NULL is fine */

/* A descriptor, readable when the spool has news or the drainer died; it stays the drainer's. */
int pv_drainer_socket(const struct pv_drainer *d);
void pv_drainer_socket_clear(int socket, bool *ret_died); /* any thread */

/* Whether it has exited, as pv_drainer_died(), but it is left to be reaped. */
bool pv_drainer_gone(const struct pv_drainer *d);
/* Has it look at the spool: a record was asked for. */
void pv_drainer_nudge(struct pv_drainer *d);

/* Whether it has exited; then it is reaped. */
bool pv_drainer_died(struct pv_drainer *d);

#endif
