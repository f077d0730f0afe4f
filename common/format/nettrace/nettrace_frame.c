/* SPDX-License-Identifier: MIT */
/* Finds where each part of a stream begins and ends, also after damage. */
#include "common/format/nettrace/nettrace_frame.h"

#include "common/format/nettrace/nettrace_parts.h"

enum {
	MAGIC = 8,
	PREAMBLE = 32,     /* "Nettrace" and the serializer's version */
	PREAMBLE_SIX = 20, /* "Nettrace", zero, major and minor version */
	TRACE = 48,        /* bytes of the Trace object */
	TYPE = 16,         /* bytes of an object's type, besides the name */
	NAME = 32,         /* longest name of a type */
	TAG_END = 6,
	NEWEST = 5, /* newest readable version of an object */
	HEAD = 4,   /* of a block: size, and kind in the uppermost byte */
	HEADER = 20,
	NEW_KINDS = 32 /* kinds of blocks that later minor versions may add are below */
};

static const char preamble[PREAMBLE + 1] = "Nettrace\x14\0\0\0!FastSerialization.1";

enum nt_got nt_preamble(const uint8_t *at, size_t have, size_t *ret_bytes, uint32_t *ret_version)
{
	if (memcmp(at, preamble, have < MAGIC ? have : MAGIC) != 0)
		return NT_NOT_ONE;
	struct pv_cursor c = { .at = at + (have < MAGIC ? have : MAGIC), .end = at + have };
	uint32_t reserved = pv_get_u32(&c), major = pv_get_u32(&c);
	*ret_bytes = reserved ? PREAMBLE : PREAMBLE_SIX;
	*ret_version = reserved ? NT_OLD : major;
	if (reserved && memcmp(at, preamble, have < PREAMBLE ? have : PREAMBLE) != 0)
		return NT_NOT_ONE;
	if (have < *ret_bytes)
		return NT_TOO_SHORT;
	return reserved || major >= NT_SIX ? NT_GOT : NT_NOT_ONE;
}

/* --- objects: versions 4 and 5 */

static enum nt_part object_of(const char *name, size_t n)
{
	static const char *const known[] = { [NT_PART_TRACE] = "Trace",
		[NT_PART_EVENTS] = "EventBlock",
		[NT_PART_METADATA] = "MetadataBlock",
		[NT_PART_STACKS] = "StackBlock",
		[NT_PART_SEQUENCE] = "SPBlock" };
	for (size_t i = 0; i < PV_COUNT_OF(known); i++)
		if (strlen(known[i]) == n && memcmp(known[i], name, n) == 0)
			return (enum nt_part)i;
	return NT_PART_OTHER;
}

/* The type at the beginning of an object; *ret_bytes is the length of the type. */
static enum nt_got type_at(const uint8_t *at, size_t have, enum nt_part *ret, size_t *ret_bytes)
{
	static const uint8_t begin[] = { 5, 5, 1 };
	if (memcmp(at, begin, have < sizeof begin ? have : sizeof begin) != 0)
		return NT_NOT_ONE;
	if (have < TYPE)
		return NT_TOO_SHORT;
	struct pv_cursor c = { .at = at + 3, .end = at + have };
	pv_get_u32(&c); /* version */
	uint32_t least = pv_get_u32(&c), n = pv_get_u32(&c);
	if (n == 0 || n > NAME || least > NEWEST)
		return NT_NOT_ONE;
	const uint8_t *name = pv_get_bytes(&c, n);
	uint8_t tag = pv_get_u8(&c);
	if (!pv_cursor_ok(&c))
		return NT_TOO_SHORT;
	*ret = object_of((const char *)name, n);
	*ret_bytes = TYPE + n;
	return tag == TAG_END ? NT_GOT : NT_NOT_ONE;
}

/* Shortens a body in which the stream ends. */
static void cut_body(struct nt_found *f, size_t head, size_t have)
{
	f->cut = true;
	f->bytes = have;
	f->n = have - head < f->n ? have - head : f->n;
}

