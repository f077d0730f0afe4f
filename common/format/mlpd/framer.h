/* SPDX-License-Identifier: MIT */
/*
 * Cuts a byte stream into MLPD headers and buffers without looking inside buffers. Accepts any
 * cut of the input; nothing is decoded here. Not thread-safe.
 *
 * Use: room() gives memory to read into, filled() says how much came, next() returns pieces until
 * MORE; end() says that no more will come and lets next() give out the cut tail.
 */
#ifndef PV_FORMAT_FRAMER_H
#define PV_FORMAT_FRAMER_H

#include "common/base/block.h"
#include "common/format/file_type_hints.h"
#include "common/format/mlpd/mlpd.h"
#include "common/format/mlpd/mlpd_times.h"

enum mlpd_piece {
	MLPD_MORE,   /* needs more bytes (after end(): everything was given out) */
	MLPD_HEADER, /* framer->header: first, or a new recording in mid-stream */
	MLPD_BUFFER, /* framer->buffer and ->payload, ->payload_len, ->offset, ->whole */
	MLPD_DAMAGE, /* framer->damage: bytes skipped, or missing at the end */
	MLPD_FAILED, /* framer->error: not a log at all, or out of memory; final */
};

struct mlpd_damage {
	uint64_t offset, bytes;
	char reason[80];
};

enum {
	MLPD_MAX_PIECE = 1 << 20, /* larger payloads come in pieces */
	MLPD_SPARE_BLOCKS = 16,
};

struct mlpd_framer {
	/* Results of next(); good until the next call of next(), room() or finish. */
	struct mlpd_header header;
	struct mlpd_buffer_header buffer;
	uint8_t *payload;
	size_t payload_len;
	/*
	 * The block with the payload. While others hold references, the bytes stay, and reading
	 * goes on in another block of a megabyte or two: memory use depends on the references kept.
	 */
	struct pv_block *block;
	uint64_t offset;         /* of the piece: header, or buffer header, in the stream */
	uint64_t payload_offset; /* of payload[0] in the stream */
	bool continues;          /* payload continues the buffer before */
	bool last_piece;         /* payload ends its buffer (false: more pieces follow, or cut) */
	bool whole;              /* no byte of this payload is missing */
	bool bytes_lost_before;  /* damage between this buffer and the previous one */
	struct mlpd_damage damage;
	struct pv_error error;

	/* The input may begin inside a stream (a pipe joined after its start). Set before the first
	 * byte. */
	bool may_join;
	bool joined;  /* the input began in mid-stream: the header is made up, names are missing */
	bool emptied; /* zeros came first: the file was truncated while its writer went on */

	/* private state */
	struct pv_block *spare[MLPD_SPARE_BLOCKS]; /* blocks for later use */
	uint8_t *window;                           /* block->v, with `room` bytes */
	size_t start, filled, room;
	uint64_t window_offset; /* stream offset of window[start] */
	uint64_t piece_left;    /* payload bytes of a large buffer still to come */
	uint64_t skipped;       /* bytes passed over while searching, not yet reported */
	uint64_t cut_bytes;     /* missing at the end of the input, not yet reported */
	bool have_header, header_taken, ended, lost, gap_pending;
	size_t looked;     /* payload bytes without a buffer header, while more are awaited */
	bool wrong_length; /* of the buffer just given, not yet reported */
	bool wrong_time;   /* likewise: `buffer` has the time put right */
	struct mlpd_buffer_times times;   /* of the present recording */
	struct mlpd_damage header_damage; /* of a mended header, not yet reported */
	char first_line[PV_HINT_LINE];    /* for type_hint, of a text */
	const char *type_hint; /* file type by the first bytes, when they are no header */
	int state;
};

/* `may_join` may be set before init. False: out of memory. finish() frees everything. */
bool mlpd_framer_init(struct mlpd_framer *f);
void mlpd_framer_finish(struct mlpd_framer *f);

/* The framer's memory for the next bytes (at least 1 byte); NULL when out of memory. */
uint8_t *mlpd_framer_room(struct mlpd_framer *f, size_t *ret_size);
/* `n` bytes were read into the memory that room() gave. */
void mlpd_framer_filled(struct mlpd_framer *f, size_t n);

/* No more bytes will come. */
void mlpd_framer_end(struct mlpd_framer *f);

/* `bytes` bytes of the stream are missing here; the framer resynchronises after them. */
void mlpd_framer_gap(struct mlpd_framer *f, uint64_t bytes, const char *reason);

/* The next piece; the data is in the framer's results. */
enum mlpd_piece mlpd_framer_next(struct mlpd_framer *f);

/*
 * The last `n` bytes of the payload that next() just gave did not decode. Where a believable buffer
 * begins among them, next() goes on there; returns how many of the `n` stand before it (n: none).
 */
size_t mlpd_framer_back(struct mlpd_framer *f, size_t n);

/*
 * A place to resume reading: everything before `*ret_offset` was given out, and no piece is half
 * done or lost. False when there is no such place at present.
 */
bool mlpd_framer_resting(const struct mlpd_framer *f, uint64_t *ret_offset);
/*
 * After init: the stream with this header goes on at `offset`, where a header or a buffer begins.
 */
void mlpd_framer_go_on(struct mlpd_framer *f, const struct mlpd_header *h, uint64_t offset);

/* After init: the input begins at `offset` of a stream with this header, maybe amid a buffer. */
void mlpd_framer_inside(struct mlpd_framer *f, const struct mlpd_header *h, uint64_t offset);

/* A constant: the reason why the beginning of a joined file is missing. */
const char *mlpd_framer_missing(const struct mlpd_framer *f);

#endif
