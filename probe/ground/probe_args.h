/* SPDX-License-Identifier: MIT */
/* The probe's options: "key=value,..." from a call or from the environment. */
#ifndef PV_PROBE_PROBE_ARGS_H
#define PV_PROBE_PROBE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "common/base/status.h"

enum { PVP_PATH_MAX = 1024 };

struct pvp_config {
	char output[PVP_PATH_MAX]; /* as pvp_sink_open() has it */
	bool own_sinks;            /* the output names the process: a child may have its own log */
	bool calls, alloc, marks;
	bool block;         /* threads wait where they find no room */
	size_t buffer;      /* bytes for events not yet written */
	bool other_program; /* program=PATH names another file than the running program */
	char control[108];  /* "on", "off", the path of the control socket */
	char command[512];  /* the process's line, escaped: pvp_args_find_command(); or "" */
	char id[17];        /* of the session, in hexadecimal digits: pvp_args_draw_id(); or "" */
	char launch[108];   /* path of the launcher's socket, asked for the output; or "" */
	bool zip;
	uint64_t maxsize;   /* of the log; 0: no bound */
	uint64_t ring;      /* bytes of the newest two segments together; 0: no ring */
	unsigned linger_ms; /* how long a reader may take nothing at the end */
};

/* `text` may be NULL: the defaults. On failure *ret is untouched and *reterr names the culprit. */
bool pvp_args_parse(const char *text, struct pvp_config *ret, struct pv_error *reterr);

/* Draws a session's id: 64 random bits, different in every log. */
void pvp_args_draw_id(struct pvp_config *c);

/*
 * The command line of a process (0: this process): bytes other than in plain words as %XX, cut to
 * fit.
 */
void pvp_args_find_command(struct pvp_config *c, pid_t process);

/*
 * Describes the options for the log's header: "profview:native,calls,...". The word for allocations
 * differs from the stock profiler's, because the program reports allocations itself. `words`, if
 * not NULL, are a host's own words in place of the options. Returns the length; the text is cut at
 * `room` - 1.
 */
size_t pvp_args_describe(
	const struct pvp_config *c, const char *host, const char *words, char *to, size_t room);
/*
 * Appends to such a text of *n bytes how long after the start the reader joined, namely now;
 * replaces the words about the reader before. Left out if there is no room.
 */
void pvp_args_joined(char *args, size_t room, size_t *n, uint64_t start_ns);

/*
 * Replaces the output `from`, the last word of such a text, by `to`. Returns the length; nothing
 * changes if the text was cut or has no room.
 */
size_t pvp_args_turn(char *text, size_t room, const char *from, const char *to);

/*
 * Adds a word to the words in `to`, after a comma; `room`: bytes of `to`, NUL included. False: no
 * room, and nothing was added.
 */
static inline bool pvp_args_add(char *to, size_t room, const char *word, size_t len)
{
	size_t n = strlen(to);
	if (n + len + 2 > room)
		return false;
	if (n)
		to[n++] = ',';
	memcpy(to + n, word, len);
	to[n + len] = 0;
	return true;
}

#endif
