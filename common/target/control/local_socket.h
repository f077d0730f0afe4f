/* SPDX-License-Identifier: MIT */
/*
 * Unix sockets of other processes on this machine. The file's user and the process at the other end
 * are checked before any byte is sent or read. Any thread.
 */
#ifndef PV_TARGET_LOCAL_SOCKET_H
#define PV_TARGET_LOCAL_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pv_foreign;

/* The effective user of a process; false: there is no such process, or /proc does not say. */
bool pv_process_user(pid_t pid, uid_t *ret);

/* Whether we may connect to this user's sockets: as the same user or root. */
bool pv_local_may(uid_t uid);

/* pv_foreign_dial() for a path of ours: a socket of process `pid`, which acts as user `uid`. */
int pv_local_dial(const char *path, pid_t pid, uid_t uid);

/* One exchange with another process. */
struct pv_question {
	/* The caller's, borrowed until pv_ask() returns. */
	const char *path;
	const struct pv_foreign *in; /* the process that `path` is of; NULL: ours */
	pid_t pid;
	uid_t uid;
	const void *bytes; /* bytes to send, `n` of them */
	size_t n;
	uint8_t *answer; /* `room` bytes for what comes back */
	size_t room;
	/*
	 * Length of the answer by its first `got` bytes: more than `got` while incomplete,
	 * SIZE_MAX: not an answer.
	 */
	size_t (*length)(const uint8_t *answer, size_t got);

	/* Result: 0 and the answer's bytes, or an errno; ETIMEDOUT, EPROTO, EMSGSIZE. */
	int why;
	size_t got;

	/* Private. */
	int fd;
	size_t sent;
	bool done;
};

/*
 * Asks all of them at once and returns when each has answered or failed, or at `end_ms` (of
 * pv_patience_now_ms()), whatever they do.
 */
void pv_ask(struct pv_question *q, size_t n, int64_t end_ms);

#endif
