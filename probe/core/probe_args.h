/* The probe's options: "key=value,..." from a call or from the environment. */
#ifndef PV_PROBE_PROBE_ARGS_H
#define PV_PROBE_PROBE_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/base/status.h"

enum { PVP_PATH_MAX = 1024 };

struct pvp_config {
	char output[PVP_PATH_MAX]; /* as pvp_sink_open() has it */
	bool own_sinks; /* the output names the process: a child may have one of its own */
	bool calls, alloc, marks;
	bool block;         /* threads wait where they find no room */
	size_t buffer;      /* bytes for events not yet written */
	bool other_program; /* program=PATH names another file than the one that runs here */
	char control[108];  /* "on", "off", the path of the control socket */
	char id[17];        /* of the session, in hexadecimal digits: pvp_args_draw_id(); or "" */
	char launch[108];   /* path of a launcher's socket, which is asked for the output; or "" */
	bool zip;
	uint64_t maxsize;   /* of the log; 0: no bound */
	uint64_t ring;      /* of its newest two segments together; 0: one log without end */
	unsigned linger_ms; /* how long a reader may take nothing at the end */
};

/* `text` may be NULL: the defaults. On failure *ret is untouched and *reterr names the culprit. */
bool pvp_args_parse(const char *text, struct pvp_config *ret, struct pv_error *reterr);

/* Draws a session's id: 64 bits that no other log has. */
void pvp_args_draw_id(struct pvp_config *c);

/*
 * Text of the log's header about them, for a host: "profview:native,calls,...". Allocations are
 * those the program reports itself, so the word for them is not the stock profiler's; `words` takes
 * the place of all that if a host has its own (else NULL). Returns the length; the text is cut at
 * `room` - 1.
 */
size_t pvp_args_describe(
	const struct pvp_config *c, const char *host, const char *words, char *to, size_t room);
/*
 * Appends to such a text of *n bytes how long after the start its reader joined, which is now; in
 * place of what it said of the reader before. Left away where it does not fit.
 */
void pvp_args_joined(char *args, size_t room, size_t *n, uint64_t start_ns);

/*
 * In such a text the output `from`, which stands last, becomes `to`. Returns the length; where the
 * text was cut, or does not fit, nothing changes.
 */
size_t pvp_args_turn(char *text, size_t room, const char *from, const char *to);

/*
 * Adds a word to those in `to`, with a comma between; `room`: bytes of `to`, its NUL included. False:
 * it does not fit, and nothing was added.
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
