/* SPDX-License-Identifier: MIT */
/*
 * State of the 2007 decoder; private to its files. One thread at a time uses a decoder. Times are
 * ns on the log's clock unless their names end in _us; counters are in the log's own unit.
 */
#ifndef PV_FORMAT_BLOCK07_STATE_H
#define PV_FORMAT_BLOCK07_STATE_H

#include "common/base/cursor.h"
#include "common/base/intern.h"
#include "common/base/map.h"
#include "common/format/reader.h"

enum b07_stage { B07_DRAFT, B07_A, B07_B, B07_C, B07_D };

/* Keys in place of methods: or-ed with the function's or region's id. */
#define B07_FUNCTION  (UINT64_C(1) << 62)
#define B07_REGION    (UINT64_C(1) << 61)
#define B07_NATIVE    (UINT64_C(1) << 60) /* all unmanaged code together */
#define B07_COMPILING (UINT64_C(1) << 59) /* with a method's id: its compilation */

/* Block codes of stages A to D, then of the draft. */
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
	B07_MAX_BLOCK = 256 << 20, /* blocks are decoded whole */
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
	unsigned disagree; /* consecutive pairs before the known ones */
};

enum b07_step { B07_AGAIN, B07_DONE, B07_BAD, B07_NOMEM };

/* The block being decoded. */
struct b07_block {
	bool open, whole;
	uint16_t code;
	uint64_t offset; /* of the header in the stream */
	uint64_t payload_offset;
	const uint8_t *payload;
	size_t size, total; /* bytes of the payload present; with the header */
	struct pv_cursor c;
	unsigned phase; /* 0 = nothing read yet; the decoders' own */
	bool continues; /* a batch of this block was given out */

	uint64_t thread;
	struct b07_pair from, to; /* clock at the head and tail */
	bool have_to;
	uint64_t counter;            /* running, of the current event */
	uint64_t end_counter;        /* heap job */
	uint64_t object, type, refs; /* an object with further references in the next event */
	bool fresh;                  /* a stack section precedes the current event */
};

/* A start that waits for its end. */
struct b07_begun {
	uint64_t thread, id, time;
	uint8_t kind; /* of the start; 0 = unused */
};

struct b07_region {
	uint64_t start, size;
};

/* Progress of skipping a block of the draft, which has no size. */
struct b07_skip {
	uint64_t block;   /* offset of its header in the stream; bytes */
	size_t size;      /* bytes skipped */
	const char *step; /* next field in the row of payloads; NULL: nothing skipped */
};

struct b07 {
	struct pv_stream *out;

	/* framing */
	struct pv_stream_window *in; /* the stream's */
	bool dead, lost, started, introduced;
	uint64_t skipped;            /* passed over while searching, not yet reported */
	struct b07_skip here, ahead; /* draft: the next block, and a later one */
	uint64_t ahead_of;           /* draft: the block before those that `ahead` skipped */
	uint64_t looked_to;          /* draft: up to here there is no further clock */
	const char *lost_why;
	struct b07_block block;

	/* known from the blocks so far */
	bool draft;
	enum b07_stage stage; /* by the directives so far; may rise */
	unsigned header_size; /* 6 or 10; draft: 2 or 1; 0 = not known yet */
	uint64_t flags;
	unsigned directives;
	bool calls; /* enters were met */
	struct b07_clock clock;
	struct pv_intern text;
	struct pv_map classes;    /* class id -> name */
	struct pv_map assemblies; /* class id -> assembly id, if any */
	struct pv_map methods;    /* method id -> full name */
	struct pv_map named;      /* keys made here that were named */
	struct pv_map regions;    /* region id -> index in region */
	PV_ARRAY(struct b07_region) region;
	bool native_named, unknown_named;
	PV_ARRAY(uint64_t) stack;  /* outermost first, by the last stack section */
	PV_ARRAY(uint32_t) placed; /* indices in the batch of the outermost frames */
	struct b07_begun begun[B07_BEGUN];
	unsigned next_begun;

	/* the hit that may still get callers */
	PV_ARRAY(uint64_t) frames;
	uint64_t hit_address, hit_time, hit_item, callers;
	bool hit;

	struct pv_arena texts; /* made-up texts of the current batch */
	const char *why;       /* reason of B07_BAD, unless the cursor's */
	uint64_t item;         /* offset in the stream of the item being decoded */
};

#endif
