/* SPDX-License-Identifier: MIT */
/*
 * Logs of the "logging profiler" of 2007: finds blocks, decodes them item by item, and skips
 * damage. Blocks depend on earlier ones (directives, names, regions, clock), so framing and
 * decoding are one, in order.
 *
 * Keys in events are the log's ids (from 1 on). A hit outside managed code gets a method of its
 * own, under a key made here (B07_FUNCTION and so on), named by a METHOD_NAME event; likewise a
 * frame of a stack in which a method was being compiled instead of running.
 *
 * Times are ns since the Unix epoch, interpolated between the (counter, time) pairs of the log.
 * Hits carry no time: a hit's time in the block is taken from its position.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/block07/block07_parts.h"

enum {
	MAX_DRAFT = 64 << 20,
	MAX_CODE = 63, /* greater block codes are garbage, not the future */
};

/* --- life */

static void b07_forget(struct b07 *d)
{
	pv_intern_finish(&d->text);
	pv_map_finish(&d->classes);
	pv_map_finish(&d->assemblies);
	pv_map_finish(&d->methods);
	pv_map_finish(&d->named);
	pv_map_finish(&d->regions);
	pv_array_finish(&d->region);
	pv_array_finish(&d->stack);
	pv_array_finish(&d->placed);
	pv_array_finish(&d->frames);
	memset(d->begun, 0, sizeof d->begun);
	d->directives = 0;
	d->calls = d->hit = d->native_named = d->unknown_named = false;
	d->callers = 0;
}

static bool b07_create(struct pv_stream *s)
{
	struct b07 *d = calloc(1, sizeof *d);
	s->state = d;
	if (d)
		*d = (struct b07){ .out = s, .in = &s->in };
	return d != NULL;
}

static void b07_finish(struct pv_stream *s)
{
	struct b07 *d = s->state;
	if (!d)
		return;
	b07_forget(d);
	pv_arena_finish(&d->texts);
	free(d);
}

static void consume(struct b07 *d, size_t n)
{
	d->in->start += n;
	d->out->offset += n;
}

static size_t have(const struct b07 *d)
{
	return d->in->filled - d->in->start;
}

static enum pv_piece failed(struct b07 *d, enum pv_code code, const char *what)
{
	pv_fail(&d->out->error, code, d->out->offset, "%s", what);
	return PV_PIECE_FAILED;
}

static enum pv_piece damage(struct b07 *d, uint64_t offset, uint64_t bytes, const char *why)
{
	struct pv_stream_damage *x = &d->out->damage;
	*x = (struct pv_stream_damage){ .offset = offset, .bytes = bytes };
	snprintf(x->reason, sizeof x->reason, "%s", why);
	return PV_PIECE_DAMAGE;
}

/* --- searching for a block */

/* Skips bytes until a block may begin; MORE when more bytes are needed. */
static enum pv_piece search_block(struct b07 *d)
{
	enum b07_likely l = B07_UNLIKELY;
	while (have(d) && (l = b07_block_at(d, d->in->start)) == B07_UNLIKELY) {
		consume(d, 1);
		d->skipped++;
	}
	if (have(d) && l == B07_UNKNOWN)
		return PV_PIECE_MORE;
	if (!have(d) && !b07_over(d))
		return PV_PIECE_MORE;
	uint64_t skipped = d->skipped;
	d->lost = false;
	d->skipped = 0;
	return damage(d, d->out->offset - skipped, skipped,
		d->lost_why ? d->lost_why : "bytes that are no block");
}

static void lose(struct b07 *d, const char *why)
{
	d->lost = true;
	d->lost_why = why;
}

/* --- finding the next block */

/* No complete block is left: reports the remaining bytes, and a gap. */
static enum pv_piece drained(struct b07 *d)
{
	uint64_t offset = d->out->offset, rest = have(d) + d->skipped;
	offset -= d->skipped;
	d->skipped = 0;
	consume(d, have(d));
	if (d->in->gapped) {
		uint64_t gap = d->in->gap;
		d->out->offset += gap;
		d->in->gap = 0;
		d->in->gapped = false;
		d->dead |= d->draft;
		lose(d, NULL);
		return damage(d, offset, rest + gap, "dropped unread");
	}
	if (rest && d->dead)
		return damage(d, offset, rest, "a draft log cannot be read on after damage");
	if (rest)
		return damage(d, offset, rest, "the log ends inside a block's header");
	return PV_PIECE_MORE;
}

