/*
 * Frames of a stream: its beginning, and where its parts begin and end. Up to version 5 a part is an
 * object with a type, padding and a tag at its end; since version 6 it is a block with its kind and
 * size. Private to the files of this folder;
 * one thread at a time.
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
	NT_PART_THREADS, /* from here: of version 6 only */
	NT_PART_GONE,
	NT_PART_LABELS,
	NT_PART_END,
	NT_PART_OTHER
};

/* A part at the window's start. */
struct nt_found {
	enum nt_part what;
	const uint8_t *body; /* in the window */
	size_t n, bytes;     /* of the body that is there; of all, the part's frame included */
	bool cut;            /* the stream ends inside */
};

enum nt_got { NT_GOT, NT_TOO_SHORT, NT_NOT_ONE, NT_TOO_LARGE };

enum { NT_OLD = 4, NT_SIX = 6 }; /* versions whose frames differ */

/* The first bytes of a stream; *ret_bytes is how many, *ret_version NT_OLD or what it says. */
enum nt_got nt_preamble(const uint8_t *at, size_t have, size_t *ret_bytes, uint32_t *ret_version);
/* The part at the window's start; `last`: no more bytes follow those in the window. */
enum nt_got nt_part_at(const struct b07_stream *s, bool last, struct nt_found *ret);
/*
 * Bytes up to the next part, or stream, as far as can be seen. A stream that is cut may be followed
 * by another, whose events mean something else.
 */
size_t nt_next_part(struct b07_stream *s, bool last);

#endif
