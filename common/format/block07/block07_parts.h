/* SPDX-License-Identifier: MIT */
/*
 * Functions shared by the files of the decoder of 2007 logs, private to them. One thread at a time
 * uses a decoder; nothing locks. `time` is ns on the log's clock, `counter` the log's own unit.
 *
 * A decoder (returning enum b07_step) reads one item of the open block at the cursor d->block.c:
 *
 *     AGAIN  the item was read, the cursor is after it, and the block goes on
 *     DONE   the block has ended; the cursor is at its end, maybe not the end by the header
 *     BAD    the item cannot be read; the cursor is somewhere inside. The caller gives up the block
 *            from the item's first byte (d->item) on, with d->why as the reason
 *     NOMEM  out of memory; the decoder is of no more use
 *
 * Functions that return bool are false when out of memory only, unless said otherwise.
 */
#ifndef PV_FORMAT_BLOCK07_PARTS_H
#define PV_FORMAT_BLOCK07_PARTS_H

#include "common/format/block07/block07_state.h"

/* --- primitives: past the end they return 0 and mark the cursor; b07_ok() checks the mark */

/* A variable-length number, a text up to its NUL, a clock pair. */
uint64_t b07_var(struct pv_cursor *c);
struct pv_text b07_text(struct pv_cursor *c);
struct b07_pair b07_pair(struct pv_cursor *c);
/* For returns: `step` if every read so far succeeded, else BAD. */
enum b07_step b07_ok(const struct b07 *d, enum b07_step step);
enum b07_step b07_bad(struct b07 *d, const char *why);

/* Adds an event to the batch; sets its time and offset. */
bool b07_push(struct b07 *d, struct pv_event *e, uint64_t time);
bool b07_push_call(struct b07 *d, enum pv_kind kind, uint64_t method, uint64_t time);
bool b07_push_alloc(struct b07 *d, const struct pv_alloc *a, uint64_t time);
/* Names a method key, or a key used as a method's. */
bool b07_push_name(struct b07 *d, uint64_t key, uint64_t owner, struct pv_text name, uint64_t time);
/* Copies numbers to the pool. */
bool b07_pool(struct b07 *d, const uint64_t *v, size_t n, struct pv_span *ret);

/* "draft", "A" ... "D": literals. */
const char *b07_stage_name(enum b07_stage stage);

/* --- block07_find.c */

/* Whether no more bytes will come to the window. */
static inline bool b07_over(const struct b07 *d)
{
	return d->in->ended || d->in->gapped;
}

/* For the reader's row; 16 bytes always suffice. */
enum pv_sniffed b07_sniff(const uint8_t *bytes, size_t n, bool ended);

/* Size of this log's block headers in bytes; 0: none fits. *ret_sure: the whole intro is there. */
unsigned b07_header_size(const uint8_t *bytes, size_t n, bool *ret_sure);

enum b07_likely { B07_LIKELY, B07_UNLIKELY, B07_UNKNOWN /* more bytes are needed */ };

/*
 * Whether a block of stages A to D may begin at `at` of the window; block_at() also checks the
 * bytes after it.
 */
enum b07_likely b07_header_at(const struct b07 *d, size_t at, size_t *ret_total);
enum b07_likely b07_block_at(const struct b07 *d, size_t at);

/* --- block07_clock.c */

/*
 * Resets the clock to one pair, `intro`. The next pair is added; two in a row that contradict
 * known pairs replace these.
 */
void b07_clock_reset(struct b07_clock *k, struct b07_pair intro);
/* Time of a counter's value, in ns since the Unix epoch, saturated. */
uint64_t b07_clock_ns(const struct b07_clock *k, uint64_t counter);

/*
 * Reads the clock pairs of the block to be decoded; for blocks without a pair, the pair of the next
 * block that has one. False: more bytes are needed.
 */
bool b07_clock_block(struct b07 *d);

/* --- decoders: one item a call */

/* One for each block code. */
enum b07_step b07_end_block(struct b07 *d);
enum b07_step b07_mapping(struct b07 *d);
enum b07_step b07_loaded(struct b07 *d);
enum b07_step b07_directives(struct b07 *d);
enum b07_step b07_events(struct b07 *d);
enum b07_step b07_hits(struct b07 *d);
enum b07_step b07_heap(struct b07 *d);
enum b07_step b07_summary(struct b07 *d);

/* Adds `diff` to the block's running counter; returns the time there. */
uint64_t b07_advance(struct b07 *d, uint64_t diff);
/* Events common to both forms of a class or method event. */
bool b07_method_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id);
bool b07_class_event(struct b07 *d, unsigned code, bool end, bool failed, uint64_t id);
bool b07_gc_event(struct b07 *d, unsigned step, uint64_t generation, uint64_t collection);
bool b07_resize_event(struct b07 *d, uint64_t bytes, uint64_t collection, uint64_t time);
bool b07_thread_event(struct b07 *d, bool end, uint64_t thread);
bool b07_other(struct b07 *d, unsigned group, unsigned code, uint64_t data);
/* Gives out the hit that waits for callers, if any. */
bool b07_flush_hit(struct b07 *d);
enum b07_step b07_add_hit(struct b07 *d, uint64_t key, uint64_t address);

/* --- block07_draft.c */

/*
 * Moves the cursor, which is in the window, to the end of the block; fails like any read. The next
 * call with `k` goes on where an incomplete block stopped this call.
 */
void b07_draft_skip(const struct b07 *d, struct b07_skip *k, struct pv_cursor *c);
enum b07_step b07_draft(struct b07 *d);

#endif