static enum nt_got object_at(const struct pv_stream *s, bool last, struct nt_found *ret)
{
	const struct nettrace *d = nt_of(s);
	const uint8_t *at = d->in->bytes + d->in->start;
	size_t have = d->in->filled - d->in->start, type;
	enum nt_got g = type_at(at, have, &ret->what, &type);
	if (g != NT_GOT)
		return g;
	size_t head = type, n = TRACE;
	if (ret->what != NT_PART_TRACE) {
		struct pv_cursor c = { .at = at + type, .end = at + have };
		n = pv_get_u32(&c);
		if (!pv_cursor_ok(&c))
			return NT_TOO_SHORT;
		if (n > INT32_MAX)
			return NT_NOT_ONE;
		head += 4;
		head += (4 - (s->offset - d->stream_at + head) % 4) % 4;
	}
	*ret = (struct nt_found){ ret->what, at + head, n, head + n + 1, false };
	if (n > PV_NETTRACE_BLOCK)
		return NT_TOO_LARGE;
	if (have >= ret->bytes)
		return at[head + n] == TAG_END ? NT_GOT : NT_NOT_ONE;
	if (!last || have <= head || ret->what == NT_PART_TRACE)
		return NT_TOO_SHORT;
	cut_body(ret, head, have);
	return NT_GOT;
}

/* --- blocks: version 6 */

static enum nt_part part_of(unsigned kind)
{
	static const enum nt_part part[] = { NT_PART_END, NT_PART_TRACE, NT_PART_EVENTS,
		NT_PART_METADATA, NT_PART_SEQUENCE, NT_PART_STACKS, NT_PART_THREADS, NT_PART_GONE,
		NT_PART_LABELS };
	return kind < PV_COUNT_OF(part) ? part[kind] : NT_PART_OTHER;
}

/*
 * Whether the first bytes of a body suit its kind. Version 6 has no tags to find a part by after
 * damage, so a header is believed only if the bytes after it fit.
 */
static bool body_fits(enum nt_part what, const uint8_t *body, size_t n, size_t have)
{
	struct pv_cursor c = { .at = body, .end = body + (n < have ? n : have) };
	uint32_t a = 0, b = 0;
	switch (what) {
	case NT_PART_EVENTS:
		a = pv_get_u16(&c);
		b = pv_get_u16(&c);
		return !pv_cursor_ok(&c) ? have < n : a >= HEADER && a <= n && b < 16;
	case NT_PART_METADATA:
		a = pv_get_u16(&c);
		return !pv_cursor_ok(&c) ? have < n : 2 + (uint64_t)a <= n;
	case NT_PART_THREADS:
		a = pv_get_u16(&c);
		return n == 0 || (!pv_cursor_ok(&c) ? have < n : 2 + (uint64_t)a <= n);
	case NT_PART_STACKS:
	case NT_PART_LABELS:
		pv_get_u32(&c);
		a = pv_get_u32(&c);
		return !pv_cursor_ok(&c) ? have < n : 8 + (uint64_t)a <= n;
	case NT_PART_SEQUENCE:
		pv_get_u64(&c);
		a = pv_get_u32(&c);
		b = pv_get_u32(&c);
		return !pv_cursor_ok(&c) ? have < n : a < 256 && 16 + (uint64_t)b * 2 <= n;
	case NT_PART_TRACE:
		return n >= TRACE - 8;
	case NT_PART_END:
		return n == 0;
	default:
		return true;
	}
}

static enum nt_got head_at(const uint8_t *at, size_t have, enum nt_part *ret, size_t *ret_n)
{
	struct pv_cursor c = { .at = at, .end = at + have };
	uint32_t head = pv_get_u32(&c);
	if (!pv_cursor_ok(&c))
		return NT_TOO_SHORT;
	*ret = part_of(head >> 24);
	*ret_n = head & 0xffffff;
	if (head >> 24 >= NEW_KINDS || !body_fits(*ret, at + HEAD, *ret_n, have - HEAD))
		return NT_NOT_ONE;
	return NT_GOT;
}

