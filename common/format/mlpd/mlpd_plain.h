/* SPDX-License-Identifier: MIT */
/*
 * Parts of mlpd_decode_batch() that decoding with summaries of calls (common/calls) uses as well.
 * One thread at a time uses a batch. False: out of memory. Times are ns.
 */
#ifndef PV_FORMAT_MLPD_PLAIN_H
#define PV_FORMAT_MLPD_PLAIN_H

#include "common/format/mlpd/mlpd.h"

/* Adds an entry; there is room for it. */
static inline void mlpd_push(struct pv_batch *b, uint64_t time, uint8_t kind, uint64_t key)
{
	b->time[b->n] = time;
	b->kind[b->n] = kind;
	b->key[b->n] = key;
	b->n++;
}

/* Remembered backtraces of a payload, and hints to them; powers of two. */
enum { MLPD_STACKS = 128, MLPD_STACK_HINTS = 64 };

/* A backtrace of the payload: the bytes of its frames after the first, and the decoded frames. */
struct mlpd_stack_seen {
	const uint8_t *from;
	size_t bytes;
	uint64_t first, last; /* method keys, unmasked */
	uint64_t hash;        /* of the bytes and the first key */
	struct pv_span span;
};

enum { MLPD_SUBS = 8 /* remembered rows by sub, a power of two */ };

struct mlpd_row_by_sub {
	uint16_t key; /* byte << 8 | sub; 0: empty */
	uint16_t row; /* index in mlpd_rows; MLPD_NO_ROW: none */
};

/* A payload that is being decoded. */
struct mlpd_decoder {
	struct pv_cursor c;
	struct mlpd_bases b;
	const struct mlpd_format *f;
	struct pv_batch *pools;
	const uint16_t *rows; /* mlpd_plain_rows() */
	uint64_t mask;        /* of the profiled process's pointers */
	unsigned form;        /* enum mlpd_form of the field at hand */
	unsigned sub;         /* the byte that chose the row */
	bool nomem;
	bool counts_refs;               /* references of heap objects are counted and not kept */
	struct mlpd_stack_seen *seen;   /* MLPD_STACKS, zeroed; NULL: none are remembered */
	uint8_t hint[MLPD_STACK_HINTS]; /* last index in `seen`, by mlpd_stack_hint() */
	struct mlpd_row_by_sub by_sub[MLPD_SUBS];
};

/*
 * Begins at the cursor; `pools` gets the lists of events. All arguments but the format are copied.
 */
void mlpd_decoder_begin(struct mlpd_decoder *d, const struct pv_cursor *c,
	const struct mlpd_bases *b, const struct mlpd_format *f, struct pv_batch *pools);
/* mlpd_decode() at the decoder's cursor. */
enum mlpd_status mlpd_decode_next(struct mlpd_decoder *d, struct pv_event *ret);

/* Make room for as many events as there may be in the bytes that are left. */
bool mlpd_reserve_others(struct pv_batch *b, size_t left);
bool mlpd_reserve_plain(struct pv_batch *b, size_t left);

/*
 * Space for the next event of another kind, which is no part of the batch yet; the batch owns it
 * until the batch grows. In a plain event the bytes past PV_PLAIN_BYTES are undefined. `left`:
 * payload bytes still to be read. NULL: no memory.
 */
static inline struct pv_event *mlpd_next_other(struct pv_batch *b, size_t left)
{
	bool room = b->other_events.n < b->other_events.room || mlpd_reserve_others(b, left);
	return room ? b->other_events.v + b->other_events.n : NULL;
}

/* Space for the next plain event, owned likewise; NULL: no memory. */
static inline struct pv_event *mlpd_next_plain(struct pv_batch *b, size_t left)
{
	bool room = b->plain_events.n < b->plain_events.room || mlpd_reserve_plain(b, left);
	return room ? (void *)&b->plain_events.v[b->plain_events.n] : NULL;
}

/* Adds the event of mlpd_next_other(), or its call, with an entry, for which there is room. */
bool mlpd_push_next(struct pv_batch *b, const struct pv_event *e);

/* Bytes of calls and of allocations without a stack, which have loops of their own. */
extern const bool mlpd_is_hot[256];

/*
 * Decodes enter and leave events in a row, as many as there is room for; stops before any other
 * event and before a cut one. `mask`: the bits of a pointer.
 */
void mlpd_plain_calls(
	struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask);

/* The payload from the cursor on could not be decoded. */
void mlpd_note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why);

#endif
