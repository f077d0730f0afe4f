/*
 * The decoder's side of digests (digest.h): what it keeps of one thread's calls from one event to the
 * next. mlpd_batch.c drives it, mlpd_digest_calls.c has the loop.
 */
#ifndef PV_FORMAT_MLPD_DIGEST_H
#define PV_FORMAT_MLPD_DIGEST_H

#include "common/format/mlpd.h"

/* The unfinished digest of the batch being decoded; zeroed where none is wanted. */
struct mlpd_digester {
	struct pv_batch *batch;
	struct pv_batch *home; /* where the open stretch stands */
	bool on;           /* not given up for this buffer */
	bool over;         /* the thread began or ended: not even in the next one */
	bool within;       /* a stretch is open */
	int64_t end_ns;    /* the open stretch ends here ... */
	int64_t limit_ns;  /* ... and the timeline's cell here, if that is earlier */
	uint32_t at;       /* node of the last call event ... */
	bool behind;       /* ... which ended that call */
	size_t depth;      /* of open calls */
	size_t all_enters; /* of the open stretch */
	int64_t last_ns;
	uint32_t enters, leaves, exc_leaves; /* since the last count was begun */
};

/* The innermost open call, or the stretch's first node. */
static inline uint32_t mlpd_digest_top(const struct mlpd_digester *d)
{
	return d->behind ? d->home->digest.node.v[d->at].parent : d->at;
}

void mlpd_digest_begin(struct mlpd_digester *d, struct pv_batch *b);
/* The next batch of the same thread. */
void mlpd_digest_next(struct mlpd_digester *d, struct pv_batch *b);

/*
 * Call events in a row; stops before anything that is not one, is cut, or does not fit in: that
 * is an event for the batch's arrays, after mlpd_digest_close() unless it is an allocation. False
 * when out of memory, here and below.
 */
bool mlpd_digest_calls(
	struct mlpd_digester *d, struct pv_cursor *c, struct mlpd_bases *bases, uint64_t mask);

/* Ends the open stretch, if there is one. */
bool mlpd_digest_close(struct mlpd_digester *d);

/* Notes which event the batch's next entry is; it comes before the entry. */
bool mlpd_digest_number(struct mlpd_digester *d);

/* Notes where the next allocation of the batch stands. */
bool mlpd_digest_alloc(struct mlpd_digester *d, const struct pv_event *e);

/* --- for mlpd_digest_calls() alone */

enum { MLPD_NO_BYTES = 1 }; /* nothing that was shifted looks so */

/* With a difference of times of two bytes, the event is four to seven bytes long. */
static inline struct pv_digest_step mlpd_step(uint32_t bytes, uint32_t shift, uint32_t node)
{
	return (struct pv_digest_step){ bytes, node << 8 | (7 - shift / 8) << 5 | shift };
}

static inline unsigned mlpd_digest_shift(const struct pv_digest *d)
{
	return 64 - (unsigned)__builtin_ctzll(d->slot.n);
}

static inline uint64_t mlpd_digest_hash(uint32_t parent, uint64_t key)
{
	return (key + parent * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xd6e8feb86659fd93);
}

enum { MLPD_SLOT_NODE = 0xffff }; /* of a slot; above it: as many bits of the hash */

/* 0: not there. */
static inline uint32_t mlpd_digest_find(const struct pv_digest *d, uint32_t parent, uint64_t key)
{
	uint64_t hash = mlpd_digest_hash(parent, key);
	size_t at = (size_t)(hash >> mlpd_digest_shift(d));
	for (uint32_t s; (s = d->slot.v[at]) != 0; at = (at + 1) & (d->slot.n - 1)) {
		const struct pv_digest_node *n = &d->node.v[s & MLPD_SLOT_NODE];
		if (((s ^ (uint32_t)hash) & ~(uint32_t)MLPD_SLOT_NODE) == 0 && n->key == key &&
			n->parent == parent)
			return s & MLPD_SLOT_NODE;
	}
	return 0;
}

/* The node's child, made when new. 0: given up, since the tree is full; still on: out of memory. */
uint32_t mlpd_digest_child(struct mlpd_digester *d, uint32_t parent, uint64_t key);

/*
 * The event at hand is beyond the limit, or no stretch is open. It goes on when one is now in which
 * the event has its place.
 */
bool mlpd_digest_pass_edge(struct mlpd_digester *d, int64_t time, bool enters, bool *ret_go_on);

#endif
