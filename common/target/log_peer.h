/*
 * The program that writes a log, as the log's header names it: spoken to only if it is that one.
 * Its probe proves it by the id that stands in the header, a probe or runtime without one by its
 * process, which must hold the log open for writing. Any thread; waits no longer than said.
 */
#ifndef PV_TARGET_LOG_PEER_H
#define PV_TARGET_LOG_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/base/status.h"
#include "common/io/log_writer.h"
#include "common/target/probe_socket.h"

/* All is borrowed. */
struct pv_log_peer {
	pid_t pid;               /* of the header: the writer's number in its own namespace */
	const char *args;        /* of the header */
	const struct stat *file; /* of the log or pipe that is read; NULL: not known */
	uint16_t port;           /* of stock Mono; 0: none */
};

/*
 * The process that writes the log. False: PV_EIO, none that can be seen does; the caller closes
 * ret->pidfd otherwise.
 */
bool pv_log_peer_writer(
	const struct pv_log_peer *p, struct pv_log_writer *ret, struct pv_error *reterr);

/* Whether the header names a control socket of a probe of ours. */
bool pv_log_peer_is_probe(const struct pv_log_peer *p);

/*
 * As pv_probe_ask(), of the probe that writes the log. PV_EIO also when no probe proves to be that
 * one: at most "stats" was sent then, which changes nothing.
 */
bool pv_log_peer_ask(const struct pv_log_peer *p, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr);

#endif
