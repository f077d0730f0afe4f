/* SPDX-License-Identifier: MIT */
/*
 * Converts counters to times. A block's own two pairs were read within microseconds of each other
 * at the time of writing, after its events: so all pairs of the log count, thinned out.
 */
#include <string.h>

#include "common/format/block07/block07_parts.h"

#define MAX_US (UINT64_C(1) << 50) /* 35 years: after today, and no product overflows */

enum {
	APART_US = 10000, /* pairs nearer than this say little about the rate */
	DISAGREE = 2,     /* pairs in a row that replace the known ones they contradict */
	AHEAD = 64,       /* blocks to look through for the next pair */
	FAR = 1 << 20,    /* bytes to wait for a pair */
};

void b07_clock_reset(struct b07_clock *k, struct b07_pair intro)
{
	memset(k, 0, sizeof *k);
	k->kept[0] = k->last = intro;
	k->n = 1;
}

/* Drops every second pair; the first and the newest stay. */
static void thin(struct b07_clock *k)
{
	size_t to = 1;
	for (size_t i = 1; i < k->n; i += 2)
		k->kept[to++] = k->kept[i];
	k->n = to;
}

static void add_pair(struct b07_clock *k, struct b07_pair p)
{
	if (k->n == 0) {
		b07_clock_reset(k, p);
		return;
	}
	if (p.counter < k->last.counter || p.us < k->last.us) {
		/* Further pairs show which of the two is wrong. */
		if (++k->disagree < DISAGREE)
			return;
		while (k->n > 1 &&
			(k->kept[k->n - 1].counter > p.counter || k->kept[k->n - 1].us > p.us))
			k->n--;
	}
	k->disagree = 0;
	k->last = p;
	if (p.us - k->kept[k->n - 1].us < APART_US)
		return;
	if (k->n == B07_PAIRS)
		thin(k);
	k->kept[k->n++] = p;
}

static uint64_t saturated(__int128 ns)
{
	if (ns < 0)
		return 0;
	return ns > INT64_MAX ? INT64_MAX : (uint64_t)ns;
}

/* Time on the line through a and b; without a slope, a count is a microsecond. */
static uint64_t on_line(struct b07_pair a, struct b07_pair b, uint64_t counter)
{
	__int128 since = (__int128)counter - a.counter;
	uint64_t counts = b.counter - a.counter, us = b.us - a.us;
	if (b.counter <= a.counter || b.us <= a.us || us > MAX_US || counts == us)
		return saturated(((__int128)a.us + since) * 1000);
	return saturated((__int128)a.us * 1000 + since * us * 1000 / counts);
}

uint64_t b07_clock_ns(const struct b07_clock *k, uint64_t counter)
{
	if (k->n == 0)
		return 0;
	if (counter >= k->kept[k->n - 1].counter || k->n == 1) {
		struct b07_pair from = k->kept[k->n - 1];
		if (k->n > 1 && k->last.us - from.us < APART_US)
			from = k->kept[k->n - 2];
		return on_line(from, k->last, counter);
	}
	size_t low = 0, high = k->n - 1; /* kept[low] <= counter < kept[high], or before all */
	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;
		if (k->kept[mid].counter <= counter)
			low = mid;
		else
			high = mid;
	}
	return on_line(k->kept[low], k->kept[low + 1], counter);
}

/* --- the pairs of blocks */

/* The pair at a payload's head, if its kind has one. */
static bool head_pair(const struct b07 *d, uint16_t code, struct pv_cursor c, struct b07_pair *ret)
{
	if (d->draft) {
		if (code == DRAFT_END)
			b07_var(&c);
		*ret = b07_pair(&c);
		return pv_cursor_ok(&c) && (code == DRAFT_CLOCK || code == DRAFT_END);
	}
	if (code == B07_INTRO || code == B07_LOADED || code == B07_UNLOADED ||
		code > B07_DIRECTIVES)
		return false;
	if (code == B07_END)
		b07_var(&c);
	*ret = b07_pair(&c);
	return pv_cursor_ok(&c);
}

/* Start of the number that ends before `end`; NULL when too long. */
static const uint8_t *number_before(const uint8_t *start, const uint8_t *end)
{
	if (end <= start || !(end[-1] & 0x80))
		return NULL;
	const uint8_t *at = end - 1;
	while (at > start && !(at[-1] & 0x80) && end - at < PV_LEB_MAX + 1)
		at--;
	return at;
}

