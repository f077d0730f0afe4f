/* SPDX-License-Identifier: MIT */
/*
 * The draft of October 2007. Blocks have no sizes: only reading a block finds its end, and damage
 * ends the stream.
 */
#include <inttypes.h>
#include <string.h>

#include "common/format/block07/block07_parts.h"

/*
 * Fields of each block: v a number, b a byte, t a text; ( ) repeated while the number at ( is not
 * 0, [ ] likewise with a byte.
 */
static const char *const payloads[] = {
	[DRAFT_INTRO] = "vtvv",
	[DRAFT_CLOCK] = "vv",
	[DRAFT_LOADED] = "bvvvt",
	[DRAFT_UNLOADED] = "bvvvt",
	[DRAFT_MAPPING] = "vv(t)(vt)v",
	[DRAFT_EVENTS] = "vvv[vv]v",
	[DRAFT_STATISTICAL] = "v()()v",
	[DRAFT_END] = "vvv",
};

/* The step after the repetition that begins at `step`. */
static const char *after_step(const char *step)
{
	return strpbrk(step, ")]") + 1;
}

/* The beginning of the repetition that ends at `step`. */
static const char *again(const char *step)
{
	while (*step != '(' && *step != '[')
		step--;
	return step;
}

/* An incomplete text is not searched twice. */
static void skip_text(struct pv_cursor *c)
{
	const uint8_t *nul = memchr(c->at, 0, pv_cursor_left(c));
	c->short_read = !nul;
	c->at = nul ? nul + 1 : c->end;
}

static const char *skip_step(const char *step, struct pv_cursor *c)
{
	switch (*step) {
	case 'v':
		b07_var(c);
		return step + 1;
	case 'b':
		pv_get_u8(c);
		return step + 1;
	case 't':
		skip_text(c);
		return step + 1;
	case '(':
		return b07_var(c) ? step + 1 : after_step(step);
	case '[':
		return pv_get_u8(c) ? step + 1 : after_step(step);
	default:
		return again(step);
	}
}

static const char *payload_of(const struct b07 *d, struct pv_cursor *c)
{
	unsigned code = d->header_size == 1 ? pv_get_u8(c) & 0x7f : pv_get_u16(c);
	const char *steps = code < PV_COUNT_OF(payloads) ? payloads[code] : NULL;
	c->malformed |= pv_cursor_ok(c) && !steps;
	return pv_cursor_ok(c) ? steps : NULL;
}

void b07_draft_skip(const struct b07 *d, struct b07_skip *k, struct pv_cursor *c)
{
	const uint8_t *block = c->at, *item = block;
	uint64_t offset = d->out->offset + (uint64_t)(block - (d->in->bytes + d->in->start));
	if (!k->step || k->block != offset) {
		*k = (struct b07_skip){ .block = offset, .step = payload_of(d, c) };
		k->size = k->step ? (size_t)(c->at - block) : 0;
	}
	if (!k->step)
		return;
	c->at = block + k->size;
	for (const char *next; *k->step; k->step = next) {
		item = c->at;
		next = skip_step(k->step, c);
		if (!pv_cursor_ok(c))
			break;
	}
	k->size = (size_t)((pv_cursor_ok(c) || *k->step == 't' ? c->at : item) - block);
}

/* --- decoding */

static enum b07_step mapping(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	if (b->phase == 0) {
		b->counter = b07_var(c);
		b->thread = b07_var(c);
		b->phase = 1;
		return b07_ok(d, B07_AGAIN);
	}
	if (b->phase == 3) {
		b07_var(c);
		return b07_ok(d, B07_DONE);
	}
	return b07_mapping(d);
}

static bool apart_event(struct b07 *d, unsigned byte, uint64_t main, uint64_t second)
{
	bool end = byte & 0x08;
	uint64_t time = b07_advance(d, second);
	switch (byte & 7) {
	case 1:
		d->hit_time = time;
		return b07_add_hit(d, B07_NATIVE, main) == B07_AGAIN && b07_flush_hit(d);
	case 2:
		return b07_thread_event(d, end, main);
	case 3:
		return b07_gc_event(d, end ? PV_GC_END : PV_GC_START, main, 0);
	case 4:
		return b07_gc_event(d, end ? 2 : 1, main, 0);
	case 5:
		return b07_gc_event(d, end ? 4 : 3, main, 0);
	case 6:
		return b07_resize_event(d, main, 0, time);
	default:
		return b07_other(d, 7, byte & 7, main);
	}
}

