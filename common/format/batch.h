/* SPDX-License-Identifier: MIT */
/*
 * One buffer of a log, decoded: parallel arrays for frequent kinds, whole events for the rest, and
 * sums of calls where these were asked for. A worker fills a batch, the ingest thread applies it
 * and gives it back for reuse. One thread at a time uses a batch; nothing here locks. Times are ns
 * on the log's clock, sizes and offsets bytes.
 *
 * The payload, which texts of events point into, is in one of three states:
 *
 *     state      block  bytes              after _borrow  _own       _give_back, _reset
 *     empty      NULL   n == 0             borrowed       empty      empty
 *     borrowed   set    in the block       borrowed       own copy   empty, block dropped
 *     own        NULL   the batch's        borrowed       own        empty, memory kept
 *
 * The arrays are separate, or packed: all in one allocation, `pack`, which cannot grow;
 * pv_batch_reset() makes a packed batch separate.
 */
#ifndef PV_FORMAT_BATCH_H
#define PV_FORMAT_BATCH_H

#include "common/base/block.h"
#include "common/base/mem.h"
#include "common/format/call_summary.h"
#include "common/format/event.h"

struct pv_alloc {
	uint64_t type, object, size; /* class or vtable key; address; bytes */
	struct pv_span stack;        /* pool, or `frames`; n = 0 when the event has none */
};

/* The beginning of a struct pv_event whose kind is plain. */
struct pv_plain_event {
	_Alignas(uint64_t) uint8_t bytes[PV_PLAIN_BYTES];
};

/* One frame of a stack; its caller has an earlier entry. */
struct pv_batch_frame {
	uint64_t method;
	uint32_t caller; /* index in `frames` + 1; 0: the outermost */
};

struct pv_batch {
	uint64_t offset;       /* of the buffer header, in the inflated stream */
	uint64_t bytes_len;    /* payload bytes this batch covers */
	uint64_t thread;       /* native id of the thread that wrote the buffer */
	uint64_t time_base;    /* ns */
	uint64_t alloc_period; /* bytes between samples of allocations; 0: as in the log's header */
	bool continues;        /* a further piece of the previous buffer (very large buffers) */
	bool definitions_applied; /* the model already has the definitions */
	bool bytes_lost_before;   /* bytes before this buffer were lost or damaged */

	/* Event i: time[i], kind[i], key[i]. n is the same for all three. */
	size_t n, room;
	uint64_t *time;
	uint8_t *kind;
	uint64_t *key; /* method for METHOD_ENTER/LEAVE/EXC_LEAVE; index into allocs for ALLOC;
			* into plain_events for plain kinds; into other_events for the rest */

	PV_ARRAY(struct pv_alloc) allocs;
	PV_ARRAY(struct pv_event) other_events; /* definitions, begins and ends, and rare kinds */
	PV_ARRAY(struct pv_plain_event) plain_events; /* pv_kind_is_plain(); pv_batch_event() */
	PV_ARRAY(uint64_t) pool;
	/*
	 * For logs with changes of a stack only: each frame once. If there are any, `stack` of
	 * allocations and contentions has the index of the innermost frame (`at`) and the number of
	 * frames (`n`), and does not refer to the pool.
	 */
	PV_ARRAY(struct pv_batch_frame) frames;
	PV_ARRAY(struct pv_counter_desc) descs;
	PV_ARRAY(struct pv_counter_value) values;
	PV_ARRAY(uint8_t) bytes; /* the payload; texts point into it */
	/* Has the borrowed payload, and is held by the batch; NULL: the payload is owned. */
	struct pv_block *block;
	PV_ARRAY(uint8_t) owned_payload; /* memory kept for an own payload, during a borrowed one */
	struct pv_call_summary summary;  /* calls in no event of the arrays above */
	/*
	 * NULL, or the memory of all arrays but `bytes`, `owned_payload` and sums; these cannot
	 * grow
	 */
	void *pack;

	/* Set when the payload's tail could not be decoded; the events before are good. */
	bool damaged;
	uint64_t damage_offset; /* in the stream, of the first byte not understood */
	uint64_t damage_bytes;
	char damage_reason[80];
};

/*
 * A zeroed batch is valid. reset() empties the batch and keeps its memory, finish() frees the
 * memory.
 */
void pv_batch_reset(struct pv_batch *b);
void pv_batch_finish(struct pv_batch *b);

/* Empties all but the payload, so that the payload can be decoded once more. */
void pv_batch_again(struct pv_batch *b);

/*
 * Makes the `n` bytes at `at` in the block the payload, and holds a reference to the block until
 * the payload is given back or owned. A borrowed payload is not written to, nor read past the end.
 */
void pv_batch_borrow(struct pv_batch *b, struct pv_block *block, uint8_t *at, size_t n);
/* Drops the payload, and the reference to its block. Texts of events are invalid afterwards. */
void pv_batch_give_back(struct pv_batch *b);
/* Copies a borrowed payload into the batch; texts follow. False: out of memory, still borrowed. */
bool pv_batch_own(struct pv_batch *b);

/* Arrays in the order of packing: all that a copy needs but payload and sums. */
#define PV_BATCH_PACKED(X)                                                                         \
	X(allocs)                                                                                  \
	X(other_events)                                                                            \
	X(plain_events)                                                                            \
	X(pool)                                                                                    \
	X(frames)                                                                                  \
	X(descs)                                                                                   \
	X(values)                                                                                  \
	X(summary.path)                                                                            \
	X(summary.exc)                                                                             \
	X(summary.count)                                                                           \
	X(summary.open)                                                                            \
	X(summary.segment)                                                                         \
	X(summary.alloc_path)                                                                      \
	X(summary.number)

/* Empties the arrays, which may then grow. The pack must be freed, or owned by another batch. */
void pv_batch_forget_pack(struct pv_batch *b);

/* Makes room for `extra` entries in time, kind and key. False: out of memory, nothing is lost. */
bool pv_batch_reserve(struct pv_batch *b, size_t extra);

/* Copies the method keys of a stack in `frames` to ret[stack.n], outermost first. */
void pv_batch_stack(const struct pv_batch *b, struct pv_span stack, uint64_t *ret);

/* Number of events of the log before entry i. */
static inline uint64_t pv_batch_number(const struct pv_batch *b, size_t i)
{
	const struct pv_call_summary *d = &b->summary;
	return i < d->number.n ? d->number.v[i] : i + d->events - d->segment.n;
}

/* Events of the log in the batch, including events in segments. */
static inline uint64_t pv_batch_events(const struct pv_batch *b)
{
	return b->n - b->summary.segment.n + b->summary.events;
}

#endif
