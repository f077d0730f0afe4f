/* SPDX-License-Identifier: MIT */
/*
 * Writes logs of the 2007 family, from their description and not from our reader: blocks are put
 * together number by number, and b07_kit_log() makes a log of a stage that holds everything the
 * stage can say. The reader's events come back as lines of text.
 */
#ifndef PV_TESTS_B07_KIT_H
#define PV_TESTS_B07_KIT_H

#include "common/format/readers/readers.h"

struct b07_kit {
	uint8_t bytes[64 << 10];
	size_t n;
	char stage;        /* 'x' the draft, 'A' ... 'D' */
	uint64_t rate;     /* counts a microsecond */
	size_t block;      /* start of the open block's header */
	size_t blocks[64]; /* start of each block, and the end */
	size_t n_blocks;
	bool codes_of_one_byte; /* the draft with one-byte block codes */
	const char *lead;       /* the beginning of every text; NULL at first */
	bool known_blocks;      /* none of a code that no profiler wrote */
};

enum { B07_KIT_START = 1000000 }; /* us: time at counter 0, so that lines stay short */

void b07_kit_init(struct b07_kit *k, char stage, uint64_t rate);

void b07_kit_begin(struct b07_kit *k, unsigned code);
void b07_kit_end(struct b07_kit *k);

void b07_kit_byte(struct b07_kit *k, unsigned byte);
void b07_kit_var(struct b07_kit *k, uint64_t v);
void b07_kit_vars(struct b07_kit *k, size_t n, const uint64_t *v);
void b07_kit_text(struct b07_kit *k, const char *text);
/* Counter and time, `us` after the start. */
void b07_kit_clock(struct b07_kit *k, uint64_t us);
/* A counter. */
void b07_kit_at(struct b07_kit *k, uint64_t us);

#define B07_VARS(k, ...)                                                                           \
	b07_kit_vars(k, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t),                    \
		(uint64_t[]){ __VA_ARGS__ })

/*
 * Events of an events block. Packed: the low 5 bits of the id in the byte, the rest after it; codes
 * 1 enter, 3 leave, 4 allocation. Full: the byte says end << 7 | code << 3 | group (5 methods, 6
 * classes, 7 others).
 */
void b07_kit_packed(struct b07_kit *k, unsigned code, uint64_t id, uint64_t value);
void b07_kit_full(struct b07_kit *k, unsigned byte, uint64_t data, uint64_t value);

void b07_kit_intro(struct b07_kit *k, uint64_t flags);
void b07_kit_directives(struct b07_kit *k, uint64_t us);
void b07_kit_log(struct b07_kit *k);

/* Events read: a line each, "TIME KIND fields\n"; and damage. */
struct b07_read {
	char *text; /* owned; with times in us since the start when asked for */
	size_t len;
	unsigned headers, batches, damages, damaged_batches;
	uint64_t events, damage_offset, damage_bytes;
	char reason[80]; /* of the last damage */
	bool failed;
	struct pv_stream_header header;
	const char *stage;
};

/* Reads `n` bytes, `step` at a time. */
struct b07_read b07_kit_read(const uint8_t *bytes, size_t n, size_t step, bool times);

#endif
