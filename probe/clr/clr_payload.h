/* SPDX-License-Identifier: MIT */
/*
 * Reads the payload of the runtime's events: little-endian, as this machine; UTF-16 texts end with
 * 0. Any thread.
 */
#ifndef PV_PROBE_CLR_PAYLOAD_H
#define PV_PROBE_CLR_PAYLOAD_H

#include <stdbool.h>
#include <string.h>

#include "probe/clr/host_clr.h"

/* ok: nothing was read beyond the end so far. */
struct pvp_payload {
	const uint8_t *at, *end;
	bool ok;
};

enum { PVP_PAYLOAD_TEXT = 512 }; /* UTF-16 units kept of a text */

/* A number of up to 8 bytes; 0 beyond the end. */
static inline uint64_t pvp_payload_number(struct pvp_payload *p, size_t bytes)
{
	uint64_t n = 0;
	if ((size_t)(p->end - p->at) < bytes) {
		p->ok = false;
		return 0;
	}
	memcpy(&n, p->at, bytes);
	p->at += bytes;
	return n;
}

/* Skips a text. */
static inline void pvp_payload_skip_text(struct pvp_payload *p)
{
	while (pvp_payload_number(p, 2) && p->ok)
		;
}

/* The length of what stands in `to`, cut to fit. */
static inline size_t pvp_payload_text(struct pvp_payload *p, char *to, size_t room)
{
	pvp_char wide[PVP_PAYLOAD_TEXT];
	uint32_t n = 0;
	for (uint64_t c; (c = pvp_payload_number(p, 2)) && p->ok;)
		if (n < PVP_PAYLOAD_TEXT)
			wide[n++] = (pvp_char)c;
	return pvp_clr_utf8(wide, n, to, room);
}

#endif
