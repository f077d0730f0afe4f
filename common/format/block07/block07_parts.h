/*
 * Private to the decoder of 2007 logs: the functions its files share. One thread at a time uses a
 * decoder; nothing locks. `time` is ns on the log's clock, `counter` the log's own unit.
 *
 * A decoder (returning enum b07_step) reads one item of the open block at the cursor d->block.c:
 *
 *     AGAIN  the item was read, the cursor is after it, and the block goes on
 *     DONE   the block has ended; the cursor is after it, which need not be where its header says
 *     BAD    the item cannot be read; the cursor is anywhere in it. The caller gives up the block
 *            from the item's first byte (d->item) on, with d->why as the reason
 *     NOMEM  out of memory; the decoder is of no more use
 *
 * Functions that return bool are false when out of memory only, unless said otherwise.
 */
#ifndef PV_FORMAT_BLOCK07_PARTS_H
#define PV_FORMAT_BLOCK07_PARTS_H

#include "common/format/block07/block07_state.h"

/* --- primitives: past the end they give 0 and mark the cursor; b07_ok() tells */

/* A variable-length number, a text up to its NUL, a clock pair. */
uint64_t b07_var(struct pv_cursor *c);
struct pv_text b07_text(struct pv_cursor *c);
struct b07_pair b07_pair(struct pv_cursor *c);
/* For returns: DONE or AGAIN when everything read so far was there, else BAD. */
enum b07_step b07_ok(const struct b07 *d, enum b07_step step);
enum b07_step b07_bad(struct b07 *d, const char *why);

/* Puts an event into the batch; time and offset are set here. */
bool b07_push(struct b07 *d, struct pv_event *e, uint64_t time);
bool b07_push_call(struct b07 *d, enum pv_kind kind, uint64_t method, uint64_t time);
bool b07_push_alloc(struct b07 *d, const struct pv_alloc *a, uint64_t time);
/* A name for a method key, or what counts as a method. */
bool b07_push_name(struct b07 *d, uint64_t key, uint64_t owner, struct pv_text name, uint64_t time);
/* Copies numbers to the pool. */
bool b07_pool(struct b07 *d, const uint64_t *v, size_t n, struct pv_span *ret);

/* --- block07_find.c */

/* Whether what is in the window is all that will come here. */
static inline bool b07_over(const struct b07 *d)
{
	return d->ended || d->gapped;
}

/* Bytes of the block header that this log has; 0: none fits. *ret_sure: the whole intro is met. */
unsigned b07_header_size(const uint8_t *bytes, size_t n, bool *ret_sure);

enum b07_likely { B07_LIKELY, B07_UNLIKELY, B07_UNKNOWN /* more bytes are needed */ };

/*
 * Whether a block of stages A to D may begin at `at` of the window; the second reads the bytes
 * after it.
 */
enum b07_likely b07_header_at(const struct b07 *d, size_t at, size_t *ret_total);
enum b07_likely b07_block_at(const struct b07 *d, size_t at);

/* --- block07_clock.c */

/*
 * Only this pair is known. The next adds one; two in a row that contradict what is known replace
 * it.
 */
void b07_clock_reset(struct b07_clock *k, struct b07_pair intro);
/* Time of a counter's value, in ns since the Unix epoch, saturated. */
uint64_t b07_clock_ns(const struct b07_clock *k, uint64_t counter);

/*
 * Reads the clock pairs of the block that is about to be decoded; for blocks without one, that of
 * the next block that has one. False: more bytes are needed for that.
 */
bool b07_clock_block(struct b07 *d);

/* --- decoders: one item a call */

/* Of an END block, and so on: one for each block code. */
enum b07_step b07_end_block(struct b07 *d);
enum b07_step b07_mapping(struct b07 *d);
enum b07_step b07_loaded(struct b07 *d);
enum b07_step b07_directives(struct b07 *d);
enum b07_step b07_events(struct b07 *d);
enum b07_step b07_hits(struct b07 *d);
enum b07_step b07_heap(struct b07 *d);
enum b07_step b07_summary(struct b07 *d);

/* Adds `diff` to the block's running counter and gives the time there. */
uint64_t b07_advance(struct b07 *d, uint64_t diff);
/* The events that both forms of a class or method event have in common. */
bool b07_method_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id);
bool b07_class_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id);
bool b07_gc_event(struct b07 *d, unsigned step, uint64_t generation, uint64_t collection);
bool b07_resize_event(struct b07 *d, uint64_t bytes, uint64_t collection, uint64_t time);
bool b07_thread_event(struct b07 *d, bool end, uint64_t thread);
bool b07_other(struct b07 *d, unsigned group, unsigned code, uint64_t data);
/* Gives out the hit that waits for callers, if there is one. */
bool b07_flush_hit(struct b07 *d);
enum b07_step b07_add_hit(struct b07 *d, uint64_t key, uint64_t address);

/* --- block07_draft.c */

/*
 * Moves the cursor, which is in the window, to the end of the block it is at; fails like any read.
 * If the block has not come whole, the next call with `k` goes on where this one stopped.
 */
void b07_draft_skip(const struct b07 *d, struct b07_skip *k, struct pv_cursor *c);
enum b07_step b07_draft(struct b07 *d);

#endif
