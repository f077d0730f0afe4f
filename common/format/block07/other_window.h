/*
 * The bytes that a reader of another family (struct b07_reader) has and has not taken yet, in one
 * piece. Its state begins with a window; these are its calls then. One thread uses a stream.
 */
#ifndef PV_FORMAT_OTHER_WINDOW_H
#define PV_FORMAT_OTHER_WINDOW_H

#include "common/format/block07/block07.h"

/* Stands first in what `other` of the stream points to; valid when zeroed. */
struct b07_window {
	uint8_t *bytes;             /* owned */
	size_t room, start, filled; /* from start to filled they are to be taken */
	bool ended, gapped;
	uint64_t gap; /* bytes that are missing, where `gapped` */
};

/*
 * Room for at least 64 KiB more; may move what is left to the front, which takes time in the order
 * of what was taken since. NULL: out of memory.
 */
uint8_t *b07_window_room(struct b07_stream *s, size_t *ret_size);
void b07_window_filled(struct b07_stream *s, size_t n);
void b07_window_end(struct b07_stream *s);
void b07_window_resume(struct b07_stream *s); /* more came after the end */
void b07_window_gap(struct b07_stream *s, uint64_t bytes);

#endif
