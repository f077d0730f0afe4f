/* SPDX-License-Identifier: MIT */
/* Threads, sequence points and labels of version 6. */
#include "common/format/nettrace/nettrace_six.h"

#include <stdio.h>

#include "common/format/nettrace/nettrace_parts.h"

/* Parts of a thread's row. */
enum { THREAD_NAME = 1, THREAD_PROCESS, THREAD_ID, THREAD_KEY };
/* Flags of a sequence point. */
enum { FORGET_THREADS = 1, FORGET_METADATA = 2 };
enum { LAST_LABEL = 0x80, GUID = 16, HALF = INT32_MAX };

struct pv_text nt_utf8(struct pv_cursor *c)
{
	uint64_t n = pv_get_uleb(c);
	const uint8_t *at = n <= pv_cursor_left(c) ? pv_get_bytes(c, (size_t)n) : NULL;
	if (!at)
		c->short_read = true;
	return (struct pv_text){ at ? (const char *)at : "", at ? (size_t)n : 0 };
}

/* --- threads */

static struct nt_index *index_of(struct nettrace *d, uint64_t index)
{
	struct nt_six *x = &d->six;
	uint32_t at = pv_map_get(&x->index_of, index);
	if (at != PV_MAP_NONE)
		return &x->index.v[at];
	if (x->free.n == 0 && x->index.n >= NT_THREADS)
		return NULL;
	at = x->free.n ? x->free.v[x->free.n - 1] : (uint32_t)x->index.n;
	if (!pv_reserve(&x->index, 1) || !pv_map_set(&x->index_of, index, at)) {
		d->nomem = true;
		return NULL;
	}
	if (x->free.n)
		x->free.n--;
	else
		x->index.n++;
	x->index.v[at] = (struct nt_index){ .thread = index };
	return &x->index.v[at];
}

/* Takes a thread's name from the stream. */
static void name(struct nettrace *d, const struct nt_index *i, const struct pv_text *text)
{
	struct nt_thread *t = nt_thread_of(d, i->thread);
	if (!t || !text->len)
		return;
	uint32_t id = nt_intern(d, text->at, text->len < 255 ? text->len : 255);
	t->named &= id == t->name;
	t->name = id;
}

static void thread_row(struct nettrace *d, struct pv_cursor *c)
{
	struct nt_index *i = index_of(d, pv_get_uleb(c));
	struct pv_text text = { "", 0 };
	if (!i || !pv_cursor_ok(c))
		return;
	while (pv_cursor_left(c) && pv_cursor_ok(c)) {
		switch (pv_get_u8(c)) {
		case THREAD_NAME:
			text = nt_utf8(c);
			break;
		case THREAD_PROCESS:
			i->pid = (uint32_t)pv_get_uleb(c);
			break;
		case THREAD_ID:
			i->thread = pv_get_uleb(c);
			break;
		case THREAD_KEY:
			nt_utf8(c);
			nt_utf8(c);
			break;
		default: /* of a later version, with unknown length */
			c->at = c->end;
		}
	}
	name(d, i, &text);
}

const char *nt_threads(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	while (pv_cursor_left(&c)) {
		uint16_t size = pv_get_u16(&c);
		const uint8_t *at = pv_get_bytes(&c, size);
		if (!at)
			return "a thread that goes beyond its block";
		struct pv_cursor row = { .at = at, .end = at + size };
		thread_row(d, &row);
	}
	return NULL;
}

uint64_t nt_thread_at(const struct nettrace *d, uint64_t index, uint32_t *ret_pid)
{
	uint32_t at = pv_map_get(&d->six.index_of, index);
	*ret_pid = at == PV_MAP_NONE ? 0 : d->six.index.v[at].pid;
	return at == PV_MAP_NONE ? index : d->six.index.v[at].thread;
}

/* Takes the number of events written: the missing ones were lost. */
static void reached(struct nettrace *d, struct nt_index *i, uint32_t seq)
{
	if (seq - i->seq < HALF && i->seq) {
		d->lost += seq - i->seq;
		i->seq = seq;
	}
}

void nt_count_at(struct nettrace *d, uint64_t index, uint32_t seq)
{
	struct nt_index *i = index_of(d, index);
	if (!i)
		return;
	uint32_t more = seq - i->seq;
	if (more > 1 && more < HALF)
		d->lost += more - 1;
	i->seq = seq;
}

static const char *each_reached(struct nettrace *d, struct pv_cursor *c, uint32_t most, bool gone)
{
	struct nt_six *x = &d->six;
	while (most-- && pv_cursor_left(c)) {
		uint64_t index = pv_get_uleb(c);
		uint32_t seq = (uint32_t)pv_get_uleb(c), at = pv_map_get(&x->index_of, index);
		if (!pv_cursor_ok(c))
			return "a thread's number that goes beyond its block";
		if (at == PV_MAP_NONE)
			continue;
		reached(d, &x->index.v[at], seq);
		if (!gone)
			continue;
		pv_map_remove(&x->index_of, index);
		if (!pv_reserve(&x->free, 1))
			d->nomem = true;
		else
			x->free.v[x->free.n++] = at;
	}
	return NULL;
}

const char *nt_threads_gone(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	return each_reached(d, &c, UINT32_MAX, true);
}

const char *nt_six_sequence(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	pv_get_u64(&c); /* time */
	uint32_t flags = pv_get_u32(&c), threads = pv_get_u32(&c);
	if (!pv_cursor_ok(&c))
		return "a sequence point without its header";
	const char *harm = each_reached(d, &c, threads, false);
	nt_forget_stacks(d);
	d->six.label.n = 0;
	pv_map_clear(&d->six.label_of);
	if (flags & FORGET_THREADS)
		nt_forget_threads(d);
	if (flags & FORGET_METADATA)
		nt_forget_kinds(d);
	return harm;
}

