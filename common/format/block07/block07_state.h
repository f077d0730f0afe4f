/*
 * State of the 2007 decoder; private to its files. One thread at a time uses it. Times are ns on
 * the log's clock unless their names end in _us; counters are in the log's own unit.
 */
#ifndef PV_FORMAT_BLOCK07_STATE_H
#define PV_FORMAT_BLOCK07_STATE_H

#include "common/base/cursor.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/format/block07/block07.h"

/* Block codes of stages A to D; those of the draft are below. */
/* clang-format off */
enum { B07_INTRO = 1, B07_END, B07_MAPPING, B07_LOADED, B07_UNLOADED, B07_EVENTS, B07_STATISTICAL,
	B07_HEAP, B07_HEAP_SUMMARY, B07_DIRECTIVES };
enum { DRAFT_INTRO = 1, DRAFT_CLOCK, DRAFT_LOADED, DRAFT_UNLOADED, DRAFT_MAPPING, DRAFT_EVENTS,
	DRAFT_STATISTICAL, DRAFT_END };

/* Directives, as bits of b07->directives. */
enum { B07_CALLER = 1 << 1, B07_STACKS = 1 << 2, B07_OBJECT_ID = 1 << 3, B07_LOADED_ID = 1 << 4,
	B07_ASSEMBLY_ID = 1 << 5, B07_WRAPPER = 1 << 6 };

/* clang-format on */
enum {
	B07_BATCH_EVENTS = 8192,   /* a batch ends at about so many */
	B07_BATCH_POOL = 1 << 18,  /* or so many numbers in its pool */
	B07_REFS = 16384,          /* references in one event; the rest continue the object */
	B07_MAX_BLOCK = 256 << 20, /* a block is decoded when all of it is there */
	B07_DEEPEST = 1 << 20,     /* frames of one stack, at most */
	B07_PAIRS = 512,
	B07_BEGUN = 64,
};

struct b07_pair {
	uint64_t counter, us;
};

/* Known (counter, time) pairs, rising in both; `last` may be too near to be kept for good. */
struct b07_clock {
	struct b07_pair kept[B07_PAIRS];
	size_t n;
	struct b07_pair last;
	unsigned disagree; /* pairs in a row that lie before what is known */
};

enum b07_step { B07_AGAIN, B07_DONE, B07_BAD, B07_NOMEM };

/* The block that is being decoded. */
struct b07_block {
	bool open, whole;
	uint16_t code;
	uint64_t offset; /* of its header in the stream */
	uint64_t payload_offset;
	const uint8_t *payload;
	size_t size, total; /* of the payload that is here; with its header */
	struct pv_cursor c;
	unsigned phase; /* 0 = nothing read yet; the decoders' own */
	bool continues; /* a batch of this block was given out */

	uint64_t thread;
	struct b07_pair from, to; /* clock at its head and tail */
	bool have_to;
	uint64_t counter;            /* running, of the present event */
	uint64_t end_counter;        /* heap job */
	uint64_t object, type, refs; /* an object whose references go on in the next event */
	bool fresh;                  /* a stack section stands before the present event */
};

/* A start that waits for its end. */
struct b07_begun {
	uint64_t thread, id, time;
	uint8_t kind; /* of the start; 0 = unused */
};

struct b07_region {
	uint64_t start, size;
};

/* How far a block of the draft, which says nothing of its size, was skipped. */
struct b07_skip {
	uint64_t block;   /* offset of its header in the stream; bytes */
	size_t size;      /* bytes of it that were skipped */
	const char *step; /* next field in its row of payloads; NULL: nothing was skipped */
};

struct b07 {
	struct b07_stream *out;

	/* framing */
	uint8_t *window;
	size_t start, filled, room;
	uint64_t gap; /* bytes missing after the window */
	bool gapped, ended, dead, lost, started, introduced;
	uint64_t skipped;            /* passed over while searching, not yet reported */
	struct b07_skip here, ahead; /* draft: the next block, and one after it */
	uint64_t ahead_of;  /* draft: the block in front of those that `ahead` went through */
	uint64_t looked_to; /* draft: up to here there is no further clock */
	const char *lost_why;
	struct b07_block block;

	/* known from the blocks so far */
	bool draft;
	unsigned header_size; /* 6 or 10; draft: 2 or 1; 0 = not known yet */
	uint64_t flags;
	unsigned directives;
	bool calls; /* enters were met */
	struct b07_clock clock;
	struct pv_intern text;
	struct pv_map classes;    /* class id -> name */
	struct pv_map assemblies; /* class id -> assembly id, where it has one */
	struct pv_map methods;    /* method id -> full name */
	struct pv_map named;      /* keys made here that have their name */
	struct pv_map regions;    /* region id -> index in region */
	PV_ARRAY(struct b07_region) region;
	bool native_named, unknown_named;
	PV_ARRAY(uint64_t) stack;  /* outermost first, as the last stack section left it */
	PV_ARRAY(uint32_t) placed; /* of its outermost frames: where they stand in the batch */
	struct b07_begun begun[B07_BEGUN];
	unsigned next_begun;

	/* the hit that may still get callers */
	PV_ARRAY(uint64_t) frames;
	uint64_t hit_address, hit_time, hit_item, callers;
	bool hit;

	struct pv_arena texts; /* made-up texts of the present batch */
	const char *why;       /* reason of B07_BAD, when it is not the cursor's */
	uint64_t item;         /* offset in the stream of the item being decoded */
};

#endif
