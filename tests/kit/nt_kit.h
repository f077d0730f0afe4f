/* SPDX-License-Identifier: MIT */
/*
 * Writes .nettrace streams of version 6 from PerfView's NetTraceFormat.md, not from our reader: a
 * block is opened, filled number by number, and closed. The reader's events come back as lines.
 */
#ifndef PV_TESTS_NT_KIT_H
#define PV_TESTS_NT_KIT_H

#include "common/format/readers/readers.h"

enum nt_kit_block {
	NT_KIT_END,
	NT_KIT_TRACE,
	NT_KIT_EVENTS,
	NT_KIT_METADATA,
	NT_KIT_POINT,
	NT_KIT_STACKS,
	NT_KIT_THREADS,
	NT_KIT_GONE,
	NT_KIT_LABELS
};

struct nt_kit {
	uint8_t bytes[64 << 10];
	size_t n, body, row; /* the first byte of the open block: its body, its row */
	unsigned kind;       /* of the open block */
	uint64_t seq, time;  /* of the open block's event before */
	uint32_t stack;      /* of the next event; 0: none */
};

void nt_kit_u8(struct nt_kit *k, unsigned v);
void nt_kit_u16(struct nt_kit *k, unsigned v);
void nt_kit_u32(struct nt_kit *k, uint64_t v);
void nt_kit_u64(struct nt_kit *k, uint64_t v);
void nt_kit_var(struct nt_kit *k, uint64_t v);
void nt_kit_text(struct nt_kit *k, const char *text);

/* Preamble, and a trace of process 77: 1 tick is 1 ns. */
void nt_kit_start(struct nt_kit *k);
void nt_kit_open(struct nt_kit *k, enum nt_kit_block kind);
void nt_kit_close(struct nt_kit *k);
/* A row with two bytes of length before it. */
void nt_kit_row(struct nt_kit *k);
void nt_kit_row_end(struct nt_kit *k);

/* Complete blocks. `fields` are the bytes of the description's fields, their number first. */
void nt_kit_describe(struct nt_kit *k, uint32_t id, const char *provider, uint32_t event,
	const char *name, const char *fields, size_t n);
void nt_kit_thread(struct nt_kit *k, uint64_t index, uint32_t pid, uint64_t tid, const char *name);
/* A point at which that thread has written so many. */
void nt_kit_point(struct nt_kit *k, uint32_t flags, uint64_t index, uint32_t seq);
/* In an open block of events: the thread's event `seq`, with that list of labels. */
void nt_kit_event(struct nt_kit *k, uint32_t kind, uint64_t index, uint32_t seq, uint32_t labels,
	const char *payload, size_t n);

struct nt_read {
	char *text; /* owned: a line an event, "thread kind what" */
	size_t len;
	uint64_t lost; /* events, as the stream says */
	unsigned damages;
	uint64_t damage_offset, damage_bytes;
	char reason[80]; /* of the last one */
	enum pv_code failed;
	uint32_t pid;
	bool over;
};

/* Reads it, `step` bytes at a time; what is wrong is no failure of a test by itself. */
struct nt_read nt_kit_read(const uint8_t *bytes, size_t n, size_t step);

#endif
