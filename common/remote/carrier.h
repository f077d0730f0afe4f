/* SPDX-License-Identifier: MIT */
/*
 * Carries a log from a relay (serve.h) into a local file or named pipe, in a process of its own.
 * After a broken connection a new one is made, and the log goes on at the byte where it stopped; a
 * recording, as long as a keeper (keeper.h) has it there. Everything from the relay is data: bytes for the file or
 * pipe, texts, and numbers. One thread.
 */
#ifndef PV_REMOTE_CARRIER_H
#define PV_REMOTE_CARRIER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/remote/way.h"

enum { PV_CARRIED_TEXT = 1024, PV_CARRIED_ANSWER = 1024 };

/* Shared by the carrier and its parent; the parent maps the memory. */
struct pv_carried {
	_Atomic uint64_t bytes;  /* of the log, so far */
	_Atomic unsigned breaks; /* connections made again */
	_Atomic bool leaves;     /* by the parent: the end of `link` is no sudden end */
	_Atomic int code;        /* exit code of the recording there, -1: none */
	/* The end of the relay's standard error, or why nothing more comes; complete when the
	 * carrier has ended. */
	char said[PV_CARRIED_TEXT];
};

struct pv_carrier {
	struct pv_way_options way;
	const char *path;  /* of a log; NULL: `words` record a log */
	const char *words; /* each ends with a NUL */
	size_t words_n;
	bool goes_on;
	const char *into; /* a new file, or a pipe that another process has open for reading */
	int link;         /* see below; -1 */
	struct pv_carried *carried;
};

/*
 * The carrier process's life, with an open way: until the log has ended, or the pipe's reader or
 * the parent's end of `link` is gone. A line on `link` has the words for `profview ctl` that follow
 * the pid; the pid is taken from the log's header. The answer is a line, "0 TEXT" or "1 TEXT".
 */
void pv_carry(const struct pv_carrier *c, struct pv_way *w);

#endif