void nt_forget_threads(struct nettrace *d)
{
	d->six.index.n = d->six.free.n = 0;
	pv_map_clear(&d->six.index_of);
}

void nt_six_finish(struct nettrace *d)
{
	pv_array_finish(&d->six.index);
	pv_map_finish(&d->six.index_of);
	pv_array_finish(&d->six.free);
	pv_array_finish(&d->six.label);
	pv_map_finish(&d->six.label_of);
}

/* --- labels */

/* Labels other than texts: names, and bytes after the kind; 0: a text, or a number. */
static const struct {
	const char *name;
	uint8_t bytes;
} labels[] = { { NULL, 0 }, { "activity", GUID }, { "related", GUID }, { "trace", 16 },
	{ "span", 8 }, { NULL, 0 }, { NULL, 0 }, { "opcode", 1 }, { "keywords", 8 }, { "level", 1 },
	{ "version", 1 } };
enum { LABEL_TEXT = 5, LABEL_NUMBER = 6 };

struct label {
	struct pv_text name, text; /* name.at NULL: unknown kind */
	int64_t number;
	const uint8_t *raw;
	size_t raw_n;
	bool last;
};

static struct label read_label(struct pv_cursor *c)
{
	struct label l = { .name = { NULL, 0 } };
	unsigned kind = pv_get_u8(c);
	l.last = kind & LAST_LABEL;
	kind &= LAST_LABEL - 1;
	if (kind == LABEL_TEXT || kind == LABEL_NUMBER) {
		l.name = nt_utf8(c);
		if (kind == LABEL_TEXT) {
			l.text = nt_utf8(c);
		} else {
			uint64_t v = pv_get_uleb(c);
			l.number = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
		}
	} else if (kind < PV_COUNT_OF(labels) && labels[kind].name) {
		l.name = (struct pv_text){ labels[kind].name, strlen(labels[kind].name) };
		l.raw_n = labels[kind].bytes;
		l.raw = pv_get_bytes(c, l.raw_n);
	} else {
		c->malformed = true;
	}
	return l;
}

const char *nt_labels(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	struct nt_six *x = &d->six;
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	uint32_t list = pv_get_u32(&c), left = pv_get_u32(&c);
	if (list == 0)
		return "a list of labels that has the empty one's number";
	for (; left && pv_cursor_ok(&c); left--, list++) {
		const uint8_t *from = c.at;
		while (pv_cursor_ok(&c) && !read_label(&c).last)
			;
		size_t size = (size_t)(c.at - from);
		if (!pv_cursor_ok(&c) || x->label.n + size > NT_LABEL_BYTES)
			continue;
		if (!pv_reserve(&x->label, size) ||
			!pv_map_set(&x->label_of, list, (uint32_t)x->label.n)) {
			d->nomem = true;
			return NULL;
		}
		memcpy(x->label.v + x->label.n, from, size);
		x->label.n += size;
	}
	return pv_cursor_ok(&c) ? NULL : "a list of labels that goes beyond its block";
}

static size_t put_label(const struct label *l, char *to, size_t room)
{
	int n = snprintf(
		to, room, " %.*s=", (int)(l->name.len < 64 ? l->name.len : 64), l->name.at);
	size_t at = n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
	for (size_t i = 0; i < l->raw_n && at + 2 < room;
		i++, at += 2) /* numbers: high byte first */
		snprintf(
			to + at, room - at, "%02x", l->raw[l->raw_n < GUID ? l->raw_n - 1 - i : i]);
	if (l->raw_n)
		return at;
	if (l->text.at)
		n = snprintf(to + at, room - at, "%.*s",
			(int)(l->text.len < 128 ? l->text.len : 128), l->text.at);
	else
		n = snprintf(to + at, room - at, "%lld", (long long)l->number);
	at += n < 0 ? 0 : (size_t)n;
	return at < room ? at : room - 1;
}

void nt_label_guid(
	const struct nettrace *d, uint32_t list, const char *name, uint8_t to[NT_GUID_BYTES])
{
	const struct nt_six *x = &d->six;
	const uint32_t from = list ? pv_map_get(&x->label_of, list) : PV_MAP_NONE;
	if (from == PV_MAP_NONE)
		return;
	struct pv_cursor c = { .at = x->label.v + from, .end = x->label.v + x->label.n };
	for (bool last = false; !last && pv_cursor_ok(&c);) {
		const struct label l = read_label(&c);
		last = l.last;
		if (pv_cursor_ok(&c) && l.raw_n == NT_GUID_BYTES && l.name.at &&
			strcmp(l.name.at, name) == 0)
			memcpy(to, l.raw, NT_GUID_BYTES);
	}
}

size_t nt_label_text(const struct nettrace *d, uint32_t list, char *to, size_t room)
{
	const struct nt_six *x = &d->six;
	uint32_t from = list ? pv_map_get(&x->label_of, list) : PV_MAP_NONE;
	size_t n = 0;
	if (from == PV_MAP_NONE || room == 0)
		return 0;
	struct pv_cursor c = { .at = x->label.v + from, .end = x->label.v + x->label.n };
	for (bool last = false; !last && pv_cursor_ok(&c) && n + 1 < room;) {
		struct label l = read_label(&c);
		last = l.last;
		if (pv_cursor_ok(&c))
			n += put_label(&l, to + n, room - n);
	}
	return n;
}
