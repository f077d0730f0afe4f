/*
 * The 2007 "logging profiler" family: a push stream that turns bytes into batches of neutral
 * events. Blocks depend on what came before them (directives, names, regions, clock), so framing
 * and decoding are one, in order. Accepts any cut of the input. Not thread-safe.
 *
 * Use: room() gives memory to read into, filled() says how much came, next() returns pieces until
 * MORE; end() says that no more will come and lets next() give out the cut tail.
 *
 * Keys in events are the log's ids (they start at 1). What is hit outside managed code becomes a
 * method of its own, under keys made here (B07_FUNCTION and so on), named by METHOD_NAME events;
 * so does a frame of a stack in which a method was not running but being compiled.
 * Times are ns since the Unix epoch, interpolated between the (counter, time) pairs of the log.
 * Hits carry no time: they are spread over their block by their position in it.
 */
#ifndef PV_FORMAT_BLOCK07_H
#define PV_FORMAT_BLOCK07_H

#include "common/base/status.h"
#include "common/format/batch.h"

enum b07_sniffed { B07_NO, B07_YES, B07_UNSURE /* more bytes are needed */ };
enum { B07_SNIFF = 16 }; /* bytes that always suffice */

/* The first bytes of an input: whether it is such a log. */
enum b07_sniffed b07_sniff(const uint8_t *bytes, size_t n);

/* Keys of methods that are none: or-ed with the function's or region's id. */
#define B07_FUNCTION  (UINT64_C(1) << 62)
#define B07_REGION    (UINT64_C(1) << 61)
#define B07_NATIVE    (UINT64_C(1) << 60) /* unmanaged code, all of it as one */
#define B07_COMPILING (UINT64_C(1) << 59) /* with a method's id: the compiler at work on it */

enum b07_piece {
	B07_MORE,   /* needs more bytes (after end(): everything was given out) */
	B07_HEADER, /* ->header: first, or of a new recording in mid-stream */
	B07_BATCH,  /* ->batch, with its own damage if its block has any */
	B07_DAMAGE, /* ->damage: bytes between blocks that were skipped or are missing */
	B07_FAILED, /* ->error: not such a log, or out of memory; final */
};

enum b07_stage { B07_DRAFT, B07_A, B07_B, B07_C, B07_D };

struct b07_header {
	enum b07_stage stage; /* as far as the blocks at hand tell */
	uint64_t flags;       /* the runtime's event mask (enum pv_mask07); 0 in the draft */
	uint64_t start_us;    /* since the Unix epoch */
	uint64_t offset;      /* of the block in the stream */
	const char
		*text; /* "perf script", "folded stacks", "nettrace": another family's; or NULL */
	uint64_t start_ns;    /* of another family, on its own clock; else 0 */
	uint32_t pid;         /* of another family; 0: it does not say */
	uint8_t pointer_size; /* likewise, bytes */
	const char *args;     /* likewise, a constant; NULL: none */
	bool promises_end;    /* likewise: a whole one says that it ends */
};

struct b07_damage {
	uint64_t offset, bytes;
	char reason[80];
};

struct b07_stream;

/* Another family of inputs that are framed and decoded in one; its calls are those below. */
struct b07_reader {
	uint8_t *(*room)(struct b07_stream *s, size_t *ret_size);
	void (*filled)(struct b07_stream *s, size_t n);
	void (*end)(struct b07_stream *s);
	void (*resume)(struct b07_stream *s);
	void (*gap)(struct b07_stream *s, uint64_t bytes);
	enum b07_piece (*next)(struct b07_stream *s);
	void (*finish)(struct b07_stream *s);
};

struct b07_stream {
	/* Results of next(); good until the next call of next(), room() or finish. */
	struct b07_header header;
	struct pv_batch batch;      /* ->offset: of the block's header in the stream */
	uint16_t code;              /* of the batch's block */
	PV_ARRAY(uint64_t) offsets; /* of event i of the batch in the stream, with want_offsets */
	struct b07_damage damage;
	struct pv_error error;

	/* According to the directives met so far; may rise after the header, up to D. */
	enum b07_stage stage;
	uint64_t offset;   /* of the next byte to be looked at */
	uint64_t received; /* bytes of the stream so far, those missing in gaps included */

	bool over; /* a block END was met: the program ended */

	bool want_offsets; /* set before the first byte */

	struct b07 *b07;                 /* private */
	const struct b07_reader *reader; /* NULL: the family of 2007 */
	void *other;                     /* the reader's own */
};

/*
 * A stream is zeroed before (want_offsets may be set). False: out of memory. The second frees all.
 */
bool b07_init(struct b07_stream *s);
void b07_finish(struct b07_stream *s);

/* The stream's memory for the next bytes (at least 1), only after MORE; NULL when out of memory. */
uint8_t *b07_room(struct b07_stream *s, size_t *ret_size);
/* `n` bytes came into that memory. */
void b07_filled(struct b07_stream *s, size_t n);

/* No more bytes will come; resume() takes that back. */
void b07_end(struct b07_stream *s);
void b07_resume(struct b07_stream *s);

/* `bytes` bytes of the stream are missing here (after MORE only). */
void b07_gap(struct b07_stream *s, uint64_t bytes);

/* The next piece; its data is in the stream's results. */
enum b07_piece b07_next(struct b07_stream *s);

/* "draft", "A" ... "D": literals. */
const char *b07_stage_name(enum b07_stage stage);

#endif
