/* SPDX-License-Identifier: MIT */
/* Blocks of events. An event's frame holds the differences from the previous event. */
#include <stdlib.h>

#include "common/format/nettrace/nettrace_frame.h"
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_six.h"

#define SORTED UINT32_C(0x80000000) /* of the kind of an uncompressed event */

enum {
	HEADER = 20,    /* of a block, at least */
	COMPRESSED = 1, /* flag of a block */
	AT_ONCE = 4096, /* events of a block that are sorted and given out together */
};

/* Flags of a compressed event. */
enum {
	SAYS_KIND = 0x01,
	SAYS_WRITER = 0x02,
	SAYS_THREAD = 0x04,
	SAYS_STACK = 0x08,
	SAYS_ACTIVITY = 0x10, /* in version 6: the list of labels */
	SAYS_RELATED = 0x20,
	SAYS_LENGTH = 0x80
};

static uint64_t ns_of(const struct nettrace *d, uint64_t ticks)
{
	enum { NS = 1000000000 };
	if (d->frequency == NS)
		return ticks <= INT64_MAX ? ticks : INT64_MAX;
	unsigned __int128 ns = (unsigned __int128)ticks * NS / d->frequency;
	return ns <= INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

/*
 * A writer numbers its events from 1: a gap is a loss, a smaller number comes from another thread.
 */
static void count_writer_event(struct nettrace *d, uint64_t writer, uint32_t seq)
{
	struct nt_thread *t = nt_thread_of(d, writer);
	if (!t)
		return;
	uint32_t more = seq - t->seq;
	if (more > 1 && more < UINT32_MAX / 2)
		d->lost += more - 1;
	t->seq = seq;
}

void nt_sequence(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	pv_get_u64(&c);
	for (uint32_t left = pv_get_u32(&c); left && pv_cursor_ok(&c); left--) {
		uint64_t id = pv_get_u64(&c);
		uint32_t seq = pv_get_u32(&c);
		if (!pv_cursor_ok(&c))
			return;
		uint32_t at = pv_map_get(&d->thread_of, id);
		if (at != PV_MAP_NONE && d->thread.v[at].seq &&
			seq - d->thread.v[at].seq < UINT32_MAX / 2) {
			d->lost += seq - d->thread.v[at].seq;
			d->thread.v[at].seq = seq;
		}
	}
}

static void get_guid(struct pv_cursor *c, uint8_t to[NT_GUID_BYTES])
{
	const uint8_t *at = pv_get_bytes(c, NT_GUID_BYTES);
	if (at)
		memcpy(to, at, NT_GUID_BYTES);
}

static void read_compressed(struct nettrace *d, struct pv_cursor *c)
{
	uint8_t flags = pv_get_u8(c);
	if (flags & SAYS_KIND)
		d->was.kind = (uint32_t)pv_get_uleb(c);
	if (flags & SAYS_WRITER) {
		d->was.seq += (uint32_t)pv_get_uleb(c);
		d->was.writer = pv_get_uleb(c);
		pv_get_uleb(c); /* processor */
	}
	if (d->was.kind || d->version == NT_SIX)
		d->was.seq++;
	if (flags & SAYS_THREAD)
		d->was.thread = pv_get_uleb(c);
	if (flags & SAYS_STACK)
		d->was.stack = (uint32_t)pv_get_uleb(c);
	d->was.time += pv_get_uleb(c);
	if (flags & SAYS_ACTIVITY && d->version == NT_SIX)
		d->was.labels = (uint32_t)pv_get_uleb(c);
	else if (flags & SAYS_ACTIVITY)
		get_guid(c, d->was.activity);
	if (flags & SAYS_RELATED && d->version != NT_SIX)
		get_guid(c, d->was.related);
	if (flags & SAYS_LENGTH)
		d->was.len = (uint32_t)pv_get_uleb(c);
}

static void read_plain(struct nettrace *d, struct pv_cursor *c)
{
	pv_get_u32(c); /* bytes of the rest */
	d->was.kind = pv_get_u32(c) & ~SORTED;
	d->was.seq = pv_get_u32(c);
	d->was.thread = pv_get_u64(c);
	d->was.writer = pv_get_u64(c);
	pv_get_u32(c); /* processor */
	d->was.stack = pv_get_u32(c);
	d->was.time = pv_get_u64(c);
	if (d->version == NT_SIX) {
		d->was.labels = pv_get_u32(c);
	} else {
		get_guid(c, d->was.activity);
		get_guid(c, d->was.related);
	}
	d->was.len = pv_get_u32(c);
}

/* Reads the next event's frame and payload; false: the rest of the block is damaged. */
static bool read_blob(
	struct nettrace *d, struct pv_cursor *c, const uint8_t *first, const uint8_t **ret_payload)
{
	if (d->compressed)
		read_compressed(d, c);
	else
		read_plain(d, c);
	*ret_payload = pv_get_bytes(c, d->was.len);
	bool padded = !d->compressed && d->version != NT_SIX;
	while (padded && (c->at - first) % 4 && c->at < c->end)
		c->at++;
	return pv_cursor_ok(c);
}

/* Reads the header of a block of events or descriptions. False: no header. */
static bool begin_events(struct nettrace *d, struct pv_cursor *c)
{
	const uint8_t *from = c->at;
	uint16_t header = pv_get_u16(c), flags = pv_get_u16(c);
	if (!pv_cursor_ok(c) || header < HEADER || header > c->end - from)
		return false;
	c->at = from + header;
	d->compressed = flags & COMPRESSED;
	memset(&d->was, 0, sizeof d->was);
	return true;
}

void nt_block_begin(struct nettrace *d, const uint8_t *bytes, size_t n, uint64_t at)
{
	d->block = (struct pv_cursor){ .at = bytes, .end = bytes + n };
	d->block_at = at;
	d->block_harm = NULL;
	d->in_block = true;
	d->blob.n = d->blob_at = 0;
	if (!begin_events(d, &d->block)) {
		d->block_harm = "a block of events without its header";
		d->block.at = d->block.end;
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct nt_blob *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

/* Sets the event's thread and labels, and counts the writer's losses before this event. */
static void place_event(struct nettrace *d, struct nt_blob *b)
{
	b->thread = d->was.thread;
	b->labels = d->was.labels;
	memcpy(b->activity, d->was.activity, sizeof b->activity);
	memcpy(b->related, d->was.related, sizeof b->related);
	if (d->version == NT_SIX) {
		nt_label_guid(d, b->labels, "activity", b->activity);
		nt_label_guid(d, b->labels, "related", b->related);
		nt_count_at(d, d->was.writer, d->was.seq);
		b->thread = nt_thread_at(d, d->was.thread, &b->pid);
	} else {
		count_writer_event(d, d->was.writer, d->was.seq);
	}
}

bool nt_block_next(struct nettrace *d)
{
	struct pv_cursor *c = &d->block;
	const uint8_t *first = c->at;
	d->blob.n = d->blob_at = 0;
	if (!pv_reserve(&d->blob, AT_ONCE)) {
		d->nomem = true;
		return false;
	}
	while (c->at < c->end && d->blob.n < AT_ONCE) {
		struct nt_blob b = { .offset = d->block_at - (uint64_t)(c->end - c->at) };
		if (!read_blob(d, c, first, &b.payload)) {
			d->block_harm = "an event that goes beyond its block";
			c->at = c->end;
			break;
		}
		place_event(d, &b);
		b.kind = pv_map_get(&d->kind_of, d->was.kind);
		b.time = ns_of(d, d->was.time);
		b.len = d->was.len;
		b.stack = d->was.stack;
		if (b.kind == PV_MAP_NONE)
			b.kind = 0;
		d->blob.v[d->blob.n++] = b;
	}
	if (d->blob.n)
		qsort(d->blob.v, d->blob.n, sizeof *d->blob.v, by_thread);
	return d->blob.n > 0;
}

const char *nt_metadata(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	if (!begin_events(d, &c))
		return "a block of descriptions without its header";
	const uint8_t *first = c.at;
	while (c.at < c.end) {
		const uint8_t *payload;
		if (!read_blob(d, &c, first, &payload))
			return "a description that goes beyond its block";
		struct pv_cursor one = { .at = payload, .end = payload + d->was.len };
		nt_describe(d, &one);
	}
	return NULL;
}
