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

/*
 * The next event of another kind is decoded into this, which is no part of the batch yet; the batch
 * owns it, until it grows. `left`: bytes of the payload that are to be read. NULL: no memory.
 */
struct pv_event *mlpd_next_other(struct pv_batch *b, size_t left);

/* Adds that event, or the call that it is, with its entry; there is room for the entry. */
static inline void mlpd_push_next(struct pv_batch *b, const struct pv_event *e)
{
	bool call = e->kind <= PV_KIND_METHOD_EXC_LEAVE;
	mlpd_push(b, e->time, e->kind, call ? e->call.method : b->other_events.n++);
}

/* The bytes of calls and of allocations without a stack, which have loops of their own. */
extern const bool mlpd_is_hot[256];

/*
 * Enter and leave events in a row, as many as there is room for; stops before anything else and
 * before an event that is cut. `mask`: the bits of a pointer.
 */
void mlpd_plain_calls(
	struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask);

/* The payload from the cursor on could not be decoded. */
void mlpd_note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why);

#endif