static void open_block(struct b07 *d, unsigned code, size_t size, bool whole)
{
	struct b07_block *b = &d->block;
	const uint8_t *payload = d->in->bytes + d->in->start + d->header_size;
	*b = (struct b07_block){ .open = true,
		.whole = whole,
		.code = (uint16_t)code,
		.offset = d->out->offset,
		.payload_offset = d->out->offset + d->header_size,
		.payload = payload,
		.size = size,
		.total = d->header_size + size,
		.c = { .at = payload, .end = payload + size } };
	b->open = b07_clock_block(d);
}

/* Opens the draft's block at the window's start; false: more bytes are needed. */
static bool open_draft(struct b07 *d)
{
	const uint8_t *at = d->in->bytes + d->in->start;
	struct pv_cursor c = { .at = at, .end = d->in->bytes + d->in->filled };
	b07_draft_skip(d, &d->here, &c);
	if (c.short_read && !b07_over(d) && have(d) < MAX_DRAFT)
		return false;
	if (have(d) < d->header_size)
		return true; /* over: reported by drained() */
	unsigned code = d->header_size == 1 ? *at & 0x7f : at[0] | (unsigned)at[1] << 8;
	bool whole = pv_cursor_ok(&c);
	size_t total = whole ? (size_t)(c.at - at) : have(d);
	open_block(d, code, total - d->header_size, !c.short_read);
	return d->block.open;
}

/* The intro of another recording, whose stage may have headers of the other size. */
static void measure_header(struct b07 *d)
{
	bool sure = false;
	unsigned size = b07_header_size(d->in->bytes + d->in->start, have(d), &sure);
	if (sure && size >= 6)
		d->header_size = size;
}

/* Opens a block of stages A to D; false: more bytes are needed. */
static bool open_sized(struct b07 *d)
{
	measure_header(d);
	struct pv_cursor c = { .at = d->in->bytes + d->in->start,
		.end = d->in->bytes + d->in->filled };
	if (have(d) < d->header_size)
		return b07_over(d);
	unsigned code = pv_get_u16(&c);
	uint32_t size = pv_get_u32(&c);
	if (code == 0 || code > MAX_CODE || size > B07_MAX_BLOCK) {
		lose(d, size > B07_MAX_BLOCK && code && code <= B07_DIRECTIVES
				? "a block of more than 256 MiB"
				: "a block header that makes no sense");
		return true;
	}
	bool whole = have(d) - d->header_size >= size;
	if (!whole && !b07_over(d))
		return false;
	open_block(d, code, whole ? size : have(d) - d->header_size, whole);
	return d->block.open;
}

/* Measures the block headers. False: more bytes are needed, or *ret_no: not a log of the family. */
static bool b07_begin(struct b07 *d, bool *ret_no)
{
	bool sure;
	*ret_no = d->in->ended;
	if (have(d) == 0)
		return false;
	const uint8_t *at = d->in->bytes + d->in->start;
	d->header_size = b07_header_size(at, have(d), &sure);
	d->draft = d->header_size && d->header_size < 6;
	*ret_no = (!sure && d->in->ended) || !d->header_size;
	if (!sure)
		d->header_size = 0;
	d->started = sure;
	return sure;
}

/* --- the intro */

/* The stage, by the directives that may follow the intro. */
static void guess_stage(struct b07 *d)
{
	d->stage = d->draft ? B07_DRAFT : d->header_size == 6 ? B07_A : B07_B;
	if (d->stage != B07_B || have(d) < d->block.total + d->header_size)
		return;
	struct pv_cursor c = { .at = d->block.payload + d->block.size,
		.end = d->in->bytes + d->in->filled };
	unsigned code = pv_get_u16(&c);
	uint32_t size = pv_get_u32(&c);
	pv_get_u32(&c);
	if (code != B07_DIRECTIVES || size > pv_cursor_left(&c))
		return;
	b07_pair(&c);
	uint64_t directive;
	while (pv_cursor_ok(&c) && (directive = b07_var(&c)) != 0) {
		if (directive == 3 && d->stage < B07_C)
			d->stage = B07_C;
		if (directive >= 4 && directive <= 6)
			d->stage = B07_D;
	}
}