static bool method_event(struct b07 *d, unsigned byte, uint64_t id, uint64_t diff)
{
	bool end = byte & 0x08;
	uint64_t time = b07_advance(d, diff);
	switch (byte & 3) {
	case 0:
		d->calls = true;
		return b07_push_call(
			d, end ? PV_KIND_METHOD_LEAVE : PV_KIND_METHOD_ENTER, id, time);
	case 2:
		d->hit_time = time;
		return b07_add_hit(d, id, 0) == B07_AGAIN && b07_flush_hit(d);
	default: /* 1 JIT, 3 freed: codes 0 and 1 of the later stages */
		return b07_method_event(d, (byte & 3) >> 1, end, byte & 4, id);
	}
}

static bool class_event(struct b07 *d, unsigned byte, uint64_t id, uint64_t second)
{
	unsigned code = byte & 3;
	if (code == 2) {
		const struct pv_alloc a = { .type = id, .size = second };
		return b07_push_alloc(d, &a, b07_advance(d, 0));
	}
	b07_advance(d, second);
	return b07_class_event(d, code == 3 ? 2 : code, byte & 0x08, byte & 4, id);
}

static enum b07_step events(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	if (b->phase == 0) {
		b07_var(c);
		b->thread = b07_var(c);
		b->counter = b07_var(c);
		b->phase = 1;
		return b07_ok(d, B07_AGAIN);
	}
	unsigned byte = pv_get_u8(c);
	if (byte == 0) {
		b07_var(c);
		return b07_ok(d, B07_DONE);
	}
	uint64_t main = b07_var(c), second = b07_var(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if ((byte & 0xc0) || (byte & 0x30) == 0x30)
		return b07_bad(d, "an event byte that is not understood");
	bool ok = byte & 0x20   ? method_event(d, byte, main, second)
		  : byte & 0x10 ? class_event(d, byte, main, second)
				: apart_event(d, byte, main, second);
	return ok ? B07_AGAIN : B07_NOMEM;
}

/* Makes a name for a function: the draft has numbers only. */
static bool name_function(struct b07 *d, uint64_t id)
{
	uint64_t key = B07_FUNCTION | id;
	if (pv_map_get(&d->named, key) != PV_MAP_NONE)
		return true;
	char *name = pv_arena_printf(&d->texts, "(unmanaged function %" PRIu64 ")", id);
	return name && pv_map_set(&d->named, key, 1) &&
	       b07_push_name(d, key, 0, (struct pv_text){ name, strlen(name) }, d->hit_time);
}

/* Phase 1: methods, 2: functions. Neither has a time; both get the block's start. */
static enum b07_step statistical(struct b07 *d)
{
	struct b07_block *b = &d->block;
	struct pv_cursor *c = &b->c;
	if (b->phase == 0) {
		b->counter = b07_var(c);
		b->phase = 1;
		return b07_ok(d, B07_AGAIN);
	}
	uint64_t id = b07_var(c);
	if (id == 0 && b->phase == 2)
		b07_var(c);
	if (!pv_cursor_ok(c))
		return B07_BAD;
	if (id == 0)
		return b->phase++ == 1 ? B07_AGAIN : B07_DONE;
	d->hit_time = b07_clock_ns(&d->clock, b->counter);
	if (b->phase == 2 && !name_function(d, id))
		return B07_NOMEM;
	enum b07_step step = b07_add_hit(d, b->phase == 1 ? id : B07_FUNCTION | id, 0);
	if (step != B07_AGAIN)
		return step;
	return b07_flush_hit(d) ? B07_AGAIN : B07_NOMEM;
}

enum b07_step b07_draft(struct b07 *d)
{
	struct b07_block *b = &d->block;
	switch (b->code) {
	case DRAFT_CLOCK:
		b07_pair(&b->c);
		return b07_ok(d, B07_DONE);
	case DRAFT_LOADED:
	case DRAFT_UNLOADED:
		return b07_loaded(d);
	case DRAFT_MAPPING:
		return mapping(d);
	case DRAFT_EVENTS:
		return events(d);
	case DRAFT_STATISTICAL:
		return statistical(d);
	case DRAFT_END:
		d->out->over = true;
		return b07_end_block(d);
	default:
		return b07_bad(d, "a block code that the draft does not have");
	}
}
