/* SPDX-License-Identifier: MIT */
/* The state of a stream while it is read. Private to this folder. */
#ifndef PV_FORMAT_NETTRACE_STATE_H
#define PV_FORMAT_NETTRACE_STATE_H

#include "common/base/cursor.h"
#include "common/base/intern.h"
#include "common/base/ranges.h"
#include "common/format/nettrace/nettrace_il.h"
#include "common/format/nettrace/nettrace_kind.h"
#include "common/format/nettrace/nettrace_shot.h"
#include "common/format/nettrace/nettrace_spans.h"
#include "common/format/nettrace/nettrace_thread.h"
#include "common/format/reader.h"

enum { PV_NETTRACE_BLOCK = 64 << 20 };

/* One event of a block. */
struct nt_blob {
	uint64_t thread; /* that the event is about */
	uint64_t time;   /* ns */
	uint64_t offset; /* in the stream */
	const uint8_t *payload;
	uint32_t len;
	uint32_t kind; /* in nettrace.kind */
	uint32_t stack;
	uint32_t labels; /* list of labels; 0: none */
	uint32_t pid;    /* of the thread, if the stream has it */
	uint8_t activity[NT_GUID_BYTES], related[NT_GUID_BYTES]; /* zeros: none */
};

struct nt_method {
	uint64_t key;
	uint32_t name;
	bool named; /* its name was given out */
};

struct nt_stack {
	uint32_t at, n; /* in nettrace.frame */
	bool cut;       /* at the outer end */
	uint64_t known; /* nettrace.ranges_added at the lookup of the frames */
};

/* The end of a collection, until the heap's size is known. */
struct nt_end {
	uint64_t time, generation; /* ns */
	bool due;
};

struct nettrace {
	struct pv_stream_window *in; /* the stream's */
	bool begun;
	const char *skip_why; /* a literal */
	uint64_t skip;        /* bytes left of a block that is too large */
	uint64_t stream_at;   /* of the stream's first byte: several may follow each other */
	uint64_t looked_to;   /* no further stream begins before this offset */
	uint32_t version;     /* NT_OLD or NT_SIX: the framing of parts */

	/* the Trace object */
	uint64_t sync_ms, sync_ticks, frequency;
	uint32_t pid, pointer;

	struct pv_intern text;
	struct pv_arena said; /* of the current batch */
	PV_ARRAY(struct nt_kind) kind;
	struct pv_map kind_of; /* id of the metadata */
	PV_ARRAY(struct nt_field) field;
	PV_ARRAY(struct nt_stack) stack;
	struct pv_map stack_of;
	PV_ARRAY(uint64_t) frame; /* addresses of each stack, then their keys */
	PV_ARRAY(struct nt_method) method;
	struct pv_map method_of;
	struct pv_ranges code;
	uint64_t ranges_added, ranges_met; /* pieces of code: now, at the last lookup */
	PV_ARRAY(uint64_t) waiting;        /* used addresses without a known method */
	struct pv_map waits;
	PV_ARRAY(struct nt_thread) thread;
	struct pv_map thread_of;
	struct nt_stood stood;
	PV_ARRAY(struct nt_leaf) leaf;
	struct pv_map leaf_of; /* by key */
	struct nt_il il;
	struct nt_six six;
	struct nt_processes processes;
	struct pv_map class_of, counter_of;    /* names given out */
	PV_ARRAY(double) counted;              /* total of each counter's values */
	uint64_t counters_beyond, said_beyond; /* values of counters without room */
	double meter_seconds;                  /* interval of the meters' values */
	size_t flushed;                        /* threads whose last sample was given out */
	struct nt_end end;
	struct nt_shot shot;
	PV_ARRAY(struct nt_open_span) span;
	uint64_t spans_begun, spans_counted; /* spans_counted: without an activity */
	uint64_t objects;                    /* made up */
	uint64_t lost, said_lost, pauses, said_pauses;
	bool speaks, spoken; /* more than names, in this stream, in an earlier one */

	/* the current block */
	struct pv_cursor block;
	uint64_t block_at; /* in the stream */
	bool in_block, compressed;
	struct { /* of the previous event: fields that an event leaves out keep their values */
		uint32_t kind, stack, len, seq, labels;
		uint64_t thread, writer;
		uint64_t time; /* ticks */
		uint8_t activity[NT_GUID_BYTES], related[NT_GUID_BYTES];
	} was;
	PV_ARRAY(struct nt_blob) blob; /* some events of the block, by thread */
	size_t blob_at;
	size_t block_bytes;     /* of the stream, with the block's frame; consumed at the end */
	const char *block_harm; /* the fault of the rest; or NULL */

	uint64_t now; /* ns, of the current event */
	bool nomem;
};

#endif