/* Whether any directives after the intro are in the window. */
static bool sees_next(const struct b07 *d)
{
	size_t at = d->in->start + d->block.total, total = 0;
	if (d->header_size != 10 || b07_over(d))
		return true;
	if (at + d->header_size > d->in->filled)
		return false;
	return b07_header_at(d, at, &total) != B07_LIKELY || total > 4096 ||
	       at + total <= d->in->filled;
}

static enum pv_piece bad_intro(struct b07 *d)
{
	uint64_t offset = d->out->offset;
	if (!d->introduced)
		return failed(d, PV_ECORRUPT, "the intro block is cut or damaged");
	d->block.open = false;
	d->dead = d->draft;
	consume(d, d->block.total);
	return damage(d, offset, d->block.total, "an intro block that cannot be read");
}

static enum pv_piece intro(struct b07 *d)
{
	struct pv_stream *s = d->out;
	struct pv_cursor *c = &d->block.c;
	if (!sees_next(d)) {
		d->block.open = false;
		return PV_PIECE_MORE;
	}
	b07_var(c);
	b07_text(c);
	uint64_t flags = d->draft ? 0 : b07_var(c);
	struct b07_pair start = b07_pair(c);
	if (!pv_cursor_ok(c))
		return bad_intro(d);
	d->introduced = true;
	s->over = false;
	b07_forget(d);
	b07_clock_reset(&d->clock, start);
	guess_stage(d);
	s->stage = b07_stage_name(d->stage);
	d->flags = flags;
	s->header = (struct pv_stream_header){
		.stage = s->stage, .flags = flags, .start_us = start.us, .offset = d->block.offset
	};
	consume(d, d->block.total);
	d->block.open = false;
	return PV_PIECE_HEADER;
}

/* --- decoding a block */

static enum b07_step b07_take_item(struct b07 *d)
{
	if (d->draft)
		return b07_draft(d);
	switch (d->block.code) {
	case B07_END:
		d->out->over = true;
		return b07_end_block(d);
	case B07_MAPPING:
		return b07_mapping(d);
	case B07_LOADED:
	case B07_UNLOADED:
		return b07_loaded(d);
	case B07_EVENTS:
		return b07_events(d);
	case B07_STATISTICAL:
		return b07_hits(d);
	case B07_HEAP:
		return b07_heap(d);
	case B07_HEAP_SUMMARY:
		return b07_summary(d);
	case B07_DIRECTIVES:
		return b07_directives(d);
	default: /* of an unknown profiler */
		d->block.c.at = d->block.c.end;
		return B07_DONE;
	}
}

static const char *reason(const struct b07 *d)
{
	if (d->why)
		return d->why;
	if (d->block.c.malformed)
		return "a number of more than 10 bytes";
	return d->block.whole ? "runs past the end of its block" : "the log ends inside a block";
}

static void set_damage(struct b07 *d, const uint8_t *from, const char *why)
{
	struct pv_batch *b = &d->out->batch;
	b->damaged = true;
	b->damage_offset = d->block.payload_offset + (uint64_t)(from - d->block.payload);
	b->damage_bytes = (uint64_t)(d->block.payload + d->block.size - from);
	snprintf(b->damage_reason, sizeof b->damage_reason, "%s", why);
}

/* Skips the block; `from` is the first byte not understood. */
static void give_up_block(struct b07 *d, const uint8_t *from, const char *why)
{
	const struct b07_block *b = &d->block;
	size_t at = (size_t)(from - d->in->bytes);
	if (d->draft) {
		set_damage(d, from, why);
		d->dead = b->whole || !b07_over(d);
		consume(d, b->total);
	} else if (!b->whole || b07_block_at(d, d->in->start + b->total) != B07_UNLIKELY) {
		set_damage(d, from, why);
		consume(d, b->total);
	} else { /* the size is wrong as well */
		consume(d, at - d->in->start);
		lose(d, why);
	}
}

