/* SPDX-License-Identifier: MIT */
/*
 * The program that writes a log, as named in the log's header. A probe proves to be the writer by
 * the id in the header, a runtime without a probe by holding the log open for writing; no other
 * process is spoken to. Any thread; waits no longer than said.
 */
#ifndef PV_TARGET_LOG_PEER_H
#define PV_TARGET_LOG_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "common/base/status.h"
#include "common/io/log_writer.h"
#include "common/target/control/probe_socket.h"

/* All is borrowed. */
struct pv_log_peer {
	pid_t pid;               /* the writer's number in its own namespace, from the header */
	const char *args;        /* of the header */
	const struct stat *file; /* of the log or pipe being read; NULL: not known */
	uint16_t port;           /* of stock Mono; 0: none */
};

/*
 * The process that writes the log; the caller closes ret->pidfd. False: PV_EIO, no visible process
 * does.
 */
bool pv_log_peer_writer(
	const struct pv_log_peer *p, struct pv_log_writer *ret, struct pv_error *reterr);

/* Whether the header names a control socket of a probe of ours. */
bool pv_log_peer_is_probe(const struct pv_log_peer *p);

/*
 * As pv_probe_ask(), of the probe that writes the log. PV_EIO also when no probe proves to be the
 * writer: at most "stats" was sent then, and it changes nothing.
 */
bool pv_log_peer_ask(const struct pv_log_peer *p, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr);

#endif
