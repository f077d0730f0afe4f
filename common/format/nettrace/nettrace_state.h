/* All that is kept of a stream while it is read. Private to the files of this folder. */
#ifndef PV_FORMAT_NETTRACE_STATE_H
#define PV_FORMAT_NETTRACE_STATE_H

#include "common/base/cursor.h"
#include "common/base/intern.h"
#include "common/base/ranges.h"
#include "common/format/block07/other_window.h"
#include "common/format/nettrace/nettrace.h"
#include "common/format/nettrace/nettrace_kind.h"
#include "common/format/nettrace/nettrace_shot.h"
#include "common/format/nettrace/nettrace_thread.h"

/* One event as it stands in a block. */
struct nt_blob {
	uint64_t thread; /* that it is about */
	uint64_t time;   /* ns */
	uint64_t offset; /* in the stream */
	const uint8_t *payload;
	uint32_t len;
	uint32_t kind; /* in nettrace.kind */
	uint32_t stack;
	uint32_t labels; /* their list; 0: none */
	uint32_t pid;    /* of the thread, where the stream says it */
};

struct nt_method {
	uint64_t key;
	uint32_t name;
	bool named; /* its name was given out */
};

struct nt_stack {
	uint32_t at, n; /* in nettrace.frame */
	uint64_t known; /* nettrace.ranges_added when its frames were looked up */
};

/* The end of a collection, until the heap's size is known. */
struct nt_end {
	uint64_t time, generation; /* ns */
	bool due;
};

struct nettrace {
	struct b07_window in; /* first */
	bool begun;
	const char *skip_why; /* a literal */
	uint64_t skip;        /* bytes of a block that is too large */
	uint64_t stream_at;   /* of its first byte: several may stand in a row */
	uint64_t looked_to;   /* no further stream begins before this offset */
	uint32_t version;     /* NT_OLD or NT_SIX: how its parts are framed */

	/* the Trace object */
	uint64_t sync_ms, sync_ticks, frequency;
	uint32_t pid, pointer;

	struct pv_intern text;
	struct pv_arena said; /* of the batch at hand */
	PV_ARRAY(struct nt_kind) kind;
	struct pv_map kind_of; /* id of the metadata */
	PV_ARRAY(struct nt_field) field;
	PV_ARRAY(struct nt_stack) stack;
	struct pv_map stack_of;
	PV_ARRAY(uint64_t) frame; /* of each stack its addresses, then their keys */
	PV_ARRAY(struct nt_method) method;
	struct pv_map method_of;
	struct pv_ranges code;
	uint64_t ranges_added, ranges_met; /* pieces of code; when addresses were looked at last */
	PV_ARRAY(uint64_t) waiting;        /* addresses in use that no method is known at */
	struct pv_map waits;
	PV_ARRAY(struct nt_thread) thread;
	struct pv_map thread_of;
	struct nt_stood stood;
	PV_ARRAY(struct nt_leaf) leaf;
	struct pv_map leaf_of; /* by key */
	struct nt_six six;
	struct nt_processes processes;
	struct pv_map class_of, counter_of;    /* names that were said */
	PV_ARRAY(double) counted;              /* of each counter what its values add up to */
	uint64_t counters_beyond, said_beyond; /* values of those that there is no room for */
	double meter_seconds;                  /* that the meters' values are of */
	size_t flushed;                        /* threads whose last sample was given out */
	struct nt_end end;
	struct nt_shot shot;
	uint64_t objects; /* made up */
	uint64_t lost, said_lost, pauses, said_pauses;
	bool speaks, spoken; /* in this stream, in an earlier one: more than names */

	/* the block at hand */
	struct pv_cursor block;
	uint64_t block_at; /* in the stream */
	bool in_block, compressed;
	struct { /* of the event before: what an event does not say is as it was */
		uint32_t kind, stack, len, seq, labels;
		uint64_t thread, writer;
		uint64_t time; /* ticks */
	} was;
	PV_ARRAY(struct nt_blob) blob; /* some of its events, by thread */
	size_t blob_at;
	size_t block_bytes;     /* of the stream, its frame included; consumed when it is done */
	const char *block_harm; /* the fault of its rest; or NULL */

	uint64_t now; /* ns, of the event at hand */
	bool nomem;
};

#endif
