/* SPDX-License-Identifier: MIT */
/*
 * The seam between a family of inputs and everything above format/: a family is a row (struct
 * pv_reader), whose next() fills the results of a stream. The users' calls are in
 * readers/readers.h. One thread uses a stream.
 */
#ifndef PV_FORMAT_READER_H
#define PV_FORMAT_READER_H

#include "common/base/status.h"
#include "common/format/batch.h"

struct mlpd_framer;

enum pv_sniffed { PV_SNIFF_NO, PV_SNIFF_YES, PV_SNIFF_UNSURE /* more bytes are needed */ };

enum pv_piece {
	PV_PIECE_MORE,   /* needs more bytes (after end(): everything was given out) */
	PV_PIECE_HEADER, /* ->header, or the framer's: first, or of a new recording in mid-stream */
	PV_PIECE_BATCH,  /* ->batch, with any damage of its block */
	PV_PIECE_BUFFER, /* the framer's payload, not decoded yet */
	PV_PIECE_DAMAGE, /* ->damage: bytes skipped or missing */
	PV_PIECE_FAILED, /* ->error: no input of any family, or out of memory; final */
};

/* Of a family whose reader decodes; a framer has another header. */
struct pv_stream_header {
	const char *stage; /* of a log of 2007 ("draft", "A" ... "D"); else NULL */
	uint64_t flags;    /* the runtime's event mask (enum pv_mask07); 0 in the draft */
	uint64_t start_us; /* since the Unix epoch */
	uint64_t offset;   /* of the header in the stream */
	const char *text;  /* "perf script", "folded stacks", "nettrace"; NULL: the log of 2007 */
	uint64_t start_ns; /* on the input's own clock; 0: only start_us is known */
	uint32_t pid;      /* 0: unknown */
	uint8_t pointer_size; /* bytes; 0: unknown */
	const char *args;     /* lives as the reader's state; NULL: none */
	bool promises_end;    /* a complete input says so at its end */
};

struct pv_stream_damage {
	uint64_t offset, bytes;
	char reason[80];
};

/* Bytes read and not taken yet, in one piece; valid when zeroed. */
struct pv_stream_window {
	uint8_t *bytes;             /* owned */
	size_t room, start, filled; /* the bytes from start to filled are to be taken */
	bool ended, gapped;
	uint64_t gap; /* bytes missing after the window, if `gapped` */
};

struct pv_stream {
	/* Results of next(); good until the next call of next(), room() or finish. */
	struct pv_stream_header header;
	struct pv_batch batch;      /* ->offset: of the block's header in the stream */
	uint16_t code;              /* of the batch's block */
	PV_ARRAY(uint64_t) offsets; /* of event i of the batch in the stream, with want_offsets */
	struct pv_stream_damage damage;
	struct pv_error error;

	const char *stage; /* as in the header; may rise afterwards, up to "D" */
	/*
	 * Of the process, from the input after its header; they live as its state. NULL: not so
	 * far.
	 */
	const char *command, *arch, *os;
	uint64_t offset;   /* of the next byte to be taken */
	uint64_t received; /* bytes of the stream so far, gaps included */
	bool over;         /* the input said that the program ended */

	bool want_offsets; /* set before the start */

	const struct pv_reader *reader; /* NULL: not known yet */
	struct mlpd_framer *framer;     /* of a reader that gives BUFFERs; else NULL */
	void *state;                    /* the reader's own */
	struct pv_stream_window in;
};

/* From room() on a function may be NULL: then the stream's window does its part. */
struct pv_reader {
	const char *name;
	/* YES: the first bytes are of this family. NULL: takes bytes of no other family. */
	enum pv_sniffed (*sniff)(const uint8_t *bytes, size_t n, bool ended);
	bool silence_ends;     /* silence gives out the bytes that wait for more */
	const char *no_reread; /* reason why events are not read a second time; NULL: they are */
	bool (*create)(struct pv_stream *s); /* makes `state`; false: out of memory */
	enum pv_piece (*next)(struct pv_stream *s);
	void (*finish)(struct pv_stream *s); /* frees `state`, which may be half made */
	uint8_t *(*room)(struct pv_stream *s, size_t *ret_size);
	void (*filled)(struct pv_stream *s, size_t n);
	void (*gap)(struct pv_stream *s, uint64_t bytes, const char *reason);
	void (*end)(struct pv_stream *s, bool ended); /* false: more came after the end */
	bool (*resting)(const struct pv_stream *s, uint64_t *ret_offset);
};

extern const struct pv_reader pv_reader_mlpd, pv_reader_block07, pv_reader_nettrace,
	pv_reader_stacks;

#endif
