/* SPDX-License-Identifier: MIT */
/*
 * One input of any family in pieces (the table of readers is in readers.c). Accepts any cut of the
 * input. One thread uses a stream.
 *
 * Use: room() gives memory to read into, filled() says how much came, next() returns pieces until
 * MORE; end() says that no more will come and lets next() give out the cut tail. The first bytes
 * choose the reader; until then next() returns MORE.
 */
#ifndef PV_FORMAT_READERS_H
#define PV_FORMAT_READERS_H

#include "common/format/reader.h"

struct mlpd_header;

/*
 * The stream is zeroed before (want_offsets may be set) or finished. NULL: the first bytes choose
 * the reader. False: out of memory.
 */
bool pv_stream_start(struct pv_stream *s, const struct pv_reader *reader);
void pv_stream_finish(struct pv_stream *s);

/* After finish: a log of mlpd with this header goes on at `offset`. False: out of memory. */
bool pv_stream_go_on(struct pv_stream *s, const struct mlpd_header *h, uint64_t offset);

/*
 * The stream's memory for the next bytes (64 KiB at least), only after MORE. Remaining bytes may
 * move to the front, in time proportional to the bytes taken since. NULL: out of memory.
 */
uint8_t *pv_stream_room(struct pv_stream *s, size_t *ret_size);
/* `n` bytes were read into the memory that room() gave. */
void pv_stream_filled(struct pv_stream *s, size_t n);

/* Chooses the reader by the present bytes, even if more would help. */
void pv_stream_choose(struct pv_stream *s);
/* No more bytes will come; resume() undoes this. */
void pv_stream_end(struct pv_stream *s);
void pv_stream_resume(struct pv_stream *s);

/* `bytes` bytes of the stream are missing here (after MORE only); `reason` for damage of mlpd. */
void pv_stream_gap(struct pv_stream *s, uint64_t bytes, const char *reason);

/* The next piece; the data is in the stream's results. */
enum pv_piece pv_stream_next(struct pv_stream *s);

/*
 * A place to resume reading: everything before *ret_offset was given out and nothing is half done.
 * False where there is none, at present or in this family.
 */
bool pv_stream_resting(const struct pv_stream *s, uint64_t *ret_offset);

#endif
