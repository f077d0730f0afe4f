/* SPDX-License-Identifier: MIT */
/*
 * Exchanges with our probe in a running process over the probe's control socket: a line out, an
 * answer back. Any thread; waits no longer than said.
 */
#ifndef PV_TARGET_PROBE_SOCKET_H
#define PV_TARGET_PROBE_SOCKET_H

#include <stddef.h>
#include <sys/types.h>

#include "common/base/status.h"
#include "common/target/foreign/foreign.h"
#include "common/target/control/local_socket.h"

enum { PV_PROBE_PATH = 108, PV_PROBE_ANSWER = 2100 };

/*
 * The socket of the probe in process `pid`, by the path that the process sees; of several the first
 * with an answer. False: PV_EIO, and the reason.
 */
bool pv_probe_find(pid_t pid, char ret_path[PV_PROBE_PATH], struct pv_error *reterr);

/*
 * Calls `each` for every possible probe socket of this user's (root: of all users), with its living
 * process and the process's user; sends nothing. Stops when `each` returns false.
 */
void pv_probe_each(bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx);

/*
 * pv_probe_each() for a process in another mount or pid namespace, by the process's own paths; only
 * its own sockets.
 */
void pv_probe_each_elsewhere(
	pid_t pid, bool (*each)(void *ctx, const char *path, pid_t pid, uid_t uid), void *ctx);

/*
 * Sends `line`, without a newline, to the probe of process `pid`, and waits at most `ms` for the
 * answer: the text after "ok " (may be "") as it came. False: PV_EUSAGE with the text after "error
 * "; PV_EIO when nothing answers, or the socket is another process's or user's.
 */
bool pv_probe_ask(const char *path, pid_t pid, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr);

/* pv_probe_ask() for a process that was looked at; fails likewise. */
bool pv_probe_ask_in(const struct pv_foreign *of, const char *path, const char *line, int ms,
	char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr);

/* The two parts of pv_probe_ask(), for pv_ask(): `line` ends with its newline; all is borrowed. False likewise. */
struct pv_question pv_probe_question(const char *path, const struct pv_foreign *of,
	const char *line, uint8_t answer[PV_PROBE_ANSWER]);
bool pv_probe_answered(
	const struct pv_question *q, char ret_answer[PV_PROBE_ANSWER], struct pv_error *reterr);

/* The value of a word in a line of words KEY=VALUE; false when missing or too long. */
bool pv_probe_word(const char *answer, const char *key, char *ret, size_t room);

#endif
