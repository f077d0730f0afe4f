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

/* Adds an event with its entry; there is room for the entry. */
bool mlpd_push_other(struct pv_batch *b, const struct pv_event *e);

/*
 * Enter and leave events in a row, as many as there is room for; stops before anything else and
 * before an event that is cut. `mask`: the bits of a pointer.
 */
void mlpd_plain_calls(
	struct pv_batch *b, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask);

/* The payload from the cursor on could not be decoded. */
void mlpd_note_damage(struct pv_batch *b, const struct pv_cursor *c, enum mlpd_status why);

#endif