static enum nt_got block_at(const struct pv_stream *s, bool last, struct nt_found *ret)
{
	const struct nettrace *d = nt_of(s);
	const uint8_t *at = d->in->bytes + d->in->start;
	size_t have = d->in->filled - d->in->start, n;
	enum nt_got g = head_at(at, have, &ret->what, &n);
	if (g != NT_GOT)
		return g;
	*ret = (struct nt_found){ ret->what, at + HEAD, n, HEAD + n, false };
	if (have >= ret->bytes)
		return NT_GOT;
	if (!last || ret->what == NT_PART_TRACE)
		return NT_TOO_SHORT;
	cut_body(ret, HEAD, have);
	return NT_GOT;
}

/* Whether a block begins here, judged by its kind and the bytes after it. */
static bool block_begins(const uint8_t *p, const uint8_t *stop, bool last)
{
	enum nt_part what, next;
	size_t n, after, have = (size_t)(stop - p);
	if (have <= HEAD || head_at(p, have, &what, &n) != NT_GOT || what == NT_PART_OTHER)
		return false;
	if (n == 0 || what == NT_PART_TRACE || (last && HEAD + n > have))
		return false;
	if (HEAD + n > have)
		return true; /* more bytes will show */
	return HEAD + n == have ||
	       head_at(p + HEAD + n, have - HEAD - n, &next, &after) != NT_NOT_ONE;
}

/* --- */

enum nt_got nt_part_at(const struct pv_stream *s, bool last, struct nt_found *ret)
{
	return nt_of(s)->version == NT_SIX ? block_at(s, last, ret) : object_at(s, last, ret);
}

/*
 * The next stream after the window's start, or a possible beginning at the window's end; NULL:
 * none. Bytes are searched once, however many parts in them are damaged.
 */
static const uint8_t *next_stream(struct pv_stream *s, const uint8_t *stop, bool last)
{
	struct nettrace *d = nt_of(s);
	const uint8_t *at = d->in->bytes + d->in->start, *p = at + 1;
	size_t bytes;
	uint32_t version;
	enum nt_got g = NT_NOT_ONE;
	if (d->looked_to > s->offset)
		p = at + (d->looked_to - s->offset);
	for (; p < stop; p++) {
		const uint8_t *whole = memmem(p, (size_t)(stop - p), preamble, MAGIC);
		if (whole)
			p = whole;
		else if (stop - p >= MAGIC)
			p = stop - MAGIC + 1;
		g = nt_preamble(p, (size_t)(stop - p), &bytes, &version);
		if (g == NT_GOT || (g == NT_TOO_SHORT && !last))
			break;
	}
	d->looked_to = s->offset + (uint64_t)(p - at);
	return p < stop ? p : NULL;
}

size_t nt_next_part(struct pv_stream *s, bool last)
{
	const struct nettrace *d = nt_of(s);
	const uint8_t *at = d->in->bytes + d->in->start, *stop = d->in->bytes + d->in->filled;
	const uint8_t *other = next_stream(s, stop, last);
	stop = other ? other : stop;
	enum nt_part what;
	size_t bytes;
	for (const uint8_t *p = at + 1; p < stop; p++) {
		if (d->version == NT_SIX) {
			if (block_begins(p, stop, last || other))
				return (size_t)(p - at);
			continue;
		}
		p = memchr(p, 5, (size_t)(stop - p));
		if (!p)
			break;
		enum nt_got g = type_at(p, (size_t)(stop - p), &what, &bytes);
		if ((g == NT_GOT && what != NT_PART_OTHER) || (g == NT_TOO_SHORT && !other))
			return (size_t)(p - at);
	}
	return (size_t)(stop - at);
}
