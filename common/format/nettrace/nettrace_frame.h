/* SPDX-License-Identifier: MIT */
/*
 * Frames of a stream: its beginning, and the bounds of its parts. Up to version 5 a part is an
 * object with a type, padding and a tag at the end; since version 6 a block with kind and size.
 * Private to this folder; one thread at a time.
 */
#ifndef PV_FORMAT_NETTRACE_FRAME_H
#define PV_FORMAT_NETTRACE_FRAME_H

#include "common/format/nettrace/nettrace_state.h"

enum nt_part {
	NT_PART_TRACE,
	NT_PART_EVENTS,
	NT_PART_METADATA,
	NT_PART_STACKS,
	NT_PART_SEQUENCE,
	NT_PART_THREADS, /* from here: version 6 only */
	NT_PART_GONE,
	NT_PART_LABELS,
	NT_PART_END,
	NT_PART_OTHER
};

/* A part at the window's start. */
struct nt_found {
	enum nt_part what;
	const uint8_t *body; /* in the window */
	size_t n, bytes;     /* bytes of the body present; of the whole part, with its frame */
	bool cut;            /* the stream ends inside */
};

enum nt_got { NT_GOT, NT_TOO_SHORT, NT_NOT_ONE, NT_TOO_LARGE };

enum { NT_OLD = 4, NT_SIX = 6 }; /* versions with different frames */

/*
 * The first bytes of a stream; *ret_bytes is their number, *ret_version NT_OLD or the version
 * given.
 */
enum nt_got nt_preamble(const uint8_t *at, size_t have, size_t *ret_bytes, uint32_t *ret_version);
/* The part at the window's start; `last`: no more bytes follow those in the window. */
enum nt_got nt_part_at(const struct pv_stream *s, bool last, struct nt_found *ret);
/*
 * Bytes up to the next part, or stream, as far as the window shows. A cut stream may be followed by
 * another one with numbers of its own.
 */
size_t nt_next_part(struct pv_stream *s, bool last);

#endif