/* Ends a block at the decoder's position, which may differ from the end by the header. */
static void close_block(struct b07 *d)
{
	const struct b07_block *b = &d->block;
	size_t at = (size_t)(b->c.at - d->in->bytes), used = at - d->in->start;
	size_t total = 0;
	if (b->c.at == b->c.end && b->whole)
		consume(d, b->total);
	else if (b->c.at == b->c.end || d->draft)
		give_up_block(d, b->c.at, "the log ends inside a block");
	else if ((!b->whole || b07_block_at(d, d->in->start + b->total) == B07_UNLIKELY) &&
		 b07_header_at(d, at, &total) == B07_LIKELY) {
		set_damage(d, b->c.at, "the block's size is wrong");
		d->out->batch.damage_bytes = 0;
		consume(d, used);
	} else
		give_up_block(d, b->c.at, "bytes behind what belongs into the block");
}

static void start_batch(struct b07 *d)
{
	struct pv_batch *b = &d->out->batch;
	b->offset = d->block.offset;
	b->thread = d->block.thread;
	b->continues = d->block.continues;
	b->bytes_len = 0;
	b->time_base = b07_clock_ns(&d->clock, d->block.from.counter);
}

/* Each batch gets the stack anew, so a deep stack needs a larger batch. */
static bool is_full(const struct b07 *d)
{
	const struct pv_batch *b = &d->out->batch;
	size_t deep = d->stack.n;
	return b->n >= B07_BATCH_EVENTS + deep / 4 || b->pool.n >= B07_BATCH_POOL ||
	       b->frames.n >= B07_BATCH_POOL + 2 * deep;
}

/* Decodes until the block ends or the batch is full. */
static enum pv_piece run_block(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_batch *batch = &d->out->batch;
	enum b07_step s = B07_AGAIN;
	const uint8_t *item = b->c.at, *first = item;
	d->why = NULL;
	while (s == B07_AGAIN && !is_full(d)) {
		item = b->c.at;
		d->item = b->payload_offset + (uint64_t)(item - b->payload);
		s = b07_take_item(d);
	}
	start_batch(d);
	if ((s == B07_BAD && !b07_flush_hit(d)) || s == B07_NOMEM)
		return failed(d, PV_ENOMEM, "out of memory");
	d->out->code = b->code;
	batch->bytes_len = (uint64_t)(b->c.at - first) + (b->continues ? 0 : d->header_size);
	b->continues = true;
	if (s == B07_AGAIN)
		return PV_PIECE_BATCH;
	b->open = false;
	if (s == B07_DONE)
		close_block(d);
	else
		give_up_block(d, item, reason(d));
	return PV_PIECE_BATCH;
}

/* --- pieces */

static void new_batch(struct b07 *d)
{
	pv_batch_reset(&d->out->batch);
	d->out->offsets.n = d->placed.n = 0;
	pv_arena_reset(&d->texts);
}

static enum pv_piece next_block(struct b07 *d)
{
	bool no = false;
	if (!d->started && !b07_begin(d, &no))
		return no ? failed(d, PV_ECORRUPT, "not a log of the logging profiler")
			  : PV_PIECE_MORE;
	if (d->dead) {
		d->skipped += have(d);
		consume(d, have(d));
		return b07_over(d) ? drained(d) : PV_PIECE_MORE;
	}
	if (have(d) == 0)
		return d->in->gapped ? drained(d) : PV_PIECE_MORE;
	bool enough = d->draft ? open_draft(d) : open_sized(d);
	if (!enough)
		return PV_PIECE_MORE;
	if (d->block.open && d->block.code == B07_INTRO)
		return intro(d);
	return d->block.open || d->lost ? PV_PIECE_BATCH : drained(d);
}

static enum pv_piece b07_next(struct pv_stream *s)
{
	struct b07 *d = s->state;
	if (s->error.code)
		return PV_PIECE_FAILED;
	new_batch(d);
	for (;;) {
		enum pv_piece p;
		if (d->block.open)
			return run_block(d);
		if (d->lost && (have(d) || b07_over(d))) {
			p = search_block(d);
			if (p != PV_PIECE_DAMAGE || d->out->damage.bytes)
				return p;
			continue;
		}
		p = next_block(d);
		if (p != PV_PIECE_BATCH)
			return p;
	}
}

const struct pv_reader pv_reader_block07 = { .name = "block07",
	.sniff = b07_sniff,
	.create = b07_create,
	.next = b07_next,
	.finish = b07_finish };