/*
 * The pair at a payload's end. Only the last byte of a number has bit 7 set, so numbers can be read
 * backwards; only the 0 at the end of events could be taken for a part of the counter.
 */
static bool tail_pair(const struct b07_block *b, struct b07_pair *ret)
{
	const uint8_t *end = b->payload + b->size;
	const uint8_t *us = number_before(b->payload, end);
	const uint8_t *counter = us ? number_before(b->payload, us) : NULL;
	if (!counter)
		return false;
	if (b->code == B07_EVENTS) {
		if (*counter != 0)
			return false;
		counter++;
	}
	struct pv_cursor c = { .at = counter, .end = end };
	*ret = b07_pair(&c);
	return pv_cursor_ok(&c) && c.at == end;
}

static bool has_tail(uint16_t code)
{
	return code == B07_MAPPING || (code >= B07_EVENTS && code <= B07_DIRECTIVES);
}

/* A heap block's pairs are the heap job's; the tail is the time of writing. */
static void own_pairs(struct b07 *d)
{
	struct b07_block *b = &d->block;
	bool have_from = head_pair(d, b->code, b->c, &b->from);
	b->have_to = !d->draft && b->whole && has_tail(b->code) && tail_pair(b, &b->to) &&
		     have_from && b->to.counter >= b->from.counter && b->to.us >= b->from.us;
	if (have_from)
		add_pair(&d->clock, b->from);
	if (b->have_to)
		add_pair(&d->clock, b->to);
}

/* The next block in the window, at *at: its code and payload. False when not complete. */
static bool next_block(struct b07 *d, const uint8_t **at, uint16_t *ret_code, struct pv_cursor *ret)
{
	struct pv_cursor c = { .at = *at, .end = d->in->bytes + d->in->filled };
	if (pv_cursor_left(&c) < d->header_size)
		return false;
	*ret_code = d->header_size == 1 ? (uint16_t)(*c.at & 0x7f) : pv_get_u16(&c);
	const uint8_t *payload = *at + d->header_size;
	*ret = (struct pv_cursor){ .at = payload, .end = c.end };
	if (d->draft) {
		c.at = *at;
		b07_draft_skip(d, &d->ahead, &c);
		*at = c.at;
		return pv_cursor_ok(&c);
	}
	size_t size = pv_get_u32(&c);
	if (size > (size_t)(ret->end - payload))
		return false;
	ret->end = *at = payload + size;
	return true;
}

/* Start of the first block not yet seen whole by look_ahead(). */
static const uint8_t *look_from(struct b07 *d, const uint8_t *end)
{
	const struct b07_block *b = &d->block;
	bool goes_on = d->draft && d->ahead.step && d->ahead_of == b->offset &&
		       d->ahead.block >= b->offset + b->total;
	d->ahead_of = b->offset;
	return goes_on ? end + (d->ahead.block - b->offset - b->total) : end;
}

/* Searches the following blocks for a pair. False: more bytes may bring one. */
static bool look_ahead(struct b07 *d)
{
	const uint8_t *from = d->block.payload + d->block.size;
	const uint8_t *at = look_from(d, from);
	struct b07_pair p;
	for (unsigned i = 0; d->draft || i < AHEAD; i++) {
		struct pv_cursor c;
		uint16_t code;
		uint64_t gone = d->block.total + (uint64_t)(at - from);
		if (!next_block(d, &at, &code, &c)) {
			if (!b07_over(d) && d->in->filled - d->in->start <= FAR)
				return false;
			d->looked_to = d->block.offset + gone;
			return true;
		}
		if (head_pair(d, code, c, &p)) {
			d->looked_to = d->block.offset + gone;
			add_pair(&d->clock, p);
			return true;
		}
	}
	return true;
}

bool b07_clock_block(struct b07 *d)
{
	struct b07_block *b = &d->block;
	bool without = d->draft ? b->code != DRAFT_CLOCK && b->code != DRAFT_END
				: b->code == B07_LOADED || b->code == B07_UNLOADED;
	/* The intro's pair does not give the counter's rate. */
	bool known = d->draft ? b->offset < d->looked_to
			      : d->clock.n > 1 || d->clock.last.us != d->clock.kept[0].us;
	b->from = b->to = d->clock.last;
	if (b->code == B07_INTRO)
		return true;
	if (without)
		return known || look_ahead(d);
	own_pairs(d);
	return true;
}
